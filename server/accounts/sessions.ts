import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { v7 } from 'uuid';
import type { Session } from '../../shared/accounts.ts';
import { ChatError, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { addressOf } from '../http/address.ts';
import { recordAudit, recordSignIn } from '../audit/audit.ts';
import { closeEverywhere, closeHere } from '../connection/session-endings.ts';
import { transaction, type Db } from '../database/database.ts';
import type { Caller, Context } from '../caller.ts';
import type { Identity } from '../realtime/chat-socket.ts';
import { hashOf } from './cookies.ts';
import { deviceName } from './device.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSurplusSessions,
  useLiveSessions,
  findSessions,
  insertSession,
  isLive,
  useSession,
  useToken,
} from './session-store.ts';
import type { Credentials } from './store.ts';
import { signOut } from './accounts.ts';

/** Always reads the database, never a cache. Undefined without a live session. */
export async function sessionIdentity(
  context: Context,
  request: IncomingMessage,
): Promise<Identity | undefined> {
  const { session, sessionID } = request as Request;
  return session.signed && useSession(context.db, hashOf(sessionID));
}

export const isSessionLive = (db: Db, sessionId: string): Promise<boolean> => isLive(db, sessionId);

export const botIdentity = async (
  context: Context,
  token: unknown,
): Promise<Identity | undefined> =>
  typeof token === 'string' ? useToken(context.db, hashOf(token)) : undefined;

/**
 * Sets a new cookie. The caller must have verified the password or the reset link. Closes the old session's sockets
 * after the reply, or they would reconnect with the old cookie.
 * @throws ChatError unauthenticated, if the password was changed or the account suspended meanwhile
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

/** Gives the cookie a new session id, and ends the session of the old one, if there is one. */
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

export async function listSessions({ db, user, sessionId }: Caller): Promise<Session[]> {
  const sessions = await findSessions(db, user.id);
  return sessions.map((session) => ({ ...session, current: session.id === sessionId }));
}

/** Deletes the row first: then every node refuses its cookie. @throws ChatError not_found, also for others' sessions */
export async function endSession(caller: Caller, id: string): Promise<void> {
  const { db, user, sessionId } = caller;
  await transaction(db, async (db) => {
    if (!(await deleteSession(db, user.id, id))) throw notFound();
    if (id !== sessionId)
      await recordAudit(db, caller, { action: 'session:revoked', subjectId: id });
  });
  signOut(caller.node, user.id, [id]);
}

/** Also closes sockets here whose session ended without a message: it was lost, or came during the handshake. */
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
