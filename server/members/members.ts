import { conflict, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Ban, Member } from '../../shared/members.ts';
import type { Role } from '../../shared/permissions.ts';
import { serverRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { endingsOn } from '../endings.ts';
import { markAllRead } from '../reads/reads.ts';
import { serverItself } from '../servers/access.ts';
import type { Node } from '../caller.ts';
import { fewestOfLarge, isLarge, setLarge } from './large.ts';
import { memberOf, membershipsOf } from './access.ts';
import * as store from './store.ts';
import { countWithRoles, findHolders, takeRole } from './role-store.ts';
import { deleteTimeout } from './timeout-store.ts';
import { findLarge } from './large-store.ts';

interface Membership {
  serverId: string;
  userId: string;
}

/**
 * An existing member stays unchanged. The person’s room and `roomsToJoin` must be locked. Returns the server as the
 * person’s own list has it.
 * @throws ChatError conflict above the number of servers that one person can be in
 */
export async function addMember(
  work: RoomTransaction,
  { serverId, userId, role }: Membership & { role: Role },
): Promise<Server> {
  const { db } = work;
  const [[server], mine, large] = await Promise.all([
    serverItself(db, serverId),
    membershipsOf(db, userId),
    isLarge(db, serverId),
  ]);
  if (server === undefined) throw notFound();
  const known = mine.get(serverId);
  if (known !== undefined) return { ...server, version: known };
  if (mine.size >= quotas.serversPerPerson)
    throw conflict(`One person can be in ${quotas.serversPerPerson} servers. Leave one first.`);
  const isShown = isListed(large, { role });
  const version = isShown ? work.nextVersion(serverRoom(serverId)) : unlistedVersion;
  const userVersion = work.nextVersion(userRoom(userId));
  const [member, read, grows] = await Promise.all([
    store.insertMember(db, { serverId, userId, role, version, userVersion }),
    markAllRead(db, userId, serverId),
    !large && store.hasMembers(db, serverId, work.node.config.PARLEY_LARGE_SERVER + 1),
  ]);
  work.grant({ userId, read });
  const listed = { ...server, version: userVersion };
  if (isShown) work.change(serverRoom(serverId), { type: 'member:joined', version, member });
  work.change(userRoom(userId), { type: 'server:joined', version: userVersion, server: listed });
  if (grows) await setLarge(work, serverId, true);
  return listed;
}

type Listing = Pick<Member, 'role' | 'roleIds'>;

/** True when the server's room lists such a member. A large server's room lists only staff and members with roles. */
const isListed = (large: boolean, { role, roleIds = [] }: Listing) =>
  !large || role !== 'member' || roleIds.length > 0;
/** The version of a row that no room has published. */
const unlistedVersion = 0;

/** The rooms that change when people leave a server. Call it under the server's lock. */
export const roomsToNotify =
  (node: Node, serverId: string, ...userIds: string[]) =>
  async (db: Db): Promise<Room[]> => {
    const left = { serverId, userIds };
    const more = endingsOn(node).map(
      async ({ membership }) => (await membership?.rooms(db, left)) ?? [],
    );
    return [serverRoom(serverId), ...userIds.map(userRoom), ...(await Promise.all(more)).flat()];
  };

/** Ends a membership, and access to every room of the server. The `roomsToNotify` must be locked. */
export async function endMembership(
  work: RoomTransaction,
  { serverId, userId, as, ban }: Membership & { as: 'left' | 'removed'; ban?: Ban },
): Promise<void> {
  const member = (await memberOf(work.db, serverId, userId)) ?? { userId, role: 'member' };
  await endMemberships(work, { serverId, as }, [member], ban && [ban]);
}

/** The same for several people, with few statements. */
export async function endMemberships(
  work: RoomTransaction,
  { serverId, as }: { serverId: string; as: 'left' | 'removed' },
  ended: readonly (Listing & Pick<Member, 'userId'>)[],
  bans: readonly Ban[] = [],
): Promise<void> {
  const { db } = work;
  const room = serverRoom(serverId);
  const large = await isLarge(db, serverId);
  const userIds = ended.map(({ userId }) => userId);
  for (const { userId, ...listing } of ended) {
    if (isListed(large, listing))
      work.change(room, { type: `member:${as}`, version: work.nextVersion(room), userId });
    const version = work.nextVersion(userRoom(userId));
    const ban = bans.find((one) => one.userId === userId);
    const more = ban && { ban: { until: ban.until } };
    work.change(userRoom(userId), { type: `server:${as}`, version, serverId, ...more });
  }
  for (const { membership } of endingsOn(work.node))
    await membership?.end(work, { serverId, userIds, as });
  await store.deleteMembers(db, serverId, userIds);
  for (const userId of userIds) work.revoke({ room, userId });
  if (large && !(await store.hasMembers(db, serverId, fewestOfLarge(work.node.config))))
    await setLarge(work, serverId, false);
}

export const setRole = (
  work: RoomTransaction,
  serverId: string,
  userId: string,
  role: Role,
): Promise<Member> => changeMember(work, { serverId, userId }, { role });

/** Makes a person the owner of a server without one. They need not be a member. */
export async function makeOwner(
  work: RoomTransaction,
  { serverId, userId }: Membership,
): Promise<Server> {
  const isMember = (await memberOf(work.db, serverId, userId)) !== undefined;
  if (isMember) await setRole(work, serverId, userId, 'owner');
  const server = await addMember(work, { serverId, userId, role: 'owner' });
  if (!isMember) await afterRole(work, { serverId, userId });
  return server;
}

async function afterRole(work: RoomTransaction, member: Membership): Promise<void> {
  for (const { role } of endingsOn(work.node)) await role?.(work, member);
}

/** A change of role also requires the lock of the person’s room, because `Ending.role` changes it. */
export async function changeMember(
  work: RoomTransaction,
  { serverId, userId }: Membership,
  to: { role?: Role; nickname?: string | null; roleIds?: string[] },
): Promise<Member> {
  const { db } = work;
  const room = serverRoom(serverId);
  const large = await isLarge(db, serverId);
  const was: Listing = (await memberOf(db, serverId, userId)) ?? { role: 'member' };
  const isKnown = isListed(large, was);
  const staysKnown = isListed(large, { ...was, ...to });
  const { roleIds, ...rest } = to;
  // Stores no roles as null, so that the index of listed members can test for it.
  const stored = { ...rest, ...(roleIds && { roleIds: roleIds.length > 0 ? roleIds : null }) };
  if (!isKnown && !staysKnown) return store.updateMember(db, { serverId, userId }, stored);
  // A moderator, or the owner, is not timed out.
  if ((to.role ?? was.role) !== was.role && to.role !== 'member')
    await deleteTimeout(db, { serverId, userId });
  const version = work.nextVersion(room);
  const member = await store.updateMember(db, { serverId, userId }, { ...stored, version });
  if (staysKnown) work.change(room, { type: 'member:updated', version, member });
  else work.change(room, { type: 'member:unlisted', version, userId });
  if (member.role !== was.role) await afterRole(work, { serverId, userId });
  return member;
}

/** Takes a role from everyone who has it. The lock of the server’s room must be held. */
export async function takeFromAll(
  work: RoomTransaction,
  { serverId, roleId }: { serverId: string; roleId: string },
): Promise<void> {
  const { db } = work;
  const room = serverRoom(serverId);
  const large = await isLarge(db, serverId);
  const userIds = await findHolders(db, serverId, [roleId]);
  const versions = new Map(userIds.map((userId) => [userId, work.nextVersion(room)]));
  for (const member of await takeRole(db, { serverId, roleId }, versions)) {
    const { userId, version } = member;
    if (isListed(large, member)) work.change(room, { type: 'member:updated', version, member });
    else work.change(room, { type: 'member:unlisted', version, userId });
  }
}

/** @throws ChatError conflict if the limit of members with roles is reached */
export async function requireRoleFits(db: Db, serverId: string): Promise<void> {
  if ((await countWithRoles(db, serverId)) >= quotas.membersWithRoles)
    throw conflict(`Up to ${quotas.membersWithRoles} members of a server can have roles.`);
}

export async function listedMembers(db: Db, serverId: string, page: Page = {}): Promise<Member[]> {
  const large = await isLarge(db, serverId);
  return large ? store.findStaff(db, serverId, page) : store.findMembers(db, serverId, page);
}

/** The servers of these people, each with those of them who are in it. */
export const serversOfMany = async (db: Db, userIds: string[]): Promise<Map<string, string[]>> =>
  byServer(await store.findMemberships(db, userIds));

/** Like `serversOfMany`, for servers whose room lists the people. */
export async function serversThatKnow(
  { ownDb: db, large }: Pick<Node, 'ownDb' | 'large'>,
  userIds: string[],
): Promise<Map<string, string[]>> {
  const memberships = await store.findMemberships(db, userIds);
  return byServer(memberships.filter(({ serverId, isStaff }) => isStaff || !large.has(serverId)));
}

function byServer(memberships: Membership[]): Map<string, string[]> {
  const together = new Map<string, string[]>();
  for (const { serverId, userId } of memberships)
    together.set(serverId, [...(together.get(serverId) ?? []), userId]);
  return together;
}

/** The rooms that a join changes: none for a large server, so that joins do not wait for each other. */
export async function roomsToJoin(db: Db, serverIds: string[]): Promise<Room[]> {
  const large = await findLarge(db, serverIds);
  return serverIds.filter((id) => !large.includes(id)).map(serverRoom);
}
