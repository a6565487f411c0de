import { conflict, notFound } from '../../shared/failure.ts';
import type { Ban } from '../../shared/members.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { peopleNamed } from '../accounts/people.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Caller } from '../command.ts';
import { snapshot } from '../database/database.ts';
import { endInvitesBy } from '../invites/invites.ts';
import { act, serverFor } from '../servers/access.ts';
import { memberOf } from './access.ts';
import { mustOutrank } from './managing.ts';
import { expel, leavingRooms } from './members.ts';
import { deleteBan, findBan, findBans, insertBan } from './store.ts';

/** Keeps somebody out, and removes them if they are in; their invites end. Who is banned already stays so. */
export async function banPerson(
  caller: Caller,
  { serverId, userId }: Parsed<'ban:create'>,
): Promise<Ban> {
  const ground = { end: serverId, rooms: leavingRooms(serverId, userId) };
  return act(caller, 'manage members', ground, async (work, { member: me }) => {
    if (userId === me.userId) throw conflict('This is you. Leave the server instead.');
    const target = await memberOf(work.db, serverId, userId);
    if (target !== undefined) {
      mustOutrank(me, target);
      await expel(work, { serverId, userId, as: 'removed' });
    }
    const { [userId]: person } = await peopleNamed(work.db, [userId]);
    if (person === undefined) throw notFound();
    await endInvitesBy(work.db, serverId, userId);
    const stored = await findBan(work.db, serverId, userId);
    if (stored !== undefined) return stored;
    const ban = await insertBan(work.db, { serverId, userId, bannedBy: me.userId });
    await recordAudit(work.db, caller, { action: 'ban:created', serverId, userId });
    return ban;
  });
}

export async function listBans(
  caller: Caller,
  { serverId }: Parsed<'ban:list'>,
): Promise<Output<'ban:list'>> {
  return snapshot(caller.app.db, async (db) => {
    await serverFor(db, caller, serverId, 'manage members');
    const bans = await findBans(db, serverId);
    const mentioned = bans.flatMap(({ userId, bannedBy }) =>
      bannedBy === null ? [userId] : [userId, bannedBy],
    );
    return { bans, people: await peopleNamed(db, mentioned) };
  });
}

/** Lifts a ban: an invite lets that person in again. */
export async function liftBan(
  caller: Caller,
  { serverId, userId }: Parsed<'ban:delete'>,
): Promise<Record<string, never>> {
  return act(caller, 'manage members', { relyOn: serverId, rooms: [] }, async ({ db }) => {
    if (!(await deleteBan(db, serverId, userId))) throw notFound();
    await recordAudit(db, caller, { action: 'ban:deleted', serverId, userId });
    return {};
  });
}
