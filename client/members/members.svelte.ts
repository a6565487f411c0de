/** Who belongs to a server, what they are called there, and what they may do. */
import type { Member } from '../../shared/members.ts';
import { permissionsOf, type Permission } from '../../shared/permissions.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { RowsByRoom } from '../rows.svelte.ts';

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
    return !!me && !!account.you && permissionsOf(me.role, account.you.kind).has(permission);
  }
}

export const members = new Members();
