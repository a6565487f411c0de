import { byPlace } from '../../shared/order.ts';
import type { Grantable } from '../../shared/permissions.ts';
import type { RoleColor } from '../../shared/role-colors.ts';
import type { CustomRole } from '../../shared/roles.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';

/** The look of a name: a CSS color, and the role whose emoji is beside it. */
export interface Look {
  color?: string | undefined;
  marked?: CustomRole | undefined;
}

export const colorOf = (color: RoleColor): string => `var(--role-${color})`;

/** The custom roles of servers. */
class Roles {
  readonly rows = new RowsByRoom<CustomRole>(({ id }) => id);

  of(serverId: string): CustomRole[] {
    const rows = this.rows.in(serverRoom(serverId))?.values() ?? [];
    return [...rows].sort(byPlace);
  }

  among(serverId: string, roleIds: readonly string[] = []): CustomRole[] {
    return roleIds.length === 0 ? [] : this.of(serverId).filter(({ id }) => roleIds.includes(id));
  }

  granted(serverId: string, roleIds: readonly string[] | undefined): Grantable[] {
    return this.among(serverId, roleIds).flatMap(({ permissions }) => permissions);
  }

  lookOf(serverId: string, roleIds: readonly string[] | undefined): Look {
    const held = this.among(serverId, roleIds);
    const color = held.find((role) => role.color)?.color;
    return { color: color ? colorOf(color) : undefined, marked: held.find(({ mark }) => mark) };
  }
}

export const roles = new Roles();
