/** How people with an invite get to see it and its server. */
import type { Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import type { InvitePreview } from '../../shared/invites.ts';
import type { Context } from '../caller.ts';
import type { Db } from '../database/database.ts';
import { banMatchOf, memberOf } from '../members/access.ts';
import { countsOf } from '../members/counts.ts';
import { findPeople } from '../people/people.ts';
import { serverItself } from '../servers/access.ts';
import { findDoor } from './pause-store.ts';
import { hasRequest } from './request-store.ts';
import * as store from './store.ts';

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

/** In smaller servers the number of people online is not shown, because it would reveal which people are online. */
const fewestCounted = 10;

/** For anyone with the code. @throws ChatError not_found, alike if unknown, expired, used up, or `user` is banned */
export async function previewInvite(
  context: Context,
  code: string,
  user?: Pick<Account, 'id' | 'kind'>,
): Promise<InvitePreview> {
  const { db } = context;
  const usable = await store.findUsableInvite(db, code);
  const invite = usable ?? (user && (await inviteAskedBy(db, code, user)));
  if (invite === undefined) throw notFound();
  const [server] = await serverItself(db, invite.serverId);
  const match = user && (await banMatchOf(db, invite.serverId, user));
  if (server === undefined || match === 'person') throw notFound();
  const { members, online } = await countsOf(context, server.id);
  const invitedBy = await nameIn(db, server.id, invite.createdBy);
  const door = invite.ownership ? undefined : await findDoor(db, server.id, user?.id);
  const pausedUntil = door?.pausedUntil ?? undefined;
  return {
    code,
    server: {
      ...{ id: server.id, name: server.name, memberCount: members },
      ...(usable && server.icon !== undefined && { icon: server.icon }),
      ...(members >= fewestCounted && { onlineCount: online }),
    },
    ...(invitedBy !== undefined && { invitedBy }),
    ownership: invite.ownership,
    guests: invite.guests && server.closedToGuests !== true,
    approval: door?.approval === true,
    requested: door?.isWaiting === true,
    ...(pausedUntil !== undefined && { pausedUntil: pausedUntil.toISOString() }),
    ...(match !== undefined && !invite.ownership && { banned: match }),
  };
}

/** Any invite to a server that this person asked to join, so that they see that they wait after it has ended. */
async function inviteAskedBy(
  db: Db,
  code: string,
  { id }: Pick<Account, 'id'>,
): Promise<store.StoredInvite | undefined> {
  const known = await store.findInvite(db, code);
  const isWaiting = known?.ownership === false && (await hasRequest(db, known.serverId, id));
  return isWaiting ? known : undefined;
}

async function nameIn(db: Db, serverId: string, id: string | null): Promise<string | undefined> {
  const member = id === null ? undefined : await memberOf(db, serverId, id);
  if (member === undefined) return undefined;
  return member.nickname ?? (await findPeople(db, [member.userId]))[member.userId]?.name;
}
