/**
 * How often a node says that somebody is writing. Each word goes to everyone in the timeline, so what many send there
 * at once would cost far more than it says: from five on, clients speak of several people.
 */
import type { Clock } from '../node/clock.ts';

/** So many people of a timeline, each once, in so many milliseconds. */
export const pace = { people: 6, ms: 500 };

export interface TypingPace {
  /** Whether there is room for this word; then it is counted. */
  take(timelineId: string, userId: string): boolean;
}

export function openTypingPace(clock: Clock): TypingPace {
  const told = new Map<string, Set<string>>();
  return {
    take(timelineId, userId) {
      const lately = told.get(timelineId) ?? new Set();
      if (lately.has(userId) || lately.size >= pace.people) return false;
      lately.add(userId);
      if (lately.size === 1) {
        told.set(timelineId, lately);
        clock.after(pace.ms, () => told.delete(timelineId));
      }
      return true;
    },
  };
}
