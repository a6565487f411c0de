/** Transferring a server: its owner offers it, and nothing changes until the other person accepts. */
import { conflict, notFound } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { findPeople } from '../people/people.ts';
import { recordAudit } from '../audit/audit.ts';
import { requireReach } from '../blocks/access.ts';
import { channelRooms, addOwnerToPrivateChannels } from '../channels/private-channels.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { memberOf } from '../members/access.ts';
import { setRole } from '../members/members.ts';
import { actInServer, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { transferFor } from './access.ts';
import { transferAsSeenBy, endTransfer, transferRooms } from './transfers.ts';
import * as store from './store.ts';

export async function offerTransfer(
  caller: Caller,
  { serverId, userId }: Parsed<'server:transfer'>,
): Promise<void> {
  const { node, user } = caller;
  // Locks only a member's room, so that a caller cannot lock a stranger's.
  const rooms = async (db: Db) => {
    const isMember = (await memberOf(db, serverId, userId)) !== undefined;
    return [user.id, ...(isMember ? [userId] : [])].map(userRoom);
  };
  const locks = { shared: serverId, rooms };
  await actInServer(caller, 'own', locks, async (work) => {
    if (userId === user.id) throw conflict('You already own this server.');
    if ((await memberOf(work.db, serverId, userId)) === undefined) throw notFound();
    await requireReach(work.db, user.id, userId);
    await requireRegistered(work.db, userId);
    const known = await store.findTransfer(work.db, serverId);
    if (known?.toId === userId) return;
    if (known !== undefined)
      throw conflict('You’ve offered this server to someone else. Cancel that offer first.');
    await node.limits.take('askAgain', `transfer ${user.id} ${userId}`);
    await offer(work, { serverId, fromId: user.id, toId: userId });
    await recordAudit(work.db, caller, { action: 'server:offered', serverId, userId });
  });
}

async function requireRegistered(db: Db, userId: string): Promise<void> {
  const { [userId]: person } = await findPeople(db, [userId]);
  if (person?.kind !== 'registered')
    throw conflict('Only people with an account can own a server.');
}

async function offer(
  work: RoomTransaction,
  between: { serverId: string; fromId: string; toId: string },
): Promise<void> {
  const { fromId, toId } = between;
  const stored = await store.insertTransfer(work.db, {
    ...between,
    fromVersion: work.nextVersion(userRoom(fromId)),
    toVersion: work.nextVersion(userRoom(toId)),
  });
  for (const userId of [fromId, toId]) {
    const transfer = transferAsSeenBy(stored, userId);
    const { version } = transfer;
    work.change(userRoom(userId), { type: 'transfer:created', version, transfer });
  }
}

/** Accepts an offer. The former owner becomes a moderator. If the caller owns the server already, nothing changes. */
export async function acceptTransfer(
  caller: Caller,
  { serverId }: Parsed<'server:acceptTransfer'>,
): Promise<void> {
  const { db, user } = caller;
  const { member } = await serverFor(db, caller, serverId, 'see');
  // Also checked before locking, so that members without an offer lock nothing.
  if (member.role !== 'owner') await transferFor(db, caller, serverId);
  const rooms = async (db: Db) => [
    ...(await channelRooms(db, serverId, [user.id])),
    ...(await transferRooms(db, serverId)),
  ];
  await actInServer(caller, 'see', { exclusive: serverId, rooms }, async (work, { member: me }) => {
    if (me.role === 'owner') return;
    const { fromId } = await transferFor(work.db, caller, serverId);
    await endTransfer(work, serverId);
    // In this order, so that there is never a second owner.
    await setRole(work, serverId, fromId, 'moderator');
    await setRole(work, serverId, user.id, 'owner');
    await addOwnerToPrivateChannels(work, serverId, user.id);
    const deed = { action: 'server:transferred', serverId, userId: fromId } as const;
    await recordAudit(work.db, caller, deed);
  });
}

/** Declines an offer, or withdraws the caller's own. */
export async function declineTransfer(
  caller: Caller,
  { serverId }: Parsed<'server:declineTransfer'>,
): Promise<void> {
  const { fromId, toId } = await transferFor(caller.db, caller, serverId);
  await commit(caller, { rooms: [fromId, toId].map(userRoom) }, async (work) => {
    await transferFor(work.db, caller, serverId);
    await endTransfer(work, serverId);
  });
}
