import type { Account } from '../../shared/accounts.ts';
import { ChatError, forbidden, notFound } from '../../shared/failure.ts';
import type { InvitePreview } from '../../shared/invites.ts';
import { serverRoom, type Room } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { findPeople } from '../people/people.ts';
import type { Instance } from '../node/instance.ts';
import { recordAudit, type AuditSource } from '../audit/audit.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { RightLocks } from '../database/locks.ts';
import { banMatchOf, memberOf } from '../members/access.ts';
import { countsOf } from '../members/counts.ts';
import { addMember, makeOwner, roomsToJoin } from '../members/members.ts';
import { lobbyId, serverItself } from '../servers/access.ts';
import type { Context } from '../caller.ts';
import { newCode } from './code.ts';
import { findDoor, findPause } from './pause-store.ts';
import * as store from './store.ts';

/** In smaller servers the number of people online is not shown, because it would reveal which people are online. */
const fewestCounted = 10;

/** For anyone with the code. @throws ChatError not_found, alike if unknown, expired, used up, or `user` is banned */
export async function previewInvite(
  context: Context,
  code: string,
  user?: Pick<Account, 'id' | 'kind'>,
): Promise<InvitePreview> {
  const { db } = context;
  const invite = await store.findUsableInvite(db, code);
  if (invite === undefined) throw notFound();
  const [server] = await serverItself(db, invite.serverId);
  const match = user && (await banMatchOf(db, invite.serverId, user));
  if (server === undefined || match === 'person') throw notFound();
  const { members, online } = await countsOf(context, server.id);
  const invitedBy = await nameIn(db, server.id, invite.createdBy);
  const pausedUntil = invite.ownership ? undefined : await findPause(db, server.id);
  return {
    code,
    server: {
      ...{ id: server.id, name: server.name, memberCount: members },
      ...(server.icon !== undefined && { icon: server.icon }),
      ...(members >= fewestCounted && { onlineCount: online }),
    },
    ...(invitedBy !== undefined && { invitedBy }),
    ownership: invite.ownership,
    guests: invite.guests && server.closedToGuests !== true,
    ...(pausedUntil !== undefined && { pausedUntil: pausedUntil.toISOString() }),
    ...(match !== undefined && !invite.ownership && { banned: match }),
  };
}

async function nameIn(db: Db, serverId: string, id: string | null): Promise<string | undefined> {
  const member = id === null ? undefined : await memberOf(db, serverId, id);
  if (member === undefined) return undefined;
  return member.nickname ?? (await findPeople(db, [member.userId]))[member.userId]?.name;
}

/** A usable invite. @throws ChatError not_found */
export async function usableInvite(db: Db, code: string): Promise<store.StoredInvite> {
  const invite = await store.findUsableInvite(db, code);
  if (invite === undefined) throw notFound();
  return invite;
}

/** Any invite, also a used-up one: members can use it without effect. @throws ChatError not_found */
export async function knownInvite(db: Db, code: string): Promise<store.StoredInvite> {
  const invite = await store.findInvite(db, code);
  if (invite === undefined) throw notFound();
  return invite;
}

/** The lock that using an invite takes: exclusive for a new owner, because others rely on the list of staff. */
export const inviteLocks = ({ serverId, ownership }: store.StoredInvite): RightLocks =>
  ownership ? { exclusive: [serverId] } : { shared: [serverId] };

/** The rooms that using an invite changes, besides the user's own. A new owner is published to the whole server. */
export async function roomsByInvite(db: Db, code: string): Promise<Room[]> {
  const invite = await store.findInvite(db, code);
  if (invite === undefined) throw notFound();
  return invite.ownership ? [serverRoom(invite.serverId)] : roomsToJoin(db, [invite.serverId]);
}

/** True if invites are not paused and, for a guest, the server admits guests. */
export async function isOpenTo(db: Db, serverId: string, kind: Account['kind']): Promise<boolean> {
  const door = await findDoor(db, serverId);
  return door?.isPaused === false && (kind !== 'guest' || !door.closedToGuests);
}

export class InvitesPaused extends ChatError {
  constructor() {
    super('conflict', 'Invites to this server are paused. Try again later.');
  }
}

/** The one-time invite to own a server is never paused. @throws ChatError not_found, InvitesPaused */
export async function requireNotPaused(db: Db, code: string): Promise<void> {
  const invite = await store.findUsableInvite(db, code);
  if (invite === undefined) throw notFound();
  const isPaused = !invite.ownership && (await findPause(db, invite.serverId)) !== undefined;
  if (isPaused) throw new InvitesPaused();
}

export interface UsedBy extends AuditSource {
  user: Pick<Account, 'id' | 'kind'>;
}

const refusals = {
  device: 'You can’t join this server from this device because of a ban.',
  network: 'Guests can’t join from your network because of a ban. Create an account to join.',
};

/**
 * The transaction must hold the `inviteLocks`, the `roomsByInvite` and the user’s room. Returns the server as it
 * is in the user’s list.
 * @throws ChatError not_found if it is unknown, expired or used up, or if the user is banned there; InvitesPaused for
 * new members during a pause; forbidden for new members from the device of a banned person, and for new guests if the
 * invite or the server does not admit them, or if they come from the network of a banned guest
 */
export async function useInvite(
  work: RoomTransaction,
  code: string,
  from: UsedBy,
): Promise<Server> {
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
    const server = await makeOwner(work, membership);
    await recordAudit(db, from, { action: 'server:claimed', serverId });
    return server;
  }
  await requireNotPaused(db, code);
  if (match !== undefined) throw forbidden(refusals[match]);
  if (user.kind === 'guest' && !(invite.guests && (await isOpenTo(db, serverId, 'guest'))))
    throw forbidden('You need an account to join with this link.');
  // A guest cannot be the owner: the invite stays valid for a registered user.
  if (!ownership) await takeOrRefuse(db, code);
  return addMember(work, membership);
}

/** Deletes the invites of banned people. The transaction must hold the server's exclusive lock. */
export const endInvitesBy = (db: Db, serverId: string, userIds: string[]): Promise<void> =>
  store.deleteInvitesBy(db, serverId, userIds);

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
