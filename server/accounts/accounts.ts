import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { foldUsername, type Account } from '../../shared/accounts.ts';
import type { Bot } from '../../shared/bots.ts';
import { forbidden } from '../../shared/failure.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import type { Parsed } from '../../shared/protocol.ts';
import type { RoomTransaction } from '../commit.ts';
import { closeEverywhere, type SessionEnding } from '../connection/session-endings.ts';
import { partnersOf } from '../conversations/access.ts';
import { transaction, type Db } from '../database/database.ts';
import { replacePicture } from '../files/files.ts';
import { contactsOf } from '../friends/friends.ts';
import { serversOfMany } from '../members/members.ts';
import { transferPartners } from '../transfers/transfers.ts';
import { indexNames } from '../people/name-search.ts';
import { findPeople } from '../people/people.ts';
import type { Caller, Context, Node } from '../caller.ts';
import { hashOf } from './cookies.ts';
import { deleteReset, saveReset } from './reset-store.ts';
import {
  countAllSessions,
  deleteAllSessions,
  deleteSessionsOf,
  insertToken,
} from './session-store.ts';
import {
  findCredentials,
  insertAccount,
  lockAccountRow,
  updateProfile,
  type Profile,
} from './store.ts';

export const accountNamed = async (db: Db, username: string): Promise<Account | undefined> =>
  (await findCredentials(db, { username: foldUsername(username) }))?.user;

/** Returns undefined if the account doesn’t exist or is suspended. */
export async function activeAccount(db: Db, id: string): Promise<Account | undefined> {
  const found = await findCredentials(db, { id });
  return found?.isSuspended === true ? undefined : found?.user;
}

export async function updateAccount(
  caller: Caller,
  { displayName: name, avatar, statusText }: Parsed<'user:update'>,
): Promise<Account> {
  const { node, user } = caller;
  if (avatar && user.kind === 'guest')
    throw forbidden('Guests can’t have a picture. Create an account first.');
  // So the profiles of a bot and its owner, which come together, have one status text at most.
  if (statusText && user.kind === 'bot') throw forbidden('Bots can’t have a status text.');
  // Removing a status text is always possible: it was set before.
  if (statusText) await node.limits.take('statusText', user.id);
  if (statusText === undefined || name !== undefined || avatar !== undefined)
    await node.limits.take('rename', user.id);
  const profile = { name, avatar, statusText, uploaderId: user.id };
  return (await changeProfile(caller, user.id, profile)) ?? user;
}

/** Sets a name, a status text, or a picture that `uploaderId` uploaded. Undefined if nothing changes. */
export async function changeProfile(
  context: Context,
  id: string,
  { name, avatar, statusText, uploaderId }: Profile & { uploaderId: string },
): Promise<Account | undefined> {
  const changed = await transaction(context.db, async (db) => {
    const account = await updateProfile(db, id, { name, avatar, statusText });
    if (account === undefined) return undefined;
    if (name !== undefined) await indexNames(db, [account]);
    const picture = typeof avatar === 'string' ? { id: avatar, uploaderId } : avatar;
    if (picture !== undefined) await replacePicture(db, { id, purpose: 'avatar' }, picture);
    return account;
  });
  if (changed !== undefined) await broadcastPerson(context, changed);
  return changed;
}

/** Locks an account until the transaction ends, so that nobody else changes it, its bots, or their tokens. */
export const lockAccount = (db: Db, id: string): Promise<void> => lockAccountRow(db, id);

export async function createBotAccount(
  work: RoomTransaction,
  { id, name, ownerId }: { id: string; name: string; ownerId: string },
): Promise<void> {
  await work.create(userRoom(id));
  await insertAccount(work.db, {
    ...{ id, displayName: name, kind: 'bot', ownerId },
    username: null,
    passwordHash: null,
  });
}

/** Sends a person to everyone who sees them. Best effort, because rows carry their people, too. */
export async function broadcastPerson({ node, db }: Context, user: Account): Promise<void> {
  const servers = await serversOfMany(db, [user.id]);
  const partners = await partnersOf(db, user.id);
  const rooms = [
    ...[user.id, ...partners].map(userRoom),
    ...[...servers.keys()].map(serverRoom),
    ...(await contactsOf(db, user.id)).map(userRoom),
    ...(await transferPartners(db, user.id)).map(userRoom),
  ];
  node.fanout.broadcast(rooms, 'people', {
    people: await findPeople(db, [user.id]),
  });
}

/** Creates a bot's token: a session that does not expire. Only its hash is stored. */
export async function issueToken(db: Db, botId: string, scopes: Bot['scopes']): Promise<string> {
  const token = `pbot_${randomBytes(32).toString('base64url')}`;
  await insertToken(db, { id: v7(), tokenHash: hashOf(token), userId: botId, data: { scopes } });
  return token;
}

export const revokeTokens = (db: Db, botId: string): Promise<string[]> =>
  deleteSessionsOf(db, botId, 'revoked');

/** Call `signOut` with the returned ids after the commit, to close the sockets. */
export const endSessionsOf = (
  db: Db,
  userId: string,
  why: SessionEnding = 'revoked',
): Promise<string[]> => deleteSessionsOf(db, userId, why);

export type Holder = 'person' | 'bot';

export const countSessions = (db: Db, holder: Holder): Promise<number> =>
  countAllSessions(db, holder === 'bot');

/** Deletes the sessions and returns their number. Closes no sockets: the caller must make all clients reconnect. */
export const endAllSessions = (db: Db, holder: Holder): Promise<number> =>
  deleteAllSessions(db, holder === 'bot');

/** Closes the sockets of the sessions on all nodes, and updates presence. Call it after the rows are deleted. */
export function signOut(
  node: Node,
  userId: string,
  sessionIds: string[],
  why: SessionEnding = 'revoked',
): void {
  for (const id of sessionIds) node.presence.signedOut(userId, id);
  closeEverywhere(node, sessionIds, why);
}

/** Creates the reset link of an account, whose row must be locked. An older link of the account stops working. */
export async function makeReset(db: Db, userId: string): Promise<{ secret: string; at: Date }> {
  const secret = randomBytes(32).toString('base64url');
  return { secret, at: await saveReset(db, userId, hashOf(secret)) };
}

export const endReset = (db: Db, userId: string): Promise<void> => deleteReset(db, userId);
