import { v7 } from 'uuid';
import type { Bot } from '../../shared/bots.ts';
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import {
  changeProfile,
  createBotAccount,
  lockAccount,
  issueToken,
  revokeTokens,
  signOut,
} from '../accounts/accounts.ts';
import { recordAudit } from '../audit/audit.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { isBanned, memberOf, membershipsOf } from '../members/access.ts';
import { addMember, endMembership, roomsToNotify, roomsToJoin } from '../members/members.ts';
import { actInServer } from '../servers/access.ts';
import { leaveEveryServer } from '../servers/servers.ts';
import type { Caller } from '../caller.ts';
import * as store from './store.ts';

/** The same id again gives the bot a new token, because the first ack may have been lost. */
export async function registerBot(
  caller: Caller,
  { name, scopes = ['send'], id = v7() }: Parsed<'bot:create'>,
): Promise<Output<'bot:create'>> {
  const { user } = caller;
  if (user.kind !== 'registered')
    throw forbidden('Guests can’t have bots. Create an account first.');
  const made = await commit(caller, { rooms: [] }, async (work) => {
    // Locks, so that concurrent requests cannot exceed the limits on bots and tokens.
    await lockAccount(work.db, user.id);
    const mine = await store.findBots(work.db, user.id);
    if (mine.some((bot) => bot.id === id)) return replaceToken(work, caller, id, scopes);
    if (mine.length >= quotas.botsPerPerson)
      throw conflict(`One person can have ${quotas.botsPerPerson} bots. Delete one first.`);
    await createBotAccount(work, { id, name, ownerId: user.id });
    await store.insertBot(work.db, id, user.id);
    const token = await issueBotToken(work.db, id, scopes);
    await recordAudit(work.db, caller, { action: 'bot:created', userId: id });
    return { bot: await botFor(work.db, caller, id), token, ended: [] };
  });
  return signOutOlder(caller, made);
}

export const listBots = ({ db, user }: Caller): Promise<Bot[]> => store.findBots(db, user.id);

export const listAllBots = (db: Db): Promise<store.OwnedBot[]> => store.findAllBots(db);

export async function updateBot(
  caller: Caller,
  { botId, name, avatar }: Parsed<'bot:update'>,
): Promise<Bot> {
  const { node, db, user } = caller;
  const bot = await botFor(db, caller, botId);
  const isSame = (name ?? bot.name) === bot.name && avatar === undefined;
  if (isSame) return bot;
  await node.limits.take('rename', user.id);
  await changeProfile(caller, botId, { name, avatar, uploaderId: user.id });
  return botFor(db, caller, botId);
}

export async function rotateToken(
  caller: Caller,
  { botId, scopes }: Parsed<'bot:rotate'>,
): Promise<Output<'bot:rotate'>> {
  const made = await commit(caller, { rooms: [] }, async (work) => {
    await lockAccount(work.db, caller.user.id);
    const known = await botFor(work.db, caller, botId);
    return replaceToken(work, caller, botId, scopes ?? known.scopes);
  });
  return signOutOlder(caller, made);
}

interface RotatedToken extends Output<'bot:rotate'> {
  /** The sessions of older tokens. */
  ended: string[];
}

async function replaceToken(
  { db }: RoomTransaction,
  caller: Caller,
  botId: string,
  scopes: Bot['scopes'],
): Promise<RotatedToken> {
  const ended = await revokeTokens(db, botId);
  const token = await issueBotToken(db, botId, scopes);
  await recordAudit(db, caller, { action: 'bot:rotated', userId: botId });
  return { ended, token, bot: await botFor(db, caller, botId) };
}

function signOutOlder({ node }: Caller, { ended, ...made }: RotatedToken): Output<'bot:rotate'> {
  signOut(node, made.bot.id, ended);
  return made;
}

export async function revokeToken(caller: Caller, botId: string): Promise<void> {
  const ended = await commit(caller, { rooms: [] }, async ({ db }) => {
    await lockAccount(db, caller.user.id);
    const ended = await revokeTokens(db, botId);
    await recordAudit(db, caller, { action: 'bot:revoked', userId: botId });
    return ended;
  });
  signOut(caller.node, botId, ended);
}

export async function deleteBot(
  caller: Caller,
  { botId }: Parsed<'bot:delete'>,
): Promise<Record<string, never>> {
  const { db } = caller;
  await botFor(db, caller, botId);
  // Removes the picture first, while the people who see the bot still share a server with it.
  await changeProfile(caller, botId, { avatar: null, uploaderId: caller.user.id });
  // Leaves one server at a time, so that a busy server does not block writes in the others.
  await leaveEveryServer(caller, botId);
  const serverIds = [...(await membershipsOf(db, botId)).keys()];
  const rooms = async (db: Db) => [
    userRoom(botId),
    ...(await Promise.all(serverIds.map((id) => roomsToNotify(caller.node, id, botId)(db)))).flat(),
  ];
  const ended = await commit(caller, { exclusive: serverIds, rooms }, async (work) => {
    await lockAccount(work.db, caller.user.id);
    const ended = await end(work, botId, serverIds);
    await recordAudit(work.db, caller, { action: 'bot:deleted', userId: botId });
    return ended;
  });
  signOut(caller.node, botId, ended);
  return {};
}

async function end(work: RoomTransaction, botId: string, serverIds: string[]): Promise<string[]> {
  const still = await membershipsOf(work.db, botId);
  for (const serverId of serverIds)
    if (still.has(serverId)) await endMembership(work, { serverId, userId: botId, as: 'left' });
  await store.deleteBot(work.db, botId);
  return revokeTokens(work.db, botId);
}

/** Adds a bot to a server, without an invite. A bot that is a member already stays one. */
export async function addBot(
  caller: Caller,
  { botId, serverId }: Parsed<'bot:add'>,
): Promise<Record<string, never>> {
  const rooms = async (db: Db) => [...(await roomsToJoin(db, [serverId])), userRoom(botId)];
  const locks = { shared: serverId, rooms };
  await actInServer(caller, 'manage server', locks, async (work) => {
    const ownerId = await store.findOwnerId(work.db, botId);
    if (ownerId === undefined) throw notFound();
    if (await isBanned(work.db, serverId, botId))
      throw conflict('This bot is banned here. Unban it first.');
    if (await isBanned(work.db, serverId, ownerId))
      throw conflict('The owner of this bot is banned here. Unban them first.');
    // Everyone who shares a server with a bot knows its id, so the owner’s membership is required as consent.
    if ((await memberOf(work.db, serverId, ownerId)) === undefined)
      throw conflict('The owner of this bot isn’t in this server. Ask them to join first.');
    await addMember(work, { serverId, userId: botId, role: 'member' });
    await recordAudit(work.db, caller, { action: 'bot:added', serverId, userId: botId });
  });
  return {};
}

/** The only lookup of a bot. Finds only bots of the caller. */
async function botFor(db: Db, { user }: Caller, botId: string): Promise<Bot> {
  const bot = await store.findBot(db, botId, user.id);
  if (bot === undefined) throw notFound();
  return bot;
}

async function issueBotToken(db: Db, botId: string, scopes: Bot['scopes']): Promise<string> {
  await store.updateScopes(db, botId, scopes);
  return issueToken(db, botId, scopes);
}
