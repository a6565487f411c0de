/**
 * Publishes the number of open reports to the room of each person who can answer them. A transaction that changes the
 * number must lock the `answererRooms`.
 */
import type { CustomRole } from '../../shared/roles.ts';
import { userRoom, type Room } from '../../shared/rooms.ts';
import { notifiedPerPoint, takeMore } from '../admission/points.ts';
import type { Caller, Context } from '../caller.ts';
import type { Locks, RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import * as counts from './count-store.ts';
import * as store from './store.ts';

/** The own rooms of those who can answer reports. Call it under the server’s lock, so that they stay the same. */
export const answererRooms = async (db: Db, serverId: string): Promise<Room[]> =>
  (await counts.findAnswererIds(db, serverId)).map(userRoom);

/** Locks the own rooms of these members as well, because their numbers change. */
export const withCountsOf = (
  { rooms, ...locks }: Locks,
  members: (db: Db) => Promise<string[]>,
): Locks => ({
  ...locks,
  rooms: async (db) => [
    ...(typeof rooms === 'function' ? await rooms(db) : rooms),
    ...(await members(db)).map(userRoom),
  ],
});

/** The same for many members. Charges points for them. */
export async function withManyCounts(
  caller: Caller,
  locks: Locks,
  members: (db: Db) => Promise<string[]>,
): Promise<Locks> {
  await takeMore(caller, Math.floor((await members(caller.db)).length / notifiedPerPoint));
  return withCountsOf(locks, members);
}

export const answersReports = ({ permissions }: Pick<CustomRole, 'permissions'>): boolean =>
  permissions.includes('manage messages');

/**
 * Publishes changed numbers: those for all who can answer reports, or for `userIds`, whose roles have changed.
 * With `messageId`, also the numbers of those who can answer this report, if it is open.
 */
export async function publishCounts(
  work: RoomTransaction,
  serverId: string,
  which: counts.WhichCounts = {},
): Promise<void> {
  const changed = await counts.findCountsToPublish(work.db, serverId, which);
  if (changed.length === 0) return;
  const versions = changed.map(({ userId, open }) => {
    return { userId, open, version: publishCount(work, serverId, userId, open) };
  });
  await counts.updateCounts(work.db, serverId, versions);
}

/** Returns the version of the change. */
function publishCount(
  work: RoomTransaction,
  serverId: string,
  userId: string,
  open: number,
): number {
  const room = userRoom(userId);
  const version = work.nextVersion(room);
  const reportCount = { serverId, open, version };
  if (open === 0) work.change(room, { type: 'reportCount:deleted', version, serverId });
  else work.change(room, { type: 'reportCount:updated', version, reportCount });
  return version;
}

export const reportEnding: Ending = {
  async role(work, { serverId, userId }) {
    await store.deleteAboutOwner(work.db, serverId, userId);
    await publishCounts(work, serverId, { userIds: [userId] });
  },
  membership: {
    rooms: async (db, { serverId, userIds }) =>
      (await store.hasOpenBy(db, serverId, userIds)) ? answererRooms(db, serverId) : [],
    async end(work, { serverId, userIds, as }) {
      // Deletes the open reports of removed members, because a raid can fill the queue.
      if (as === 'removed' && (await store.hasOpenBy(work.db, serverId, userIds))) {
        await store.deleteOpenBy(work.db, serverId, userIds);
        await publishCounts(work, serverId);
      }
      for (const userId of await counts.findPublished(work.db, serverId, userIds))
        publishCount(work, serverId, userId, 0);
    },
  },
};

const maxPerSweep = 1_000;

export const sweepReports = ({ db }: Context): Promise<void> => store.deleteClosed(db, maxPerSweep);
