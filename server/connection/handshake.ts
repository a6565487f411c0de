/** Connects a socket: checks the origin, session and protocol version, then sends `ready` before anything else. */
import type { IncomingMessage } from 'node:http';
import { personIdOf } from '../../shared/accounts.ts';
import { ChatError, type Failure } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { protocolVersion, type Closing, type Ready, type Refusal } from '../../shared/protocol.ts';
import { arrive } from './arrival.ts';
import { addressOf, networksOf } from '../http/address.ts';
import { openAnswers } from './pending-answers.ts';
import type { App } from '../app.ts';
import { appForAccount, appForStrangers } from '../node/app-for.ts';
import { newSocketQueue } from '../admission/command-queues.ts';
import type { Config } from '../config.ts';
import type { EngineConnection } from '../admission/connection-slots.ts';
import { keepEarly, type EarlyEvent } from './early-events.ts';
import { leavesUnread, penaltyKeys } from '../realtime/backpressure.ts';
import { acceptCommands, type ChatSocket, type Identity } from '../command.ts';
import { attempt, toFailure } from '../node/attempt.ts';
import { isOwnHost, requireOwnPage } from '../http/origin.ts';
import { countAnswers } from '../admission/answered-bytes.ts';
import { openPacketBudgets } from '../admission/packet-budgets.ts';
import { closeSocket } from '../realtime/sockets.ts';

/** Attaches the sockets to the node: call once, before listening. */
export function acceptSockets(app: App): void {
  const { io } = app;
  io.engine.use(app.session);
  const packets = openPacketBudgets(app, (connection) => cutOff(app, connection));
  /** Connections that are in their handshake, or have passed it. */
  const claimed = new WeakSet<EngineConnection>();
  const meter = ({ conn, data: { caller } }: ChatSocket) => {
    packets.join(conn, caller.user.id);
    countAnswers(app, conn, personIdOf(caller.user));
  };
  io.use((socket, next) => {
    const { conn } = socket;
    if (claimed.has(conn)) {
      // Socket.IO refuses a second socket on a connection, but only once the first handshake is over.
      conn.close(true);
      next(new Error('one socket for each connection'));
      return;
    }
    claimed.add(conn);
    void authenticate(appForStrangers(app), socket).then((error) => {
      if (error !== undefined) claimed.delete(conn);
      else meter(socket);
      next(error);
    }, next);
  });
  io.on('connection', (socket) => {
    const ready = sendReady(socket.data.caller.app, socket);
    acceptCommands(socket.data.caller, socket, {
      ready,
      isTooMuch: () => packets.isDry(socket.conn),
    });
  });
}

/** Closes a connection that goes on sending too much. */
function cutOff(app: App, connection: EngineConnection): void {
  const sockets = [...app.io.of('/').sockets.values()];
  const socket = sockets.find(({ conn }) => conn === connection);
  if (socket === undefined) connection.close(true);
  else
    closeSocket(socket, {
      ...flood,
      retryAfterMs: app.penalties.add([...penaltyKeys(socket), ...guestKeys(socket)], floodMs),
    });
}

/** All guests at the address must wait, because a guest who floods could return as a new one. */
const guestKeys = ({ data: { caller } }: ChatSocket): string[] =>
  caller.user.kind === 'guest' ? [guestsAt(caller.address)] : [];

const guestsAt = (address: string): string => `guests ${address}`;

const flood: Closing = {
  code: 'flood',
  reason: 'This client sends far more than it’s allowed to.',
  retry: true,
};
/** How long a client that floods must wait before it may connect again. */
const floodMs = 60_000;

/** Socket.IO's `allowRequest`. The origin is checked in `identify`: with a token it does not matter. */
export function allowRequest(config: Config) {
  return (
    { headers }: IncomingMessage,
    answer: (error: string | null | undefined, allowed: boolean) => void,
  ) => answer(undefined, isOwnHost(config, headers.host));
}

/** Identifies the client. Returns the refusal, or undefined. */
async function authenticate(app: App, socket: ChatSocket): Promise<Error | undefined> {
  const address = addressOf(app.config, socket.request);
  const result = await attempt(app, 'connect', async () => {
    if (app.draining) throw stopping();
    const { protocol = protocolVersion } = socket.handshake.auth as { protocol?: unknown };
    if (protocol !== protocolVersion) return refuseVersion(app);
    const { identity } = app.features.connection;
    const credential = identity.credentialOf(socket.request, tokenOf(socket));
    app.penalties.requireOver(credential);
    const visitor = await visitorOf(app, socket, credential);
    const known = await app.arrivals.run(visitor, () => identify(app, socket));
    if (known === undefined) return refuseStranger(app, socket, address);
    app.penalties.requireOver(known.user.id);
    if (known.user.kind === 'guest') app.penalties.requireOver(guestsAt(address));
    await app.limits.take('connect', known.user.id);
    app.slots.take(known.user.id, socket.conn);
    socket.data = {
      caller: { app: appForAccount(app, known.user), ...known, address, socket },
      roomQueues: new Map(),
      queue: newSocketQueue(),
      answers: openAnswers(),
      early: keepEarly(socket),
      credential,
    };
    return undefined;
  });
  return result.ok ? result.value : refusal(result.error);
}

