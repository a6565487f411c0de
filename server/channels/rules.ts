/** Checks and audits changes to a channel’s rules: privacy, announcements, slow mode and role permissions. */
import type { Channel } from '../../shared/channels.ts';
import { notFound } from '../../shared/failure.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { requirePermission } from '../servers/access.ts';
import { countRoles } from './access-store.ts';

type Rules = Pick<
  Parsed<'channel:update'>,
  'private' | 'announcements' | 'slowSeconds' | keyof RoleRules
>;
type RoleRules = Pick<Parsed<'channel:update'>, 'senderRoleIds' | 'callerRoleIds'>;

/**
 * Requires that the caller defines roles, and that new ones in the lists exist.
 * @throws ChatError forbidden, or not_found if a role is not in the server
 */
export async function requireRoles(
  db: Db,
  { serverId, ...channel }: Channel,
  rights: ReadonlySet<Permission>,
  { senderRoleIds, callerRoleIds }: RoleRules,
): Promise<void> {
  if (senderRoleIds === undefined && callerRoleIds === undefined) return;
  requirePermission(rights, 'manage server');
  const known = [...(channel.senderRoleIds ?? []), ...(channel.callerRoleIds ?? [])];
  const wanted = inOrder([...(senderRoleIds ?? []), ...(callerRoleIds ?? [])]);
  const added = wanted.filter((id) => !known.includes(id));
  if (added.length > 0 && (await countRoles(db, serverId, added)) < added.length) throw notFound();
}

/** Each id once, so that equal lists are stored alike. */
export const inOrder = (ids: string[]): string[] => [...new Set(ids)].sort();

export async function recordRules(
  { db }: RoomTransaction,
  caller: Caller,
  { id, serverId, ...was }: Channel,
  to: Rules,
): Promise<void> {
  const deed = { serverId, subjectId: id };
  if (to.private !== undefined && to.private !== was.private) {
    const action = to.private ? 'channel:closed' : 'channel:opened';
    await recordAudit(db, caller, { action, ...deed });
  }
  if (to.announcements !== undefined && to.announcements !== (was.announcements === true)) {
    const action = to.announcements ? 'channel:announcementsOn' : 'channel:announcementsOff';
    await recordAudit(db, caller, { action, ...deed });
  }
  if (to.slowSeconds !== undefined && to.slowSeconds !== (was.slowSeconds ?? 0)) {
    const action = 'channel:slowModeSet';
    await recordAudit(db, caller, { action, ...deed, detail: String(to.slowSeconds) });
  }
  const differs = (to: string[] | undefined, was: string[] = []) =>
    to !== undefined && inOrder(to).join() !== was.join();
  if (differs(to.senderRoleIds, was.senderRoleIds) || differs(to.callerRoleIds, was.callerRoleIds))
    await recordAudit(db, caller, { action: 'channel:rolesSet', ...deed });
}
