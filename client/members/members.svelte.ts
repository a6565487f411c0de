/** Who belongs to a server, what they are called there, and what they may do. */
import type { Member } from '../../shared/members.ts';
import { outranks, permissionsOf, type Permission, type Role } from '../../shared/permissions.ts';
import type { Input } from '../../shared/protocol.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';
import { crowds } from './large-members.svelte.ts';

export const roleWords: Record<Role, string> = {
  owner: 'Owner',
  moderator: 'Moderator',
  member: 'Member',
};

class Members {
  readonly rows = new RowsByRoom<Member>(({ userId }) => userId);

  /** Everyone; of a large server the staff. */
  of(serverId: string): Member[] {
    return [...(this.rows.in(serverRoom(serverId))?.values() ?? [])];
  }

  /** Everyone of whom something is known: of a large server the staff, and whom one has met. */
  known(serverId: string): Member[] {
    if (!crowds.has(serverId)) return this.of(serverId);
    const staff = this.of(serverId).map(({ userId }) => userId);
    return this.among(serverId, [...new Set([...staff, ...crowds.met(serverId)])]);
  }

  get(serverId: string, userId: string): Member | undefined {
    const told = this.rows.in(serverRoom(serverId))?.get(userId);
    return told ?? crowds.get(serverId, userId) ?? undefined;
  }

  /** Those of these people of whom something is known. */
  among(serverId: string, userIds: readonly string[]): Member[] {
    return userIds.flatMap((userId) => this.get(serverId, userId) ?? []);
  }

  count(serverId: string): number {
    return crowds.counts(serverId)?.members ?? this.of(serverId).length;
  }

  /** A nickname is a member's, in its server; elsewhere people are called what I call my friends, or their own name. */
  nameOf(serverId: string | undefined, userId: string): string {
    if (serverId === undefined) return friendships.nameOf(userId);
    return this.get(serverId, userId)?.nickname ?? people.get(userId).name;
  }

  /** What the server would let me do: the same function decides there. */
  mayI(serverId: string | undefined, permission: Permission): boolean {
    const role = serverId === undefined ? undefined : this.#myRole(serverId);
    return !!role && !!account.you && permissionsOf(role, account.you).has(permission);
  }

  /** All who are more than a member of a large server are told of. */
  #myRole(serverId: string): Role | undefined {
    const told = this.rows.in(serverRoom(serverId))?.get(account.id)?.role;
    return told ?? (crowds.has(serverId) ? 'member' : undefined);
  }

  /** Whether I may remove or ban them. */
  mayManage(serverId: string, { userId, role }: Member): boolean {
    const mine = this.#myRole(serverId);
    return (
      userId !== account.id &&
      this.mayI(serverId, 'manage members') &&
      !!mine &&
      outranks(mine, role)
    );
  }

  mayRename(serverId: string, member: Member): boolean {
    return member.userId === account.id
      ? this.mayI(serverId, 'rename self')
      : this.mayManage(serverId, member);
  }

  async update(
    serverId: string,
    userId: string,
    what: { role?: 'moderator' | 'member'; nickname?: string | null },
  ) {
    const { member } = await send('member:update', { serverId, userId, ...what });
    if (crowds.has(serverId)) crowds.note(serverId, userId, member);
    else this.rows.apply(serverRoom(serverId), [{ row: member }]);
  }

  async remove(serverId: string, userId: string) {
    await send('member:remove', { serverId, userId });
    if (crowds.has(serverId)) crowds.note(serverId, userId, null);
  }

  async ban(
    serverId: string,
    userId: string,
    terms: Pick<Input<'ban:create'>, 'bots' | 'reason' | 'seconds' | 'deleteMessages'>,
  ) {
    await send('ban:create', { serverId, userId, ...terms });
    if (crowds.has(serverId)) crowds.note(serverId, userId, null);
  }
}

export const members = new Members();