/** Who waits in the queue before the account is known: the credential if it was valid recently, else the network. */
async function visitorOf(
  app: App,
  { request }: ChatSocket,
  credential: string | undefined,
): Promise<string> {
  if (credential !== undefined && (await app.cluster.sessions.has(credential))) return credential;
  const address = addressOf(app.config, request);
  return networksOf(address)[1]?.name ?? address;
}

/**
 * Identifies by the token, if there is one; cookie and origin are ignored then. Otherwise by the cookie. Browsers send
 * it with a WebSocket of any page, and CORS does not apply, so requests of foreign pages are refused first.
 */
async function identify(app: App, socket: ChatSocket): Promise<Identity | undefined> {
  const { request } = socket;
  const token = tokenOf(socket);
  const { identity } = app.features.connection;
  if (token !== undefined) return identity.byToken(app, request, token);
  requireOwnPage(app, request.headers);
  return identity.byCookie(app, request);
}

const tokenOf = ({ handshake }: ChatSocket): unknown =>
  (handshake.auth as { token?: unknown }).token;

const stopping = () =>
  new ChatError('busy', 'The server is stopping. Come back in a moment.', {
    retryAfterMs: 1_000,
  });

/** Not to be retried: the client must be updated. The refusal says which versions are supported. */
function refuseVersion(app: App): Error {
  const error = new ChatError(
    'invalid',
    `This server speaks protocol version ${protocolVersion}. Reload or update the client.`,
    { field: 'protocol' },
  );
  return refusal(toFailure(app, error, 'connect'), { supported: [protocolVersion] });
}

async function refuseStranger(app: App, socket: ChatSocket, address: string): Promise<Error> {
  const stranger = new ChatError('unauthenticated', 'Sign in first.');
  const { invite } = socket.handshake.auth;
  const greeting = await app.features.connection.greetStranger(app, { address, invite });
  return refusal(toFailure(app, stranger, 'connect'), greeting);
}

const refusal = (failure: Failure, more: Partial<Refusal> = {}): Error =>
  Object.assign(new Error(failure.message), { data: { ...failure, ...more } });

/** Joins the caller's own room, sends `ready`, then the events that came while it was made. False on failure. */
async function sendReady(app: App, socket: ChatSocket): Promise<boolean> {
  const { caller } = socket.data;
  const { user, sessionId } = caller;
  socket.on('disconnect', (reason) => {
    app.metrics.closed.inc({ reason });
    app.presence.disconnected(user.id, socket.id);
    // Disconnecting with many unread answers has the same penalty as being closed for it: it costs as much.
    if (!reason.startsWith('server') && leavesUnread(socket))
      app.penalties.add(penaltyKeys(socket));
    // Without its socket the connection would stay open and count nowhere.
    socket.conn.close();
  });
  const result = await attempt(app, 'ready', () =>
    app.arrivals.run(personIdOf(user), () => arrive(caller, socket)),
  );
  // Without its own room a socket is of no use: the client reconnects and tries again.
  if (!result.ok) socket.disconnect(true);
  if (!result.ok || !socket.connected) return false;
  const { stored, entered, ...more } = result.value;
  const seenAs = app.presence.connected(
    { userId: user.id, sessionId, socketId: socket.id },
    stored,
  );
  const ready: Ready = {
    ...entered(),
    ...more,
    seenAs,
    protocol: protocolVersion,
    epoch: app.instance.epoch,
    node: app.node,
    limits: { ...limits, ...quotas },
    fileBytes: app.config.PARLEY_FILE_MB * 1_000_000,
    you: caller.user,
  };
  const early = socket.data.early.end();
  socket.emit('ready', ready);
  const emit = socket.emit.bind(socket) as (...said: EarlyEvent) => unknown;
  for (const said of early) if (isNewer(said, ready)) emit(...said);
  return true;
}

/** Whether an event that came while `ready` was made is not already part of it. */
const isNewer = ([event, payload]: EarlyEvent, ready: Ready): boolean =>
  event !== 'changes' || ready.status === 'gone' || payload.to > ready.version;
