/**
 * Publishes the numbers of open tasks to the room of each person who can answer them. A transaction that changes a
 * number must lock the `answererRooms`.
 */
import type { TaskCount } from '../../shared/tasks.ts';
import type { CustomRole } from '../../shared/roles.ts';
import { userRoom, type Room } from '../../shared/rooms.ts';
import { notifiedPerPoint, takeMore } from '../admission/points.ts';
import type { Caller } from '../caller.ts';
import type { Locks, RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import * as counts from './count-store.ts';

export const answererIds = (db: Db, serverId: string): Promise<string[]> =>
  counts.findAnswererIds(db, serverId);

/** The own rooms of those who can answer tasks. Call it under the server’s lock, so that they stay the same. */
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

/** True if a role with these permissions lets its holders answer tasks. */
export const answersTasks = ({ permissions }: Pick<CustomRole, 'permissions'>): boolean =>
  permissions.includes('manage messages') || permissions.includes('manage members');

/** True if holders of both roles can answer the same tasks. */
export const answerAlike = (
  one: Pick<CustomRole, 'permissions'>,
  other: Pick<CustomRole, 'permissions'>,
): boolean =>
  (['manage messages', 'manage members'] as const).every(
    (permission) => one.permissions.includes(permission) === other.permissions.includes(permission),
  );

/**
 * Publishes changed numbers: those for all who can answer tasks, or for `userIds`, whose roles have changed.
 * With `messageId`, also the numbers of those who can answer this report, if it is open.
 */
export async function publishCounts(
  work: RoomTransaction,
  serverId: string,
  which: counts.WhichCounts = {},
): Promise<void> {
  const changed = await counts.findCountsToPublish(work.db, serverId, which);
  if (changed.length === 0) return;
  const versions = changed.map(({ userId, ...open }) => {
    return { userId, ...open, version: publishCount(work, userId, { serverId, ...open }) };
  });
  await counts.updateCounts(work.db, serverId, versions);
}

/** Returns the version of the change. */
function publishCount(
  work: RoomTransaction,
  userId: string,
  open: Omit<TaskCount, 'version'>,
): number {
  const { serverId, reports, requests } = open;
  const room = userRoom(userId);
  const version = work.nextVersion(room);
  const taskCount = { ...open, version };
  if (reports + requests === 0) work.change(room, { type: 'taskCount:deleted', version, serverId });
  else work.change(room, { type: 'taskCount:updated', version, taskCount });
  return version;
}

/** Runs after the endings that delete tasks of the same people. */
export const taskEnding: Ending = {
  role: (work, { serverId, userId }) => publishCounts(work, serverId, { userIds: [userId] }),
  membership: {
    rooms: () => Promise.resolve([]),
    async end(work, { serverId, userIds }) {
      for (const userId of await counts.findPublished(work.db, serverId, userIds))
        publishCount(work, userId, { serverId, reports: 0, requests: 0 });
    },
  },
};
