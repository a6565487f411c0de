import { conflict, notFound } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import { Member } from '../../shared/members.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import { peopleMentioned, findPeople } from '../people/people.ts';
import { recordAudit } from '../audit/audit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { actInServer, requirePermission, serverFor, type ServerAccess } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { memberStanding, requireOutrank } from './access.ts';
import { findMembersByLook, findMembersByName } from './nickname-search.ts';
import { countsIn } from './counts.ts';
import { changeMember, endMembership, roomsToNotify } from './members.ts';
import { findMembers } from './store.ts';

export async function listMembers(
  caller: Caller,
  { serverId, after, userIds, query, looksLike, limit = limits.pageDefault }: Parsed<'member:list'>,
): Promise<Output<'member:list'>> {
  const page = await readTransaction(caller.db, async (db) => {
    await serverFor(db, caller, serverId, 'see');
    const page = { after, userIds, limit: limit + 1 };
    let among = userIds;
    if (query) among = await findMembersByName(db, serverId, query, page);
    if (looksLike) among = await findMembersByLook(db, serverId, looksLike, page);
    const found = await findMembers(db, serverId, { ...page, userIds: among });
    const members = found.slice(0, limit);
    return {
      members,
      people: await peopleMentioned(db, members, personIdsIn(Member)),
      presence: caller.node.presence.statuses(members.map(({ userId }) => userId)),
      more: { after: found.length > limit },
    };
  });
  return { ...page, ...(await countsIn(caller, serverId)) };
}

export async function updateMember(
  caller: Caller,
  { serverId, userId, role, nickname }: Parsed<'member:update'>,
): Promise<Member> {
  const room = serverRoom(serverId);
  // Exclusive for a role, because a lost role takes rights with it. A nickname takes none.
  const locks =
    role === undefined
      ? { shared: serverId, rooms: [room] }
      : { exclusive: serverId, rooms: [room, userRoom(userId)] };
  return actInServer(caller, 'see', locks, async (work, access) => {
    const found = await memberStanding(work.db, serverId, userId);
    if (found === undefined) throw notFound();
    const target = found.member;
    if (nickname !== undefined) requireCanRename(access, found);
    if (role !== undefined) await requireCanPromote(work.db, access, target, role);
    const wanted = {
      role: role ?? target.role,
      nickname: nickname === undefined ? target.nickname : nickname,
    };
    if (wanted.role === target.role && wanted.nickname === target.nickname) return target;
    const member = await changeMember(work, { serverId, userId }, wanted);
    const deed = { action: 'member:roleChanged', serverId, userId } as const;
    if (member.role !== target.role)
      await recordAudit(work.db, caller, { ...deed, detail: member.role });
    return member;
  });
}

function requireCanRename(
  me: ServerAccess,
  target: Pick<ServerAccess, 'member' | 'standing'>,
): void {
  const { rights } = me;
  if (target.member.userId === me.member.userId) return requirePermission(rights, 'rename self');
  requirePermission(rights, 'manage members');
  requireOutrank(me, target);
}

async function requireCanPromote(
  db: Db,
  { member: me, rights }: ServerAccess,
  target: Member,
  role: 'moderator' | 'member',
) {
  requirePermission(rights, 'own');
  if (target.userId === me.userId)
    throw conflict('To make someone else the owner, transfer ownership.');
  const { [target.userId]: person } = await findPeople(db, [target.userId]);
  if (role === 'moderator' && person?.kind === 'guest')
    throw conflict('Guests can’t be moderators.');
}

/** Removes a member. They receive no message that is committed afterwards. */
export async function removeMember(
  caller: Caller,
  { serverId, userId }: Parsed<'member:remove'>,
): Promise<Record<string, never>> {
  const locks = { exclusive: serverId, rooms: roomsToNotify(caller.node, serverId, userId) };
  return actInServer(caller, 'manage members', locks, async (work, me) => {
    if (userId === me.member.userId)
      throw conflict('You can’t do this to yourself. Leave the server instead.');
    const target = await memberStanding(work.db, serverId, userId);
    if (target === undefined) throw notFound();
    requireOutrank(me, target);
    await endMembership(work, { serverId, userId, as: 'removed' });
    await recordAudit(work.db, caller, { action: 'member:removed', serverId, userId });
    return {};
  });
}
