/** Offers to transfer a server. A transaction that makes or ends one must lock the rooms of both people. */
import { userRoom, type Room } from '../../shared/rooms.ts';
import type { Transfer } from '../../shared/transfers.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import type { Context } from '../caller.ts';
import * as store from './store.ts';

/** An offer as its row in one person's own room. */
export function transferAsSeenBy(
  { versions, ...transfer }: store.StoredTransfer,
  userId: string,
): Transfer {
  return { ...transfer, version: versions[userId] ?? 0 };
}

/** The rooms to notify when this server’s offer ends. With `userIds`, only if it is to or from one of them. */
export async function transferRooms(
  db: Db,
  serverId: string,
  userIds?: readonly string[],
): Promise<Room[]> {
  const transfer = await concerning(db, serverId, userIds);
  return transfer === undefined ? [] : roomsOf(transfer);
}

async function concerning(
  db: Db,
  serverId: string,
  userIds?: readonly string[],
): Promise<store.StoredTransfer | undefined> {
  const transfer = await store.findTransfer(db, serverId);
  if (transfer === undefined || userIds === undefined) return transfer;
  return userIds.some((id) => id in transfer.versions) ? transfer : undefined;
}

const roomsOf = ({ fromId, toId }: store.StoredTransfer) => [fromId, toId].map(userRoom);

/** Ends this server’s offer, if there is one. With `userIds`, only if it is to or from one of them. */
export async function endTransfer(
  work: RoomTransaction,
  serverId: string,
  userIds?: readonly string[],
): Promise<void> {
  const transfer = await concerning(work.db, serverId, userIds);
  if (transfer !== undefined) await end(work, transfer);
}

export const transferEnding: Ending = {
  membership: {
    rooms: (db, { serverId, userIds }) => transferRooms(db, serverId, userIds),
    async end(work, { serverId, userIds, as }) {
      // The offer of a deleted server has ended with it.
      if (as !== 'deleted') await endTransfer(work, serverId, userIds);
    },
  },
  server: { rooms: transferRooms, end: endTransfer },
};

export async function endTransfersBetween(
  work: RoomTransaction,
  one: string,
  other: string,
): Promise<void> {
  for (const transfer of await store.findTransfersBetween(work.db, one, other))
    await end(work, transfer);
}

async function end(work: RoomTransaction, transfer: store.StoredTransfer): Promise<void> {
  const { serverId } = transfer;
  await store.deleteTransfer(work.db, serverId);
  for (const room of roomsOf(transfer))
    work.change(room, { type: 'transfer:deleted', version: work.nextVersion(room), serverId });
}

/** The other people of a person's offers: their own rooms name this person. */
export const transferPartners = async (db: Db, userId: string): Promise<string[]> =>
  (await store.findTransfersOf(db, userId)).map(({ fromId, toId }) =>
    fromId === userId ? toId : fromId,
  );

const maxPerSweep = 100;

export async function sweepTransfers(context: Context): Promise<void> {
  for (const serverId of await store.findOverdue(context.db, maxPerSweep))
    await commit(context, { rooms: (db) => transferRooms(db, serverId) }, async (work) => {
      if (await store.isOverdue(work.db, serverId)) await endTransfer(work, serverId);
    });
}
