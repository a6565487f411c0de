/** Gives custom roles to members, and takes them. */
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import type { Member } from '../../shared/members.ts';
import type { Grantable } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import type { CustomRole } from '../../shared/roles.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import { grantedInChannels } from '../channels/access.ts';
import type { RoomTransaction } from '../commit.ts';
import { memberOf, requireOutrank } from '../members/access.ts';
import { changeMember, requireRoleFits } from '../members/members.ts';
import { findPeople } from '../people/people.ts';
import { actInServer, type LockPlan, type ServerAccess } from '../servers/access.ts';
import { roleIn } from './roles.ts';

export async function giveRole(caller: Caller, input: Parsed<'role:give'>): Promise<Member> {
  const { serverId, userId, roleId } = input;
  const locks = { shared: serverId, rooms: [serverRoom(serverId)] };
  return changeRoles(caller, input, locks, async (work, target, { name: detail }) => {
    const { roleIds = [] } = target;
    if (roleIds.includes(roleId)) return target;
    const { [userId]: person } = await findPeople(work.db, [userId]);
    if (person?.kind === 'guest') throw conflict('Guests can’t have roles.');
    if (roleIds.length >= quotas.rolesPerMember)
      throw conflict(`A member can have ${quotas.rolesPerMember} roles. Remove one first.`);
    if (roleIds.length === 0) await requireRoleFits(work.db, serverId);
    const deed = { action: 'role:given', serverId, userId, subjectId: roleId, detail } as const;
    await recordAudit(work.db, caller, deed);
    return changeMember(work, { serverId, userId }, { roleIds: [...roleIds, roleId] });
  });
}

export async function takeRole(caller: Caller, input: Parsed<'role:take'>): Promise<Member> {
  const { serverId, userId, roleId } = input;
  // Exclusive, because nothing may rely on a lost permission after the answer.
  const locks = { exclusive: serverId, rooms: [serverRoom(serverId)] };
  return changeRoles(caller, input, locks, async (work, target, { name: detail }) => {
    const { roleIds = [] } = target;
    if (!roleIds.includes(roleId)) return target;
    const deed = { action: 'role:taken', serverId, userId, subjectId: roleId, detail } as const;
    await recordAudit(work.db, caller, deed);
    const rest = roleIds.filter((id) => id !== roleId);
    return changeMember(work, { serverId, userId }, { roleIds: rest });
  });
}

const changeRoles = (
  caller: Caller,
  { serverId, userId, roleId }: Parsed<'role:give'>,
  locks: LockPlan,
  change: (work: RoomTransaction, target: Member, role: CustomRole) => Promise<Member>,
): Promise<Member> =>
  actInServer(caller, 'manage members', locks, async (work, { member: me, rights }) => {
    const role = await roleIn(work.db, serverId, roleId);
    const target = await memberOf(work.db, serverId, userId);
    if (target === undefined) throw notFound();
    // A moderator could otherwise keep permissions after a demotion.
    if (userId !== me.userId || me.role !== 'owner') requireOutrank(me, target);
    requireAll(rights, [...role.permissions, ...(await grantedInChannels(work.db, role))]);
    return change(work, target, role);
  });

/** So a bot can’t give its owner more than its token’s scopes allow. @throws ChatError forbidden */
function requireAll(rights: ServerAccess['rights'], permissions: Grantable[]): void {
  if (!permissions.every((permission) => rights.has(permission)))
    throw forbidden('This role has permissions that you don’t have.');
}
