import type { Account } from '../../shared/accounts.ts';
import { ChatError, forbidden, notFound } from '../../shared/failure.ts';
import { serverRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import type { Instance } from '../node/instance.ts';
import { recordAudit, type AuditSource } from '../audit/audit.ts';
import { commit, type Locks, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { RightLocks } from '../database/locks.ts';
import { banMatchOf, memberOf } from '../members/access.ts';
import { addMember, makeOwner, roomsToJoin } from '../members/members.ts';
import { answererRooms } from '../tasks/tasks.ts';
import { lobbyId } from '../servers/access.ts';
import type { Caller, Context } from '../caller.ts';
import { knownInvite, usableInvite } from './access.ts';
import { newCode } from './code.ts';
import { findDoor, findPause, type Door } from './pause-store.ts';
import { changesRequests, hasRequest } from './request-store.ts';
import { endRequests, requestToJoin } from './requests.ts';
import * as store from './store.ts';

/** The lock that using an invite takes: exclusive for a new owner, because others rely on the list of staff. */
export const inviteLocks = ({ serverId, ownership }: store.StoredInvite): RightLocks =>
  ownership ? { exclusive: [serverId] } : { shared: [serverId] };

/** The rooms that using an invite changes, except the user’s own. A new owner is published to the whole server. */
export async function roomsByInvite(db: Db, code: string, by: Newcomer): Promise<Room[]> {
  const { serverId, ownership } = await knownInvite(db, code);
  const rooms = await roomsToEnter(db, serverId, by);
  return ownership ? [serverRoom(serverId), ...rooms] : rooms;
}

/** The locks that using an invite takes. @throws ChatError not_found */
export async function locksByInvite(
  { db, user }: Caller,
  code: string,
  { asks }: Pick<Newcomer, 'asks'>,
): Promise<Locks> {
  const by = { userId: user.id, asks };
  const rooms = async (db: Db) => [...(await roomsByInvite(db, code, by)), userRoom(user.id)];
  return { ...inviteLocks(await knownInvite(db, code)), rooms };
}

/** Undefined for a deleted server. */
export const doorOf = (db: Db, serverId: string, userId: string): Promise<Door | undefined> =>
  findDoor(db, serverId, userId);

export interface Newcomer {
  userId: string;
  /** True if the person asks to join a server that approves new members. */
  asks: boolean;
}

/** The rooms that `enter` changes, except the person’s own room. Call it under the server’s lock. */
export async function roomsToEnter(db: Db, serverId: string, by: Newcomer): Promise<Room[]> {
  const [rooms, changes] = await Promise.all([
    roomsToJoin(db, [serverId]),
    changesRequests(db, serverId, by),
  ]);
  return changes ? [...rooms, ...(await answererRooms(db, serverId))] : rooms;
}

/** The rooms that change when the person’s request ends. Empty if there is none. */
export const roomsOfRequest = async (db: Db, serverId: string, userId: string): Promise<Room[]> =>
  (await hasRequest(db, serverId, userId)) ? answererRooms(db, serverId) : [];

export const hasAsked = (db: Db, serverId: string, userId: string): Promise<boolean> =>
  hasRequest(db, serverId, userId);

/** True if invites are not paused and, for a guest, the server admits guests. */
export const isOpenTo = (door: Door, kind: Account['kind']): boolean =>
  door.pausedUntil === null && (kind !== 'guest' || !door.closedToGuests);

/**
 * Makes a person a member, or stores their request if the server approves new members. Returns the server as it is in
 * their list; undefined if they have to wait. The `roomsToEnter` must be locked.
 */
export async function enter(
  work: RoomTransaction,
  door: Door,
  newcomer: {
    serverId: string;
    user: UsedBy['user'];
    /** Undefined for an account that asks to join the lobby, which it does only if there is room. */
    invitedBy?: string | null;
  },
): Promise<Server | undefined> {
  const { serverId, user, invitedBy } = newcomer;
  if (!door.approval) {
    if (door.isWaiting) await endRequests(work, serverId, [user.id]);
    return addMember(work, { serverId, userId: user.id, role: 'member' });
  }
  if (door.isWaiting) return undefined;
  const byGuest = user.kind === 'guest';
  const request = { serverId, userId: user.id, invitedBy: invitedBy ?? null, byGuest };
  const full = await requestToJoin(work, request);
  if (full !== undefined && invitedBy !== undefined) throw full;
  return undefined;
}

export class InvitesPaused extends ChatError {
  constructor() {
    super('conflict', 'Invites to this server are paused. Try again later.');
  }
}

/** The one-time invite to own a server is never paused. @throws ChatError not_found, InvitesPaused */
export async function requireNotPaused(db: Db, code: string): Promise<void> {
  const invite = await usableInvite(db, code);
  const isPaused = !invite.ownership && (await findPause(db, invite.serverId)) !== undefined;
  if (isPaused) throw new InvitesPaused();
}

export interface UsedBy extends AuditSource {
  user: Pick<Account, 'id' | 'kind'>;
}

interface Using extends UsedBy, Pick<Newcomer, 'asks'> {}

const refusals = {
  device: 'You can’t join this server from this device because of a ban.',
  network: 'Guests can’t join from your network because of a ban. Create an account to join.',
};

/**
 * The transaction must hold the `inviteLocks`, the `roomsByInvite` and the user’s room. Returns the server as it
 * is in the user’s list; undefined if it approves new members, so that the user has to wait, or to ask.
 * @throws ChatError not_found if it is unknown, expired or used up, or if the user is banned there; InvitesPaused for
 * new members during a pause; forbidden for new members from the device of a banned person, and for new guests if the
 * invite or the server does not admit them, or if they come from the network of a banned guest
 */
export async function useInvite(
  work: RoomTransaction,
  code: string,
  from: Using,
): Promise<Server | undefined> {
  const { db } = work;
  const { user } = from;
  const invite = await store.findInvite(db, code);
  const match = invite && (await banMatchOf(db, invite.serverId, user));
  if (invite === undefined || match === 'person') throw notFound();
  const { serverId, ownership } = invite;
  const membership = { serverId, userId: user.id, role: 'member' } as const;
  const owning = ownership && user.kind === 'registered';
  const member = await memberOf(db, serverId, user.id);
  // Already a member, perhaps by the same request a moment ago: takes no use of the invite.
  if (member !== undefined && (!owning || member.role === 'owner'))
    return addMember(work, membership);
  if (owning) {
    await takeOrRefuse(db, code);
    await endRequests(work, serverId, [user.id]);
    const server = await makeOwner(work, membership);
    await recordAudit(db, from, { action: 'server:claimed', serverId });
    return server;
  }
  const door = await findDoor(db, serverId, user.id);
  // A request has already used the invite, which can have ended since.
  if (door === undefined || !(door.isWaiting || (await store.findUsableInvite(db, code))))
    throw notFound();
  if (door.approval && door.isWaiting) return undefined;
  if (!ownership && door.pausedUntil !== null) throw new InvitesPaused();
  if (match !== undefined) throw forbidden(refusals[match]);
  if (user.kind === 'guest' && !(invite.guests && isOpenTo(door, 'guest')))
    throw forbidden('You need an account to join with this link.');
  if (door.approval && !from.asks) return undefined;
  // A guest cannot be the owner: the invite stays valid for a registered user.
  if (!ownership && !door.isWaiting) await takeOrRefuse(db, code);
  return enter(work, door, { serverId, user, invitedBy: invite.createdBy });
}

/** Asks to join, or joins if the server does not approve new members. */
export async function askToJoin(caller: Caller, code: string): Promise<void> {
  const locks = await locksByInvite(caller, code, { asks: true });
  await commit(caller, locks, (work) => useInvite(work, code, { ...caller, asks: true }));
}

/** Deletes the invites of banned people. The transaction must hold the server’s exclusive lock. */
export const endInvitesBy = (db: Db, serverId: string, userIds: string[]): Promise<void> =>
  store.deleteInvitesBy(db, serverId, userIds);

/** Deletes the request of a banned person. The `roomsOfRequest` must be locked. */
export async function endRequestOf(
  work: RoomTransaction,
  serverId: string,
  userId: string,
): Promise<void> {
  await endRequests(work, serverId, [userId]);
}

async function takeOrRefuse(db: Db, code: string): Promise<void> {
  if (!(await store.takeUse(db, code))) throw notFound();
}

/** Creates the invite that makes its user the owner of a server without one. */
export async function inviteOwner(db: Db, serverId: string): Promise<void> {
  await store.insertInvite(db, { code: newCode(20), serverId, maxUses: 1, ownership: true });
}

const claimed = new WeakSet<Instance>();

export async function isUnclaimed({ node: { instance }, db }: Context): Promise<boolean> {
  if (claimed.has(instance)) return false;
  if ((await ownerInvite(db)) !== undefined) return true;
  claimed.add(instance);
  return false;
}

/** The code of the invite that makes its user the owner of the lobby; undefined once the lobby has one. */
export async function ownerInvite(db: Db): Promise<string | undefined> {
  const id = await lobbyId(db);
  return id === undefined ? undefined : store.findOwnershipCode(db, id);
}
