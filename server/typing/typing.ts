import type { Parsed } from '../../shared/protocol.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import type { Typing } from '../../shared/typing.ts';
import { readTransaction } from '../database/database.ts';
import { timelineFor } from '../messages/access.ts';
import type { Clock } from '../node/clock.ts';
import { readAccessVersion } from '../realtime/access-version.ts';
import type { VolatilePace } from '../realtime/publish.ts';
import type { Caller } from '../caller.ts';

/** Tells the others in a timeline that the caller is typing there. */
export async function broadcastTyping(
  caller: Caller,
  { timelineId }: Parsed<'typing:set'>,
): Promise<void> {
  const { node, db, user } = caller;
  const accessVersion = await readTransaction(db, async (db) => {
    const { scope } = await timelineFor(db, caller, timelineId, 'send');
    return readAccessVersion(db, scope);
  });
  const payload = { timelineId, userId: user.id };
  const room = timelineRoom(timelineId);
  node.fanout.broadcastVolatile({ room, event: 'typing', payload, userId: user.id }, accessVersion);
}

/** So many people of a timeline, each once, in so many milliseconds. */
export const pace = { people: 6, ms: 500 };

/**
 * How often a node says that somebody is typing. Each goes to everyone in the timeline, so what many send there at once
 * would cost far more than it says: from five on, clients speak of several people.
 */
export function openTypingPace(clock: Clock): VolatilePace<'typing'> {
  const told = new Map<string, Set<string>>();
  return {
    take({ timelineId, userId }: Typing) {
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
