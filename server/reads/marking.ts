import { notFound } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import type { Marking, ReadPosition } from '../../shared/reads.ts';
import type { Caller } from '../caller.ts';
import { withAccess } from '../commit.ts';
import { timelineFor } from '../messages/access.ts';
import type { Draft, StoredHook } from '../messages/part.ts';
import { broadcastRead } from './reads.ts';
import * as store from './store.ts';

/** Moves the caller's read position forward and sends it to all their devices. It never moves back. */
export async function noteRead(
  caller: Caller,
  { timelineId, position }: Parsed<'read:update'>,
): Promise<ReadPosition> {
  const { db, user } = caller;
  await timelineFor(db, caller, timelineId, 'see');
  const reading = {
    timelineId,
    position: await store.advanceOne(db, user.id, timelineId, position),
  };
  broadcastRead(caller.node, user.id, { timelines: { [timelineId]: reading.position } });
  return reading;
}

/** Marks a timeline as unread from a position on, for all of the caller's devices; null removes the mark. */
export async function markUnread(
  caller: Caller,
  { timelineId, position }: Parsed<'read:mark'>,
): Promise<Marking> {
  const { user } = caller;
  // Under the lock of the right. Otherwise a mark could be set and sent after the right has ended, and devices that
  // have dropped the timeline would keep it.
  const mark = await withAccess(
    caller,
    (db) => timelineFor(db, caller, timelineId, 'see'),
    ({ scope }) => ({ shared: [scope], rooms: [] }),
    async ({ db }, { scope }) => {
      const marked = await store.setMark(db, user.id, timelineId, position);
      if (marked === undefined) throw notFound();
      return { ...marked, ...(scope !== timelineId && { serverId: scope }) };
    },
  );
  broadcastRead(caller.node, user.id, { timelines: {}, marks: { [timelineId]: mark } });
  return mark;
}

/** Sending marks the timeline as read up to the message. */
export const markReadByWriting: StoredHook = async (db, { added }) => {
  await store.advancePositions(db, lastOfEach(added));
};

/** The position of each author's last message, since `added` is in order of position. */
function lastOfEach(added: readonly Draft[]): (ReadPosition & { userId: string })[] {
  const furthest = new Map<string, ReadPosition & { userId: string }>();
  for (const { authorId: userId, timelineId, position } of added)
    furthest.set(`${userId} ${timelineId}`, { userId, timelineId, position });
  return [...furthest.values()];
}
