/** What I say of messages with one emoji: shown at once, and taken back if the server refuses it. */
import { SvelteMap } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';
import type { Reaction } from '../../shared/reactions.ts';
import { account } from '../accounts/account.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { words } from '../session/error-text.ts';
import { send } from '../session/socket.ts';

export interface Shown extends Reaction {
  mine: boolean;
}

interface Wish {
  on: boolean;
  /** From this version on the row counts it. Nothing until the server has answered. */
  since?: number;
}

const wishes = new SvelteMap<string, Readonly<Record<string, Wish>>>();

/** A message’s reactions as I have them. */
export function reactionsOf({ id, version, reactions = [] }: Message): Shown[] {
  const wanted = wishes.get(id) ?? {};
  const isKnown = (wanted: string) => reactions.some(({ emoji }) => emoji === wanted);
  const added = Object.entries(wanted)
    .filter(([emoji, { on, since = Infinity }]) => on && since > version && !isKnown(emoji))
    .map(([emoji]): Shown => ({ emoji, count: 1, userIds: [account.id], mine: true }));
  return [...reactions.map((kind) => shown(kind, wanted[kind.emoji], version)), ...added].filter(
    ({ count }) => count > 0,
  );
}

function shown(kind: Reaction, wish: Wish | undefined, version: number): Shown {
  const { count, userIds } = kind;
  const isListed = userIds.includes(account.id);
  if (!wish) return { ...kind, mine: isListed };
  // Beyond those who stand in the row only I know that I am one of them.
  if ((wish.since ?? Infinity) <= version)
    return { ...kind, mine: isListed || (wish.on && userIds.length < count) };
  return { ...kind, count: count + Number(wish.on) - Number(isListed), mine: wish.on };
}

/** Adds my reaction, or takes it back. */
export async function react({ id }: Message, emoji: string, on: boolean): Promise<void> {
  const wish: Wish = { on };
  put(id, emoji, wish);
  try {
    const { version } = await send('message:react', { messageId: id, emoji, on });
    if (wishes.get(id)?.[emoji] === wish) put(id, emoji, { on, since: version });
  } catch (error) {
    if (wishes.get(id)?.[emoji] === wish) put(id, emoji, undefined);
    notices.tell(words(error));
  }
}

function put(id: string, emoji: string, wish: Wish | undefined): void {
  const { [emoji]: _, ...others } = wishes.get(id) ?? {};
  wishes.set(id, wish ? { ...others, [emoji]: wish } : others);
}
