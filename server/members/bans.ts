import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import { Ban } from '../../shared/members.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { findPeople } from '../people/people.ts';
import { recordAudit } from '../audit/audit.ts';
import { botIdsOf } from '../bots/access.ts';
import type { RoomTransaction } from '../commit.ts';
import { readTransaction, transaction, type Db } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import { endInvitesBy, endRequestOf, hasAsked, roomsOfRequest } from '../invites/invites.ts';
import { purgeMessages } from '../messages/purges.ts';
import { actInServer, requirePermission, serverFor } from '../servers/access.ts';
import type { Caller, Context } from '../caller.ts';
import { memberStanding, outrankedAmong, requireOutrank, sharedServers } from './access.ts';
import { endMembership, roomsToNotify } from './members.ts';
import {
  deleteBan,
  deleteEndedBan,
  eraseOldNetworks,
  findBan,
  findBans,
  findEndedBans,
  saveBan,
  wasIn,
  type Barred,
  type BanTerms,
} from './ban-store.ts';
import { findMembers } from './store.ts';

/**
 * Bans a person and removes them; their messages are deleted later, if asked for. Also ends the person’s invites and,
 * unless `bots` is false, bans their bots, because the person could go on reading through them. An existing ban stays
 * as it is.
 */
export async function banPerson(
  caller: Caller,
  { serverId, userId, bots = true, ...terms }: Parsed<'ban:create'>,
): Promise<Ban> {
  const theirs = async (db: Db) => (bots ? await botIdsOf(db, userId) : []);
  const rooms = async (db: Db) => [
    ...(await roomsToNotify(caller.node, serverId, userId, ...(await theirs(db)))(db)),
    ...(await roomsOfRequest(db, serverId, userId)),
  ];
  return actInServer(caller, 'manage members', { exclusive: serverId, rooms }, async (work, me) => {
    const { rights } = me;
    if (userId === me.member.userId)
      throw conflict('You can’t do this to yourself. Leave the server instead.');
    if (terms.deleteMessages !== undefined) requirePermission(rights, 'manage messages');
    const target = await memberStanding(work.db, serverId, userId);
    if (target !== undefined) requireOutrank(me, target);
    // A stranger looks like a missing account, so that nobody learns which accounts exist.
    else if (!(await isKnownTo(work.db, me.member.userId, serverId, userId))) throw notFound();
    const botsHere = await findMembers(work.db, serverId, { userIds: await theirs(work.db) });
    if ((await outrankedAmong(work.db, serverId, me, botsHere)).size < botsHere.length)
      throw forbidden('One of their bots doesn’t have a lower role than yours.');
    const { [userId]: person } = await findPeople(work.db, [userId]);
    if (person === undefined) throw notFound();
    await endInvitesBy(work.db, serverId, [userId]);
    await endRequestOf(work, serverId, userId);
    for (const bot of botsHere) {
      const botTarget = { serverId, userId: bot.userId };
      const ban = await banAndPurge(work, caller, botTarget, terms);
      await endMembership(work, { ...botTarget, as: 'removed', ban });
    }
    const ban = await banAndPurge(work, caller, { serverId, userId }, terms);
    if (target !== undefined) await endMembership(work, { serverId, userId, as: 'removed', ban });
    return ban;
  });
}

const isKnownTo = async (db: Db, askerId: string, serverId: string, userId: string) =>
  (await wasIn(db, serverId, userId)) ||
  (await hasAsked(db, serverId, userId)) ||
  (await sharedServers(db, [{ userId: askerId, otherId: userId }])).length > 0;

async function banAndPurge(
  { db }: RoomTransaction,
  caller: Caller,
  target: Barred,
  { deleteMessages, ...terms }: BanTerms & Pick<Parsed<'ban:create'>, 'deleteMessages'>,
): Promise<Ban> {
  const ban = (await findBan(db, target)) ?? (await createBan(db, caller, target, terms));
  await purgeAll(
    db,
    caller,
    { serverId: target.serverId, authorIds: [target.userId] },
    deleteMessages,
  );
  return ban;
}

/** Deletes later what these people wrote in the last `seconds`, if they are given. */
export async function purgeAll(
  db: Db,
  caller: Caller,
  { serverId, authorIds }: { serverId: string; authorIds: string[] },
  seconds: number | undefined,
): Promise<void> {
  if (seconds === undefined) return;
  for (const authorId of authorIds)
    await purgeMessages(db, caller, { serverId, authorId }, seconds);
}

async function createBan(db: Db, caller: Caller, target: Barred, terms: BanTerms): Promise<Ban> {
  const ban = await saveBan(db, { ...target, bannedBy: caller.user.id }, terms);
  const { reason } = ban;
  const why = reason !== null && { detail: reason };
  await recordAudit(db, caller, { action: 'ban:created', ...target, ...why });
  return ban;
}

export async function listBans(
  caller: Caller,
  { serverId, after, limit = limits.page }: Parsed<'ban:list'>,
): Promise<Output<'ban:list'>> {
  return readTransaction(caller.db, async (db) => {
    await serverFor(db, caller, serverId, 'manage members');
    const found = await findBans(db, serverId, { after, limit: limit + 1 });
    const { rows: bans, ...rest } = await pageOf(db, found, limit, personIdsIn(Ban));
    return { bans, ...rest };
  });
}

export async function liftBan(
  caller: Caller,
  { serverId, userId }: Parsed<'ban:delete'>,
): Promise<Record<string, never>> {
  return actInServer(caller, 'manage members', { shared: serverId, rooms: [] }, async ({ db }) => {
    if (!(await deleteBan(db, { serverId, userId }))) throw notFound();
    await recordAudit(db, caller, { action: 'ban:deleted', serverId, userId });
    return {};
  });
}

const maxPerSweep = 100;
/** A ban keeps out other guests of the network for this long, because addresses get new holders. */
const networkDays = 30;

export async function sweepBans({ db }: Pick<Context, 'db'>): Promise<void> {
  for (const target of await findEndedBans(db, maxPerSweep))
    await transaction(db, async (db) => {
      if (!(await deleteEndedBan(db, target))) return;
      await recordAudit(db, { address: 'server' }, { action: 'ban:ended', ...target });
    });
  await eraseOldNetworks(db, networkDays, maxPerSweep);
}
