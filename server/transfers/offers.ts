/**
 * Offers to hand a server over, and how they end whoever ends them. Whoever makes one or ends one has locked the
 * rooms of the two whom it is between.
 */
import type { App } from '../app.ts';
import { userRoom, type Room } from '../../shared/rooms.ts';
import type { Transfer } from '../../shared/transfers.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import * as store from './store.ts';

/** An offer as one of the two has it in their own room. */
export function asSeenBy(
  { versions, ...transfer }: store.StoredTransfer,
  userId: string,
): Transfer {
  return { ...transfer, version: versions[userId] ?? 0 };
}

/** The rooms that hear of it when the offer of this server ends; with people, if it is to or from one of them. */
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

/** Ends the offer of this server, if there is one; with people, if it is to or from one of them. */
export async function endTransfer(
  work: RoomTransaction,
  serverId: string,
  userIds?: readonly string[],
): Promise<void> {
  const transfer = await concerning(work.db, serverId, userIds);
  if (transfer !== undefined) await end(work, transfer);
}

/** Ends what two people offer each other. */
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

/** With whom somebody has an offer: in their own rooms this person is named. */
export const transferPartners = async (db: Db, userId: string): Promise<string[]> =>
  (await store.findTransfersOf(db, userId)).map(({ fromId, toId }) =>
    fromId === userId ? toId : fromId,
  );

/** At a time. */
const most = 100;

/** Ends what nobody has answered for too long. */
export async function sweepTransfers(app: App): Promise<void> {
  for (const serverId of await store.findOverdue(app.db, most))
    await commit(app, { rooms: (db) => transferRooms(db, serverId) }, async (work) => {
      if (await store.isOverdue(work.db, serverId)) await endTransfer(work, serverId);
    });
}
