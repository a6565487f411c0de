import type { Db } from '../database/database.ts';
import { findNamedEmoji } from './store.ts';

/** An emoji in a message: one of Unicode, or `:name:`. */
interface Used {
  timelineId: string;
  emoji: string;
}

const isCustom = ({ emoji }: Used) => emoji.startsWith(':');

/** Returns whether an emoji can be used in its timeline: Unicode anywhere, a server’s own in its channels. */
export async function knownEmoji(db: Db, used: readonly Used[]): Promise<(one: Used) => boolean> {
  const named = used.filter(isCustom).map(({ timelineId, emoji }) => ({
    ...{ timelineId, name: emoji.slice(1, -1) },
  }));
  const found = named.length === 0 ? [] : await findNamedEmoji(db, named);
  const known = new Set(found.map(({ timelineId, name }) => `${timelineId} :${name}:`));
  return (one) => !isCustom(one) || known.has(`${one.timelineId} ${one.emoji}`);
}
