import type { Account } from '../../shared/accounts.ts';
import { forbidden, notFound, type ChatError } from '../../shared/failure.ts';
import type { Member } from '../../shared/members.ts';
import {
  grantable,
  permissionsOf,
  timedOutRights,
  type Permission,
  type Standing,
} from '../../shared/permissions.ts';
import type { Server } from '../../shared/servers.ts';
import { withAccess, type Locks, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { memberStanding, ownerOf, standingsIn } from '../members/access.ts';
import type { Caller } from '../caller.ts';
import { findServer, findServerOfSetting, findServers } from './store.ts';

export interface ServerAccess {
  server: Server;
  member: Member;
  standing: Standing;
  rights: ReadonlySet<Permission>;
}

/** The lock for an action in a server: shared if it uses a right there, exclusive if it can end one. */
export type LockPlan = ({ shared: string } | { exclusive: string }) & Pick<Locks, 'rooms'>;

/** The only way to a server. @throws ChatError not_found to non-members, forbidden to members without the permission */
export async function serverFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  serverId: string,
  permission: Permission,
): Promise<ServerAccess> {
  const found = await memberStanding(db, serverId, caller.user.id);
  const server = found && (await findServer(db, serverId));
  if (found === undefined || server === undefined) throw notFound();
  const rights = permissionsOf(found.standing, caller.user);
  requirePermission(rights, permission);
  return { server, member: found.member, standing: found.standing, rights };
}

/** The ones of these servers that the caller can see, each with its scope. Uses a fixed number of statements. */
export async function serversSeenBy(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  serverIds: string[],
): Promise<Map<string, string>> {
  const wanted = serverIds.map((serverId) => ({ userId: user.id, serverId }));
  const standingIn = await standingsIn(db, wanted);
  const seen = serverIds.filter((id) => {
    const standing = standingIn(user.id, id);
    return standing !== undefined && permissionsOf(standing, user).has('see');
  });
  return new Map((await findServers(db, seen)).map(({ id }) => [id, id]));
}

/** @throws ChatError forbidden, naming who has the permission */
export function requirePermission(rights: ReadonlySet<Permission>, permission: Permission): void {
  if (!rights.has(permission)) throw refusalOf(permission, rights);
}

/** Returns the error for a permission that is not among the rights. Its text names the time-out, if there is one. */
export const refusalOf = (permission: Permission, rights: ReadonlySet<Permission>): ChatError =>
  forbidden(
    rights === timedOutRights
      ? 'You’re timed out in this server for now.'
      : refusalText(permission),
  );

function refusalText(permission: Permission): string {
  if (permission === 'send' || permission === 'send at once' || permission === 'use any words')
    return 'You can’t write here.';
  if (permission === 'react') return 'You can’t react here.';
  if (permission === 'pin messages') return 'You can’t pin messages here.';
  if (permission === 'invite') return 'Guests can’t invite people. Create an account first.';
  if (permission === 'own' || permission === 'manage server') return 'Only the owner can do this.';
  if (grantable.some((one) => one === permission))
    return 'Only the owner, moderators and members with a role that allows it can do this.';
  return 'Only moderators and the owner can do this.';
}

export function actInServer<T>(
  caller: Caller,
  permission: Permission,
  plan: LockPlan,
  work: (work: RoomTransaction, access: ServerAccess) => Promise<T>,
): Promise<T> {
  const { rooms } = plan;
  const serverId = 'exclusive' in plan ? plan.exclusive : plan.shared;
  const locks =
    'exclusive' in plan ? { exclusive: [serverId], rooms } : { shared: [serverId], rooms };
  return withAccess(
    caller,
    (db) => serverFor(db, caller, serverId, permission),
    () => locks,
    work,
  );
}

/** The servers slice of a server's room: the server itself. */
export async function serverItself(db: Db, serverId: string): Promise<Server[]> {
  const server = await findServer(db, serverId);
  return server === undefined ? [] : [server];
}

/** Names of any servers that exist, for the owner of the instance. */
export async function namesOfServers(db: Db, serverIds: string[]): Promise<Record<string, string>> {
  const ids = [...new Set(serverIds)];
  const found = ids.length === 0 ? [] : await findServers(db, ids);
  return Object.fromEntries(found.map(({ id, name }) => [id, name]));
}

export const lobbySetting = 'lobby_id';

/** The server that new accounts join. Undefined if it was deleted or never created. */
export const lobbyId = (db: Db): Promise<string | undefined> =>
  findServerOfSetting(db, lobbySetting);

/** True when this person owns Lobby, and so the instance. Nobody does if there is no Lobby. */
export async function ownsInstance(db: Db, user: Pick<Account, 'id'>): Promise<boolean> {
  const id = await lobbyId(db);
  return id !== undefined && (await ownerOf(db, id)) === user.id;
}
