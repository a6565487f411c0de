/** Changes to roles, apart from their rows, because only the settings need them. */
import type { Input } from '../../shared/protocol.ts';
import type { CustomRole } from '../../shared/roles.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { roles } from './roles.svelte.ts';

export type RoleEdits = Pick<CustomRole, 'name' | 'color' | 'mark' | 'permissions'>;

export async function createRole(serverId: string, edits: RoleEdits): Promise<void> {
  take((await send('role:create', { serverId, ...edits, id: newId() })).role);
}

export async function updateRole(
  { serverId, id }: CustomRole,
  to: Omit<Input<'role:update'>, 'serverId' | 'roleId'>,
): Promise<void> {
  take((await send('role:update', { serverId, roleId: id, ...to })).role);
}

/** Moves it to the place of `others[to]`, or to the end. */
export function placeRole(role: CustomRole, others: readonly CustomRole[], to: number) {
  const position = others[to]?.position ?? (others.at(-1)?.position ?? 0) + 1;
  return updateRole(role, { position });
}

export async function deleteRole({ serverId, id }: CustomRole): Promise<void> {
  await send('role:delete', { serverId, roleId: id });
}

function take(role: CustomRole) {
  roles.rows.apply(serverRoom(role.serverId), [{ row: role }]);
}
