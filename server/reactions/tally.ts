/** The reactions of one message, counted on from what its row says. */
import { quotas } from '../../shared/quotas.ts';
import type { Reaction } from '../../shared/reactions.ts';
import type { Reacted } from './store.ts';

export interface Tally {
  /** How many kinds there are. */
  size: number;
  has(emoji: string): boolean;
  /** Undefined if it was not put here: then it is as it is stored. */
  isOn(reaction: Reacted): boolean | undefined;
  /** Adds what was not there, or takes away what was. */
  put(reaction: Reacted, on: boolean): void;
  /** What was put, in that order. */
  changes: (Reacted & { on: boolean })[];
  /** Kinds whose first people are no longer all known here. */
  lacking: string[];
  /** As the row carries them, where `firstOf` knows the people of what is lacking. */
  reactions(firstOf: (emoji: string) => string[]): Reaction[] | undefined;
}

export function openTally(reactions: readonly Reaction[] = []): Tally {
  const kinds = new Map(reactions.map((kind) => [kind.emoji, { ...kind }]));
  const put = new Map<string, boolean>();
  const changes: Tally['changes'] = [];
  const keyOf = ({ emoji, userId }: Reacted) => `${emoji} ${userId}`;
  const isLacking = ({ count, userIds }: Reaction) =>
    userIds.length < Math.min(count, quotas.reactors);
  return {
    get size() {
      return kinds.size;
    },
    has: (emoji) => kinds.has(emoji),
    isOn: (reaction) => put.get(keyOf(reaction)),
    put(reaction, on) {
      const { emoji, userId } = reaction;
      put.set(keyOf(reaction), on);
      changes.push({ ...reaction, on });
      const { count, userIds } = kinds.get(emoji) ?? { count: 0, userIds: [] };
      // Beyond those who stand in the row there may be others before this one.
      const next =
        on && userIds.length === count
          ? [...userIds, userId]
          : userIds.filter((id) => id !== userId);
      kinds.set(emoji, {
        emoji,
        count: count + (on ? 1 : -1),
        userIds: next.slice(0, quotas.reactors),
      });
      if (kinds.get(emoji)?.count === 0) kinds.delete(emoji);
    },
    changes,
    get lacking() {
      return [...kinds.values()].filter(isLacking).map(({ emoji }) => emoji);
    },
    reactions(firstOf) {
      const all = [...kinds.values()].map((kind) =>
        isLacking(kind) ? { ...kind, userIds: firstOf(kind.emoji) } : kind,
      );
      return all.length === 0 ? undefined : all;
    },
  };
}
