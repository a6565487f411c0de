import type { Member } from '../../shared/members.ts';
import {
  outranks,
  permissionsIn,
  type ChannelRules,
  type Permission,
  type Role,
} from '../../shared/permissions.ts';
import type { Input } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';
import { largeMembers } from './large-members.svelte.ts';

export const roleWords: Record<Role, string> = {
  owner: 'Owner',
  moderator: 'Moderator',
  member: 'Member',
};

class Members {
  readonly rows = new RowsByRoom<Member>(({ userId }) => userId);

  /** All members; in a large server the staff. */
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

  /** Whether the server would allow it; the server decides with the same function. */
  canI(
    serverId: string | undefined,
    permission: Permission,
    channel: ChannelRules = { private: false },
  ): boolean {
    const role = serverId === undefined ? undefined : this.myRole(serverId);
    return !!role && !!account.you && permissionsIn(channel, role, account.you).has(permission);
  }

  /** A large server lists everyone with a role above member, so an unlisted user is a plain member. Undefined before the server is entered. */
  myRole(serverId: string): Role | undefined {
    const role = this.rows.in(serverRoom(serverId))?.get(account.id)?.role;
    return role ?? (largeMembers.has(serverId) ? 'member' : undefined);
  }

  canManage(serverId: string, { userId, role }: Member): boolean {
    const mine = this.myRole(serverId);
    return (
      userId !== account.id &&
      this.canI(serverId, 'manage members') &&
      !!mine &&
      outranks(mine, role)
    );
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
    const { member } = await send('member:update', { serverId, userId, ...what });
    if (largeMembers.has(serverId)) largeMembers.note(serverId, userId, member);
    else this.rows.apply(serverRoom(serverId), [{ row: member }]);
  }

  async remove(serverId: string, userId: string) {
    await send('member:remove', { serverId, userId });
    if (largeMembers.has(serverId)) largeMembers.note(serverId, userId, null);
  }

  async ban(
    serverId: string,
    userId: string,
    terms: Pick<Input<'ban:create'>, 'bots' | 'reason' | 'seconds' | 'deleteMessages'>,
  ) {
    await send('ban:create', { serverId, userId, ...terms });
    if (largeMembers.has(serverId)) largeMembers.note(serverId, userId, null);
  }
}

export const members = new Members();
