/** Sessions: how they start, whom they identify, how they end. A bot's token is a session, too. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { v7 } from 'uuid';
import type { Session } from '../../shared/accounts.ts';
import type { Bot } from '../../shared/bots.ts';
import { ChatError, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { addressOf } from '../http/address.ts';
import { recordAudit, recordSignIn } from '../audit/audit.ts';
import { closeEverywhere, closeHere, type Ending } from '../connection/endings.ts';
import { transaction, type Db } from '../database/database.ts';
import type { Caller, Context, Node } from '../caller.ts';
import type { Identity } from '../realtime/chat-socket.ts';
import { hashOf } from './cookies.ts';
import { deviceName } from './device.ts';
import {
  countAllSessions,
  deleteAllSessions,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOf,
  deleteSurplusSessions,
  useLiveSessions,
  findSessions,
  insertSession,
  insertToken,
  isLive,
  useSession,
  useToken,
} from './session-store.ts';
import type { Credentials } from './store.ts';

/**
 * Identifies the sender of a request (HTTP, or a socket's handshake) by the cookie that the middleware has read.
 * Undefined without a session, or if it has ended. This always asks the database, never a cache.
 */
export async function sessionIdentity(
  context: Context,
  request: IncomingMessage,
): Promise<Identity | undefined> {
  const { session, sessionID } = request as Request;
  return session.signed && useSession(context.db, hashOf(sessionID));
}

/** Whether a session, or a bot's token, has not ended. */
export const isSessionLive = (db: Db, sessionId: string): Promise<boolean> => isLive(db, sessionId);

/** Identifies a bot by its token. Undefined if there is no such token, or if it was revoked. */
export const botIdentity = async (
  context: Context,
  token: unknown,
): Promise<Identity | undefined> =>
  typeof token === 'string' ? useToken(context.db, hashOf(token)) : undefined;

/** Creates a bot's token: a session that does not expire. Only its hash is stored. */
export async function issueToken(db: Db, botId: string, scopes: Bot['scopes']): Promise<string> {
  const token = `pbot_${randomBytes(32).toString('base64url')}`;
  await insertToken(db, { id: v7(), tokenHash: hashOf(token), userId: botId, data: { scopes } });
  return token;
}

/** Deletes all tokens of a bot. Returns the ids of their sessions. */
export const revokeTokens = (db: Db, botId: string): Promise<string[]> =>
  deleteSessionsOf(db, botId, 'revoked');

/** Deletes all sessions of a person. Returns their ids: call `signOut` after the commit to close their sockets. */
export const endSessionsOf = (db: Db, userId: string, why: Ending = 'revoked'): Promise<string[]> =>
  deleteSessionsOf(db, userId, why);

/**
 * Starts a session for an account whose password or token was just verified: sets a new cookie and ends the old
 * session. The old session's sockets are closed after the reply, or they would reconnect with the old cookie.
 * @throws ChatError unauthenticated, if meanwhile the password was changed or the account suspended
 */
export async function startSession(
  context: Context,
  request: Request,
  { user, passwordHash }: Credentials,
): Promise<void> {
  const { node } = context;
  const oldId = (await sessionIdentity(context, request))?.sessionId;
  await regenerate(request);
  const id = v7();
  const session = {
    id,
    tokenHash: hashOf(request.sessionID),
    userId: user.id,
    data: {},
    device: deviceName(request.get('user-agent')),
  };
  const surplus = await transaction(context.db, async (db) => {
    const [isStored, surplus] = await Promise.all([
      insertSession(db, session, passwordHash),
      deleteSurplusSessions(db, user.id, quotas.sessionsPerPerson),
    ]);
    if (!isStored)
      throw new ChatError('unauthenticated', 'Your account has changed. Sign in again.');
    if (user.kind !== 'guest')
      await recordSignIn(db, { user, address: addressOf(node.config, request) });
    return surplus;
  });
  closeEverywhere(node, surplus, 'revoked');
  if (oldId !== undefined)
    request.res?.once('close', () => closeEverywhere(node, [oldId], 'renewed'));
}

/** Gives the cookie a new session id and ends the session of the old one, if there was one. */
const regenerate = (request: Request) =>
  new Promise<void>((resolve, reject) => {
    if (request.session.signed)
      request.session.regenerate((error: unknown) => {
        if (error instanceof Error) reject(error);
        else resolve();
      });
    else {
      request.sessionStore.generate(request);
      resolve();
    }
  });

/** The devices where the caller is signed in, the most recently seen first. */
export async function listSessions({ db, user, sessionId }: Caller): Promise<Session[]> {
  const sessions = await findSessions(db, user.id);
  return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
}

/**
 * Ends one of the caller's own sessions. The row is deleted first, so that its cookie is refused on every node.
 * @throws ChatError not_found, also for a session of someone else
 */
export async function endSession(caller: Caller, id: string): Promise<void> {
  const { db, user, sessionId } = caller;
  await transaction(db, async (db) => {
    if (!(await deleteSession(db, user.id, id))) throw notFound();
    if (id !== sessionId)
      await recordAudit(db, caller, { action: 'session:revoked', subjectId: id });
  });
  signOut(caller.node, user.id, [id]);
}

/** Whether sessions of people or tokens of bots are meant. */
export type Holder = 'person' | 'bot';

export const countSessions = (db: Db, holder: Holder): Promise<number> =>
  countAllSessions(db, holder === 'bot');

/** Deletes all of them and returns how many. Sockets are not told: the caller must make all clients reconnect. */
export const endAllSessions = (db: Db, holder: Holder): Promise<number> =>
  deleteAllSessions(db, holder === 'bot');

/** After the rows were deleted: closes the sockets of the sessions on all nodes, and updates who is online. */
export function signOut(
  node: Node,
  userId: string,
  sessionIds: string[],
  why: Ending = 'revoked',
): void {
  for (const id of sessionIds) node.presence.signedOut(userId, id);
  closeEverywhere(node, sessionIds, why);
}

/**
 * Runs every minute. Deletes expired sessions and closes their sockets, even those that only listen. Then it closes
 * the sockets of this node whose session has ended unnoticed: the message was lost, or came during their handshake.
 */
export async function sweepSessions(context: Context): Promise<void> {
  const { node } = context;
  closeEverywhere(node, await deleteExpiredSessions(context.db), 'expired');
  const here = [...new Set(node.sockets.all().map(({ data }) => data.caller.sessionId))];
  const live = await useLiveSessions(context.db, here);
  closeHere(
    node,
    here.filter((id) => !live.has(id)),
    'revoked',
  );
}
