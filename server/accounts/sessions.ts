/** Being signed in: how it begins, whose it is, how it ends. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { v7 } from 'uuid';
import type { Account, Session } from '../../shared/accounts.ts';
import type { Bot } from '../../shared/bots.ts';
import { ChatError, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Closing } from '../../shared/protocol.ts';
import { addressOf } from '../http/address.ts';
import type { App } from '../app.ts';
import { recordAudit, recordSignIn } from '../audit/audit.ts';
import type { Caller } from '../command.ts';
import { transaction, type Db } from '../database/database.ts';
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

export interface Identity {
  user: Account;
  sessionId: string;
}

/** Why a session ended. */
export type Ending = 'renewed' | 'expired' | 'revoked' | 'suspended';

/** What its sockets are told. */
const closings: Record<Ending, Closing> = {
  renewed: { code: 'renewed', reason: 'You signed in again.', retry: true },
  expired: { code: 'expired', reason: 'Your session expired. Sign in again.', retry: false },
  revoked: { code: 'revoked', reason: 'You were signed out.', retry: false },
  suspended: { code: 'revoked', reason: 'Your account is suspended.', retry: false },
};

/**
 * Who sends this request, whose cookie the middleware has read: a handshake, or one over HTTP. Undefined
 * for strangers and for those whose session has ended. Only the database says so: no cache, and no cookie.
 */
export async function sessionIdentity(
  app: App,
  request: IncomingMessage,
): Promise<Identity | undefined> {
  const { session, sessionID } = request as Request;
  return session.signed && useSession(app.db, hashOf(sessionID));
}

/** Whether a session, or a bot's token, has not ended. */
export const isSessionLive = (db: Db, sessionId: string): Promise<boolean> => isLive(db, sessionId);

/** Whose token this is: a bot's. Undefined if it is nobody's, or nobody's any more. */
export const botIdentity = async (app: App, token: unknown): Promise<Identity | undefined> =>
  typeof token === 'string' ? useToken(app.db, hashOf(token)) : undefined;

/** Makes a token: a session without an end, of which only the hash is kept. */
export async function issueToken(db: Db, botId: string, scopes: Bot['scopes']): Promise<string> {
  const token = `pbot_${randomBytes(32).toString('base64url')}`;
  await insertToken(db, { id: v7(), tokenHash: hashOf(token), userId: botId, data: { scopes } });
  return token;
}

/** Ends all tokens of a bot, and says which sessions that were. */
export const revokeTokens = (db: Db, botId: string): Promise<string[]> =>
  deleteSessionsOf(db, botId, 'revoked');

/** Ends all sessions of a person, and says which: `signOut` closes their sockets after the commit. */
export const endSessionsOf = (db: Db, userId: string, why: Ending = 'revoked'): Promise<string[]> =>
  deleteSessionsOf(db, userId, why);

/**
 * Begins a new session for whoever has just shown who they are: a new id in the cookie, the old session
 * ended. Its sockets are told once the reply is out, or they would come back with the old cookie.
 * @throws ChatError unauthenticated, if the password was changed, or the account suspended, since it was compared
 */
export async function startSession(
  app: App,
  request: Request,
  { user, passwordHash }: Credentials,
): Promise<void> {
  const oldId = (await sessionIdentity(app, request))?.sessionId;
  await regenerate(request);
  const id = v7();
  const session = {
    id,
    tokenHash: hashOf(request.sessionID),
    userId: user.id,
    data: {},
    device: deviceName(request.get('user-agent')),
  };
  const surplus = await transaction(app.db, async (db) => {
    const [isStored, surplus] = await Promise.all([
      insertSession(db, session, passwordHash),
      deleteSurplusSessions(db, user.id, limits.sessionsPerPerson),
    ]);
    if (!isStored)
      throw new ChatError('unauthenticated', 'Your account has changed. Sign in again.');
    if (user.kind !== 'guest')
      await recordSignIn(db, { user, address: addressOf(app.config, request) });
    return surplus;
  });
  end(app, surplus, 'revoked');
  if (oldId !== undefined) request.res?.once('close', () => end(app, [oldId], 'renewed'));
}

/** Gives the request's cookie another id, and ends the session that it named: a stranger's named none. */
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

/** Where one is signed in, the latest seen first. */
export async function listSessions({ app, user, sessionId }: Caller): Promise<Session[]> {
  const sessions = await findSessions(app.db, user.id);
  return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
}

/**
 * Ends one of the caller's own sessions, here and now: the row first, so that its cookie is dead everywhere.
 * @throws ChatError not_found, for anybody else's too
 */
export async function endSession(caller: Caller, id: string): Promise<void> {
  const { app, user, sessionId } = caller;
  await transaction(app.db, async (db) => {
    if (!(await deleteSession(db, user.id, id))) throw notFound();
    if (id !== sessionId)
      await recordAudit(db, caller, { action: 'session:revoked', subjectId: id });
  });
  signOut(app, user.id, [id]);
}

/** Whose sessions: a bot's are its tokens. */
export type Holder = 'person' | 'bot';

export const countSessions = (db: Db, holder: Holder): Promise<number> =>
  countAllSessions(db, holder === 'bot');

/** Ends all that there are, and says how many. Sockets are not told: whoever calls this sees to it that all come back. */
export const endAllSessions = (db: Db, holder: Holder): Promise<number> =>
  deleteAllSessions(db, holder === 'bot');

/** Closes the sockets of sessions whose rows are deleted already, and says so to those who see who is online. */
export function signOut(
  app: App,
  userId: string,
  sessionIds: string[],
  why: Ending = 'revoked',
): void {
  for (const id of sessionIds) app.presence.signedOut(userId, id);
  end(app, sessionIds, why);
}

const end = (app: App, sessionIds: string[], why: Ending): void =>
  app.fanout.closeSessions(sessionIds, closings[why]);

/** Closes here what a node that we may not have heard has ended. */
export const closeEnded = (app: App, sessionIds: string[], why: Ending): void =>
  app.sockets.closeSessions(sessionIds, closings[why]);

/**
 * Ends all sessions whose time is over, and closes their sockets: one that only listens too. Then closes what
 * is open here without a session, for whom no word came: it was lost, or it passed a handshake. Every minute.
 */
export async function sweepSessions(app: App): Promise<void> {
  end(app, await deleteExpiredSessions(app.db), 'expired');
  const here = [...new Set(app.sockets.all().map(({ data }) => data.caller.sessionId))];
  const live = await useLiveSessions(app.db, here);
  closeEnded(
    app,
    here.filter((id) => !live.has(id)),
    'revoked',
  );
}
