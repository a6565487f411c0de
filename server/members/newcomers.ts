/** Lists members who joined recently and bans them together, so that a moderator can end a raid. */
import { personIdsIn } from '../../shared/person-ids.ts';
import { Member } from '../../shared/members.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { recordAudits } from '../audit/audit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { ownersOfBotsOf } from '../bots/access.ts';
import { endInvitesBy } from '../invites/invites.ts';
import { pageOf } from '../people/pages.ts';
import { actInServer, requirePermission, serverFor } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { outrankedAmong } from './access.ts';
import { findBannedAmong, saveBans } from './ban-store.ts';
import { purgeAll } from './bans.ts';
import { endMemberships, roomsToNotify } from './members.ts';
import { countNewcomers, findMembers, findNewcomers } from './store.ts';

export async function listNewcomers(
  caller: Caller,
  { serverId, seconds }: Parsed<'member:newcomers'>,
): Promise<Output<'member:newcomers'>> {
  return readTransaction(caller.db, async (db) => {
    await serverFor(db, caller, serverId, 'manage members');
    const found = await findNewcomers(db, serverId, seconds, quotas.newcomersListed);
    const { rows: members, people } = await pageOf(db, found, found.length, personIdsIn(Member));
    return { members, people, count: await countNewcomers(db, serverId, seconds) };
  });
}

/**
 * Bans these people with their bots. Skips people who are not members, and people whose role, or whose bot, the caller
 * does not outrank: during a raid people leave, or are already banned. Runs few statements, because others wait for the
 * server's lock.
 */
export async function banMembers(
  caller: Caller,
  { serverId, userIds, reason, seconds, deleteMessages }: Parsed<'ban:createMany'>,
): Promise<Output<'ban:createMany'>> {
  const rooms = async (db: Db) => {
    const found = await membersAndBots(db, serverId, userIds);
    const ids = found.flatMap(({ member, bots }) => [member, ...bots]).map(({ userId }) => userId);
    return roomsToNotify(caller.node, serverId, ...new Set(ids))(db);
  };
  const locks = { exclusive: serverId, rooms };
  return actInServer(caller, 'manage members', locks, async (work, me) => {
    const { db } = work;
    if (deleteMessages !== undefined) requirePermission(me.rights, 'manage messages');
    const targets = new Map<string, Member>();
    const found = await membersAndBots(db, serverId, userIds);
    const below = await outrankedAmong(
      db,
      serverId,
      me,
      found.flatMap(({ member, bots }) => [member, ...bots]),
    );
    for (const { member, bots } of found)
      if ([member, ...bots].every((one) => below.has(one.userId)))
        for (const one of [...bots, member]) targets.set(one.userId, one);
    const ids = [...targets.keys()];
    if (ids.length > 0) {
      const bannedBy = caller.user.id;
      const bans = await saveBans(db, { serverId, userIds: ids, bannedBy }, { reason, seconds });
      await endInvitesBy(db, serverId, ids);
      await endMemberships(work, { serverId, as: 'removed' }, [...targets.values()], bans);
      const { user, address } = caller;
      const deeds = bans.map(({ userId, reason: detail }) => {
        return { user, address, serverId, userId, ...(detail !== null && { detail }) };
      });
      await recordAudits(db, 'ban:created', deeds);
      await purgeAll(db, caller, { serverId, authorIds: ids }, deleteMessages);
    }
    return { userIds: await findBannedAmong(db, serverId, userIds) };
  });
}

/** The members among these people, each with those of their bots that are members. Uses two or three statements. */
async function membersAndBots(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<{ member: Member; bots: Member[] }[]> {
  const members = await findMembers(db, serverId, { userIds });
  const ownerIds = members.map(({ userId }) => userId);
  const ownerOf = await ownersOfBotsOf(db, ownerIds);
  const bots = await findMembers(db, serverId, { userIds: [...ownerOf.keys()] });
  return members.map((member) => ({
    member,
    bots: bots.filter(({ userId }) => ownerOf.get(userId) === member.userId),
  }));
}
