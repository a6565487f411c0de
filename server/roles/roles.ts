/** The custom roles of a server. Its owner defines them; `holders.ts` gives and takes them. */
import { v7 } from 'uuid';
import { conflict, notFound } from '../../shared/failure.ts';
import { lastPlace, moveTo } from '../../shared/order.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import type { CustomRole } from '../../shared/roles.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import { endViewerRole, locksOfHolders } from '../channels/channels.ts';
import { withAccess, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { holdersOf } from '../members/access.ts';
import { takeFromAll } from '../members/members.ts';
import { answerAlike, answersTasks, publishCounts, withManyCounts } from '../tasks/tasks.ts';
import { actInServer, serverFor } from '../servers/access.ts';
import * as store from './store.ts';

/** Called again with the same id and name, it returns the same role. */
export async function createRole(
  caller: Caller,
  { serverId, id = v7(), ...given }: Parsed<'role:create'>,
): Promise<CustomRole> {
  const { name, color = null, mark = null, permissions = [] } = given;
  const room = serverRoom(serverId);
  const locks = { shared: serverId, rooms: [room] };
  return actInServer(caller, 'manage server', locks, async (work) => {
    const all = await store.findRoles(work.db, serverId);
    const stored = all.find((role) => role.id === id && role.name === name);
    if (stored !== undefined) return stored;
    if (all.length >= quotas.rolesPerServer)
      throw conflict(`A server can have ${quotas.rolesPerServer} roles. Delete one first.`);
    requireNewName(all, name);
    const version = work.nextVersion(room);
    const look = { name, color, mark, permissions };
    const made = { id, serverId, ...look, position: lastPlace(all), version };
    const role = await store.insertRole(work.db, made);
    if (role === undefined) throw conflict('This id is taken.');
    work.change(room, { type: 'role:created', version, role });
    const deed = { action: 'role:created', serverId, subjectId: id } as const;
    await recordAudit(work.db, caller, { ...deed, detail: name });
    return role;
  });
}

function requireNewName(others: CustomRole[], name: string): void {
  if (others.some((role) => role.name.toLowerCase() === name.toLowerCase()))
    throw conflict('This server already has a role with this name.');
}

export async function updateRole(
  caller: Caller,
  { serverId, roleId, position, ...to }: Parsed<'role:update'>,
): Promise<CustomRole> {
  const rooms = [serverRoom(serverId)];
  const access = (db: Db) => serverFor(db, caller, serverId, 'manage server');
  const { permissions } = to;
  const affected = async (db: Db) => {
    const role = (await store.findRoles(db, serverId)).find(({ id }) => id === roleId);
    const isSame = role && permissions && answerAlike(role, { permissions });
    return isSame === false ? holdersOf(db, serverId, [roleId]) : [];
  };
  // Exclusive for permissions, because nothing may rely on a lost one after the answer.
  const locks = async () =>
    permissions === undefined
      ? { shared: [serverId], rooms }
      : withManyCounts(caller, { exclusive: [serverId], rooms }, affected);
  return withAccess(caller, access, locks, async (work) => {
    const all = await store.findRoles(work.db, serverId);
    const role = all.find(({ id }) => id === roleId);
    if (role === undefined) throw notFound();
    const others = all.filter((one) => one !== role);
    if (to.name !== undefined) requireNewName(others, to.name);
    const wanted = {
      ...role,
      name: to.name ?? role.name,
      color: to.color === undefined ? role.color : to.color,
      mark: to.mark === undefined ? role.mark : to.mark,
      permissions: to.permissions ?? role.permissions,
    };
    if (position !== undefined) wanted.position = await move(work, others, role, position);
    if (JSON.stringify(wanted) === JSON.stringify(role)) return role;
    const changed = await write(work, wanted);
    if (!answerAlike(changed, role))
      await publishCounts(work, serverId, {
        userIds: await holdersOf(work.db, serverId, [roleId]),
      });
    const deed = { action: 'role:changed', serverId, subjectId: roleId } as const;
    await recordAudit(work.db, caller, { ...deed, detail: changed.name });
    return changed;
  });
}

/** Returns the position in place of the role at `wanted`, and renumbers others if needed. */
async function move(
  work: RoomTransaction,
  others: CustomRole[],
  { position: now }: CustomRole,
  wanted: number,
): Promise<number> {
  const { position, renumbered } = moveTo(others, wanted, now);
  for (const role of renumbered) await write(work, role);
  return position;
}

async function write(work: RoomTransaction, to: CustomRole): Promise<CustomRole> {
  const room = serverRoom(to.serverId);
  const version = work.nextVersion(room);
  const role = await store.updateRole(work.db, { ...to, version });
  work.change(room, { type: 'role:updated', version, role });
  return role;
}

/** Deletes a role, and takes it from everyone who has it. */
export async function deleteRole(
  caller: Caller,
  { serverId, roleId }: Parsed<'role:delete'>,
): Promise<Record<string, never>> {
  const room = serverRoom(serverId);
  const access = (db: Db) => serverFor(db, caller, serverId, 'manage server');
  const affected = async (db: Db) =>
    answersTasks(await roleIn(db, serverId, roleId)) ? holdersOf(db, serverId, [roleId]) : [];
  const locks = async () =>
    withManyCounts(caller, await locksOfHolders(caller, { serverId, roleId }), affected);
  return withAccess(caller, access, locks, async (work) => {
    const role = await roleIn(work.db, serverId, roleId);
    const userIds = answersTasks(role) ? await holdersOf(work.db, serverId, [roleId]) : [];
    await takeFromAll(work, { serverId, roleId });
    await endViewerRole(work, { serverId, roleId });
    if (userIds.length > 0) await publishCounts(work, serverId, { userIds });
    const version = work.nextVersion(room);
    await store.deleteRole(work.db, roleId);
    work.change(room, { type: 'role:deleted', version, roleId });
    const deed = { action: 'role:deleted', serverId, subjectId: roleId } as const;
    await recordAudit(work.db, caller, { ...deed, detail: role.name });
    return {};
  });
}

/** @throws ChatError not_found, also for a role of another server */
export async function roleIn(db: Db, serverId: string, roleId: string): Promise<CustomRole> {
  const role = (await store.findRoles(db, serverId)).find(({ id }) => id === roleId);
  if (role === undefined) throw notFound();
  return role;
}
