import type { Member } from '../../shared/members.ts';
import {
  outranks,
  permissionsIn,
  standingOf,
  type ChannelRules,
  type Permission,
  type Role,
} from '../../shared/permissions.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { roles, type Look } from './roles.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';
import { now } from '../ui/now.ts';
import { largeMembers } from './large-members.svelte.ts';

export const roleWords: Record<Role, string> = {
  owner: 'Owner',
  moderator: 'Moderator',
  member: 'Member',
};

class Members {
  readonly rows = new RowsByRoom<Member>(({ userId }) => userId);

  /** All members; in a large server the staff and those with roles. */
  of(serverId: string): Member[] {
    return [...(this.rows.in(serverRoom(serverId))?.values() ?? [])];
  }

  /** All members that are known here: in a large server the staff, and members that were requested. */
  known(serverId: string): Member[] {
    if (!largeMembers.has(serverId)) return this.of(serverId);
    const staff = this.of(serverId).map(({ userId }) => userId);
    return this.among(serverId, [...new Set([...staff, ...largeMembers.met(serverId)])]);
  }

  get(serverId: string, userId: string): Member | undefined {
    const member = this.rows.in(serverRoom(serverId))?.get(userId);
    return member ?? largeMembers.get(serverId, userId) ?? undefined;
  }

  among(serverId: string, userIds: readonly string[]): Member[] {
    return userIds.flatMap((userId) => this.get(serverId, userId) ?? []);
  }

  count(serverId: string): number {
    return largeMembers.counts(serverId)?.members ?? this.of(serverId).length;
  }

  /** A person's name: in a server the nickname; elsewhere the name that the user gave to a friend, or the own name. */
  nameOf(serverId: string | undefined, userId: string): string {
    if (serverId === undefined) return friendships.nameOf(userId);
    return this.get(serverId, userId)?.nickname ?? people.get(userId).name;
  }

  /** How a server’s roles show a member’s name. */
  lookOf(serverId: string | undefined, userId: string): Look {
    return serverId === undefined ? {} : roles.lookOf(serverId, this.roleIdsOf(serverId, userId));
  }

  /** A large server lists everyone with a role, so an unlisted member has none. */
  roleIdsOf(serverId: string, userId: string): readonly string[] | undefined {
    return this.rows.in(serverRoom(serverId))?.get(userId)?.roleIds;
  }

  /** Whether the server would allow it; the server decides with the same function. */
  canI(
    serverId: string | undefined,
    permission: Permission,
    channel: ChannelRules = { private: false },
  ): boolean {
    const role = serverId && this.myRole(serverId);
    if (!role || !account.you) return false;
    // In a large server it is unknown, because the end of one would be.
    const { timeoutUntil, roleIds } = this.rows.in(serverRoom(serverId))?.get(account.id) ?? {};
    const granted = roles.granted(serverId, roleIds);
    const standing = standingOf({ role, timeoutUntil, roleIds }, granted, timeoutUntil ? now() : 0);
    return permissionsIn(channel, standing, account.you).has(permission);
  }

  /** A large server lists the staff and everyone with a role, so an unlisted user is a plain member. Undefined before the server is entered. */
  myRole(serverId: string): Role | undefined {
    const role = this.rows.in(serverRoom(serverId))?.get(account.id)?.role;
    return role ?? (largeMembers.has(serverId) ? 'member' : undefined);
  }

  canManage(serverId: string, { userId, role, roleIds }: Member): boolean {
    const mine = this.myRole(serverId);
    return (
      userId !== account.id &&
      this.canI(serverId, 'manage members') &&
      !!mine &&
      outranks(
        { role: mine, granted: roles.granted(serverId, this.roleIdsOf(serverId, account.id)) },
        { role, granted: roles.granted(serverId, roleIds) },
      )
    );
  }

  canGiveRoles(serverId: string, member: Member): boolean {
    return member.userId === account.id
      ? this.canI(serverId, 'own')
      : this.canI(serverId, 'give roles') && this.canManage(serverId, member);
  }

  canRename(serverId: string, member: Member): boolean {
    return member.userId === account.id
      ? this.canI(serverId, 'rename self')
      : this.canManage(serverId, member);
  }

  async update(
    serverId: string,
    userId: string,
    what: { role?: 'moderator' | 'member'; nickname?: string | null },
  ) {
    this.take(serverId, (await send('member:update', { serverId, userId, ...what })).member);
  }

  take(serverId: string, member: Member) {
    if (largeMembers.has(serverId)) largeMembers.note(serverId, member.userId, member);
    else this.rows.apply(serverRoom(serverId), [{ row: member }]);
  }
}

export const members = new Members();
