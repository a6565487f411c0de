import { conflict, notFound } from '../../shared/failure.ts';
import { Invite } from '../../shared/invites.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Member } from '../../shared/members.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { findPeople } from '../people/people.ts';
import { recordAudit } from '../audit/audit.ts';
import { commit } from '../commit.ts';
import { actInServer, requirePermission, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { newCode } from './code.ts';
import { knownInvite } from './access.ts';
import { findPause } from './pause-store.ts';
import * as store from './store.ts';

/** On the usual terms, returns the caller’s own of the last day, so that looking at the link creates no other. */
export async function createInvite(
  caller: Caller,
  input: Parsed<'invite:create'>,
): Promise<Invite> {
  const { serverId, expiresInSeconds, maxUses, guests = true } = input;
  const locks = { shared: serverId, rooms: [serverRoom(serverId)] };
  return actInServer(caller, 'invite', locks, async ({ db }, { member, rights }) => {
    const usable = await store.findUsableInvites(db, serverId);
    const same = canShare(input) && usable.find(isOfToday(member));
    if (same) return same;
    requireShare(member, rights, usable);
    const expiresAt =
      expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1_000);
    const createdBy = caller.user.id;
    const code = newCode(12);
    const made = { code, serverId, createdBy, expiresAt, maxUses: maxUses ?? null, guests };
    const invite = await store.insertInvite(db, made);
    await store.deleteLongEnded(db, serverId);
    const deed = { action: 'invite:created', serverId } as const;
    await recordAudit(db, caller, { ...deed, detail: beginningOf(code) });
    return invite;
  });
}

const canShare = ({ expiresInSeconds, maxUses, guests, another }: Parsed<'invite:create'>) =>
  expiresInSeconds === limits.usualInviteSeconds &&
  maxUses === undefined &&
  guests !== false &&
  another !== true;

/** On the usual terms. Allows a minute, because a node’s clock sets `expiresAt` and the database’s `createdAt`. */
const isOfToday =
  ({ userId }: Member) =>
  ({ createdBy, createdAt, expiresAt, maxUses, guests }: Invite) => {
    if (createdBy !== userId || maxUses !== null || expiresAt === null || !guests) return false;
    const lasts = Date.parse(expiresAt) - Date.parse(createdAt);
    const isSame = Math.abs(lasts - limits.usualInviteSeconds * 1_000) < 60_000;
    return isSame && Date.now() - Date.parse(createdAt) < 86_400_000;
  };

/** A share for each member, and the last few for staff, so that nobody uses them all up. @throws ChatError conflict */
function requireShare(member: Member, rights: ReadonlySet<Permission>, usable: Invite[]): void {
  const { invitesPerServer, invitesPerMember, invitesForStaff } = quotas;
  const isStaff = rights.has('manage invites');
  const own = usable.filter(({ createdBy }) => createdBy === member.userId);
  if (!isStaff && own.length >= invitesPerMember)
    throw conflict(
      `A member can have ${invitesPerMember} invites at a time. Delete one of yours first.`,
    );
  if (usable.length >= (isStaff ? invitesPerServer : invitesPerServer - invitesForStaff))
    throw conflict(
      isStaff
        ? `A server can have ${invitesPerServer} invites at a time. Delete one first.`
        : 'This server has as many invites as it can have. Ask a moderator to delete one.',
    );
}

export async function listInvites(
  caller: Caller,
  { serverId }: Parsed<'invite:list'>,
): Promise<Output<'invite:list'>> {
  const { db } = caller;
  await serverFor(db, caller, serverId, 'manage invites');
  const invites = await store.findUsableInvites(db, serverId);
  const pausedUntil = (await findPause(db, serverId))?.toISOString() ?? null;
  const people = await findPeople(db, invites.flatMap(personIdsIn(Invite)));
  return { invites, people, pausedUntil };
}

export async function deleteInvite(
  caller: Caller,
  { code }: Parsed<'invite:delete'>,
): Promise<Record<string, never>> {
  const { serverId } = await knownInvite(caller.db, code);
  return commit(caller, { shared: [serverId], rooms: [] }, async ({ db }) => {
    const invite = await store.findInvite(db, code);
    if (invite === undefined) throw notFound();
    const { member, rights } = await serverFor(db, caller, serverId, 'see');
    if (invite.createdBy !== member.userId) requirePermission(rights, 'manage invites');
    await store.deleteInvite(db, code);
    const deed = { action: 'invite:deleted', serverId, userId: invite.createdBy } as const;
    await recordAudit(db, caller, { ...deed, detail: beginningOf(code) });
    return {};
  });
}

/** Distinguishes codes in the audit log, and is no valid code. */
const beginningOf = (code: string) => `${code.slice(0, 4)}…`;
