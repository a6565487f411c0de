/**
 * Publishes a server's changes on its members' own lists. Each list is in its person's own room, so a writer to all of
 * them locks as many rows as there are members. For a large server this happens afterwards, a slice at a time.
 */
import { every, type StopWork } from '../node/timer.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { tryLockWork } from '../database/locks.ts';
import { endingsOn, type Ending } from '../endings.ts';
import { serverItself } from '../servers/access.ts';
import { userRoom, type Room } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import type { Context } from '../caller.ts';
import { isLarge } from './large.ts';
import * as updates from './list-update-store.ts';
import * as store from './store.ts';

/** Lists per transaction. */
const slice = 300;
/** Milliseconds of work in each second. */
const share = 300;

/** The rooms that the transaction itself writes: none for a large server. Call it under the server's lock. */
export async function listRooms(db: Db, serverId: string): Promise<Room[]> {
  if (await isLarge(db, serverId)) return [];
  return (await store.findMemberIds(db, serverId)).map(userRoom);
}

/** Publishes the server on each member's own list. The `listRooms` must be locked. */
export async function updateMemberLists(work: RoomTransaction, server: Server): Promise<void> {
  const { db } = work;
  if (await isLarge(db, server.id)) return updates.queueListUpdate(db, server.id, false);
  await updateLists(work, server, await store.findMemberIds(db, server.id));
}

export const listEnding: Ending = {
  server: {
    rooms: listRooms,
    async end(work, serverId) {
      const { db } = work;
      if (await isLarge(db, serverId)) return updates.queueListUpdate(db, serverId, true);
      await drop(work, serverId, await store.findMemberIds(db, serverId));
    },
  },
};

async function updateLists(
  work: RoomTransaction,
  server: Server,
  userIds: string[],
): Promise<void> {
  const versions = new Map<string, number>();
  for (const userId of userIds) {
    const version = work.nextVersion(userRoom(userId));
    versions.set(userId, version);
    const listed = { ...server, version };
    work.change(userRoom(userId), { type: 'server:updated', version, server: listed });
  }
  await store.updateUserVersions(work.db, server.id, versions);
}

async function drop(work: RoomTransaction, serverId: string, userIds: string[]): Promise<void> {
  for (const room of userIds.map(userRoom))
    work.change(room, { type: 'server:deleted', version: work.nextVersion(room), serverId });
  for (const { membership } of endingsOn(work.node))
    await membership?.end(work, { serverId, userIds, as: 'deleted' });
  await store.deleteMembers(work.db, serverId, userIds);
}

export const watchLists = (context: Context): StopWork =>
  every(context.node, 1_000, 'lists', async () => {
    const began = performance.now();
    while (!context.node.draining && performance.now() - began < share)
      if (!(await updateNextMemberLists(context, slice))) return;
  });

/** Updates up to `limit` lists of the server that has waited longest. False if none waits, or another node does it. */
export async function updateNextMemberLists(context: Context, limit: number): Promise<boolean> {
  const first = await updates.findListUpdate(context.db);
  if (first === undefined) return false;
  const { serverId } = first;
  let isMine = false;
  let userIds: string[] = [];
  const rooms = async (db: Db) => {
    isMine = await tryLockWork(db, 'member lists');
    const next = isMine ? await updates.findListUpdate(db, serverId) : undefined;
    userIds = next === undefined ? [] : await store.findMemberIds(db, serverId, next.told, limit);
    return userIds.map(userRoom);
  };
  await commit(context, { shared: [serverId], rooms }, async (work) => {
    if (isMine) await updateTheseLists(work, serverId, userIds);
  });
  return isMine;
}

async function updateTheseLists(
  work: RoomTransaction,
  serverId: string,
  userIds: string[],
): Promise<void> {
  const last = userIds.at(-1);
  if (last === undefined) return updates.deleteListUpdate(work.db, serverId);
  const [server] = await serverItself(work.db, serverId);
  await (server === undefined ? drop(work, serverId, userIds) : updateLists(work, server, userIds));
  await updates.advanceListUpdate(work.db, serverId, last);
}
