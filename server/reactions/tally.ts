/** Counts the reactions of one message, starting from its row. */
import { quotas } from '../../shared/quotas.ts';
import type { Reaction } from '../../shared/reactions.ts';
import type { Reacted } from './store.ts';

export interface Tally {
  size: number;
  has(emoji: string): boolean;
  /** Undefined if `put` did not change it, so that the stored state counts. */
  isOn(reaction: Reacted): boolean | undefined;
  put(reaction: Reacted, on: boolean): void;
  changes: (Reacted & { on: boolean })[];
  /** The emoji whose first people are not all known here. */
  lacking: string[];
  /** The reactions as the row has them. `firstOf` returns the first people of the emoji in `lacking`. */
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
      // The row lists only the first people. If there are more, others come before this one.
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
