/** Who belongs to a server, what they are called there, and what they may do. */
import type { Member } from '../../shared/members.ts';
import { outranks, permissionsOf, type Permission, type Role } from '../../shared/permissions.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { RowsByRoom } from '../rows.svelte.ts';
import { send } from '../socket.ts';

export const roleWords: Record<Role, string> = {
  owner: 'Owner',
  moderator: 'Moderator',
  member: 'Member',
};

class Members {
  readonly rows = new RowsByRoom<Member>(({ userId }) => userId);

  of(serverId: string): Member[] {
    return [...(this.rows.in(serverRoom(serverId))?.values() ?? [])];
  }

  get(serverId: string, userId: string): Member | undefined {
    return this.rows.in(serverRoom(serverId))?.get(userId);
  }

  /** A nickname is a member's, in its server; elsewhere people have their own name. */
  nameOf(serverId: string, userId: string): string {
    return this.get(serverId, userId)?.nickname ?? people.get(userId).name;
  }

  /** What the server would let me do: the same function decides there. */
  mayI(serverId: string, permission: Permission): boolean {
    const me = this.get(serverId, account.id);
    return !!me && !!account.you && permissionsOf(me.role, account.you).has(permission);
  }

  /** Whether I may remove or ban them. */
  mayManage(serverId: string, { userId, role }: Member): boolean {
    const me = this.get(serverId, account.id);
    return (
      userId !== account.id &&
      this.mayI(serverId, 'manage members') &&
      !!me &&
      outranks(me.role, role)
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
    this.rows.apply(serverRoom(serverId), [{ row: member }]);
  }

  async remove(serverId: string, userId: string) {
    await send('member:remove', { serverId, userId });
  }

  async ban(serverId: string, userId: string) {
    await send('ban:create', { serverId, userId });
  }

  async handOver(serverId: string, userId: string) {
    await send('server:transfer', { serverId, userId });
  }
}

export const members = new Members();
