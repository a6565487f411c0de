/** Gives custom roles to members, and takes them. */
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import type { Member } from '../../shared/members.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import type { CustomRole } from '../../shared/roles.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import { grantedInChannels } from '../channels/access.ts';
import { addViewer, locksOfHolders, removeViewer } from '../channels/channels.ts';
import { withAccess, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { memberOf, memberStanding, requireOutrank } from '../members/access.ts';
import { changeMember, requireRoleFits } from '../members/members.ts';
import { findPeople } from '../people/people.ts';
import { answersTasks, publishCounts, withCountsOf } from '../tasks/tasks.ts';
import { serverFor, type ServerAccess } from '../servers/access.ts';
import { roleIn } from './roles.ts';

export async function giveRole(caller: Caller, input: Parsed<'role:give'>): Promise<Member> {
  const { serverId, userId, roleId } = input;
  return changeRoles(caller, input, [userId], async (work, target, { name: detail }) => {
    const { roleIds = [] } = target;
    if (roleIds.includes(roleId)) return target;
    const { [userId]: person } = await findPeople(work.db, [userId]);
    if (person?.kind === 'guest') throw conflict('Guests can’t have roles.');
    if (roleIds.length >= quotas.rolesPerMember)
      throw conflict(`A member can have ${quotas.rolesPerMember} roles. Remove one first.`);
    if (roleIds.length === 0) await requireRoleFits(work.db, serverId);
    const deed = { action: 'role:given', serverId, userId, subjectId: roleId, detail } as const;
    await recordAudit(work.db, caller, deed);
    const given = [...roleIds, roleId];
    const member = await changeMember(work, { serverId, userId }, { roleIds: given });
    await addViewer(work, { serverId, roleId }, userId);
    return member;
  });
}

export async function takeRole(caller: Caller, input: Parsed<'role:take'>): Promise<Member> {
  const { serverId, userId, roleId } = input;
  return changeRoles(caller, input, [], async (work, target, { name: detail }) => {
    const { roleIds = [] } = target;
    if (!roleIds.includes(roleId)) return target;
    const deed = { action: 'role:taken', serverId, userId, subjectId: roleId, detail } as const;
    await recordAudit(work.db, caller, deed);
    const rest = roleIds.filter((id) => id !== roleId);
    const member = await changeMember(work, { serverId, userId }, { roleIds: rest });
    await removeViewer(work, { serverId, roleId }, userId);
    return member;
  });
}

const changeRoles = (
  caller: Caller,
  { serverId, userId, roleId }: Parsed<'role:give'>,
  newcomers: string[],
  change: (work: RoomTransaction, target: Member, role: CustomRole) => Promise<Member>,
): Promise<Member> =>
  withAccess(
    caller,
    (db) => serverFor(db, caller, serverId, 'give roles'),
    async () => {
      const locks = await locksOfHolders(caller, { serverId, roleId }, newcomers);
      // Only the room of a member, so that nobody locks a stranger’s.
      return withCountsOf(locks, async (db) =>
        answersTasks(await roleIn(db, serverId, roleId)) && (await memberOf(db, serverId, userId))
          ? [userId]
          : [],
      );
    },
    async (work, me) => {
      const role = await roleIn(work.db, serverId, roleId);
      const found = await memberStanding(work.db, serverId, userId);
      if (found === undefined) throw notFound();
      // A moderator could otherwise keep permissions after a demotion.
      if (userId !== me.member.userId || me.member.role !== 'owner') requireOutrank(me, found);
      await requireAll(work.db, caller, me.rights, role);
      const member = await change(work, found.member, role);
      if (answersTasks(role)) await publishCounts(work, serverId, { userIds: [userId] });
      return member;
    },
  );

/**
 * Requires all that the role gives, so that a bot can’t exceed its scopes and nobody opens a channel that they can’t see.
 * @throws ChatError forbidden
 */
async function requireAll(
  db: Db,
  { user }: Caller,
  rights: ServerAccess['rights'],
  role: CustomRole,
): Promise<void> {
  const { permissions, opensMore } = await grantedInChannels(db, role, user.id);
  if (opensMore || ![...role.permissions, ...permissions].every((one) => rights.has(one)))
    throw forbidden('This role has permissions or private channels that you don’t have.');
}
