/** Checks and audits changes to a channel’s rules: privacy, announcements, slow mode and role permissions. */
import type { Channel, PrivateChannel } from '../../shared/channels.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../caller.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { countRoles } from './access-store.ts';

type Rules = Pick<
  Parsed<'channel:update'>,
  'private' | 'announcements' | 'slowSeconds' | keyof RoleRules
>;
type RoleLists = Pick<PrivateChannel, 'senderRoleIds' | 'callerRoleIds' | 'viewerRoleIds'>;
export type RoleRules = Pick<
  Parsed<'channel:update'>,
  'senderRoleIds' | 'callerRoleIds' | 'viewerRoleIds'
>;

/** Requires that new roles in the lists exist. @throws ChatError not_found if a role is not in the server */
export async function requireRoles(
  db: Db,
  { serverId, ...was }: Pick<Channel, 'serverId'> & Partial<RoleLists>,
  { senderRoleIds, callerRoleIds, viewerRoleIds }: RoleRules,
): Promise<void> {
  const lists = [senderRoleIds, callerRoleIds, viewerRoleIds].filter((list) => list !== undefined);
  if (lists.length === 0) return;
  const known = [was.senderRoleIds, was.callerRoleIds, was.viewerRoleIds].flat();
  const wanted = inOrder(lists.flat());
  const added = wanted.filter((id) => !known.includes(id));
  if (added.length > 0 && (await countRoles(db, serverId, added)) < added.length) throw notFound();
}

/** The permission to change a channel: only people who define roles can set their permissions in it. */
export const permissionToChange = ({ senderRoleIds, callerRoleIds, viewerRoleIds }: RoleRules) =>
  senderRoleIds || callerRoleIds || viewerRoleIds ? 'manage server' : 'manage channels';

/** Requires that a channel with roles that open it is private. @throws ChatError conflict */
export function requirePrivate(isPrivate: boolean, viewerRoleIds: string[] = []): void {
  if (viewerRoleIds.length > 0 && !isPrivate)
    throw conflict('Everyone in the server can see this channel.');
}

/** Each id once, so that equal lists are stored alike. */
const inOrder = (ids: string[]): string[] => [...new Set(ids)].sort();

export const orNull = (roleIds: string[]): string[] | null =>
  roleIds.length > 0 ? inOrder(roleIds) : null;

export async function recordRules(
  { db }: RoomTransaction,
  caller: Caller,
  was: Channel,
  to: Rules,
): Promise<void> {
  const deed = { serverId: was.serverId, subjectId: was.id };
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
  if (
    differs(to.senderRoleIds, was.senderRoleIds) ||
    differs(to.callerRoleIds, was.callerRoleIds) ||
    differs(to.viewerRoleIds, was.private ? was.viewerRoleIds : [])
  )
    await recordAudit(db, caller, { action: 'channel:rolesSet', ...deed });
}
