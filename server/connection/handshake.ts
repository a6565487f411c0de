/** Connects a socket: checks the origin, session and protocol version, then sends `ready` before anything else. */
import type { IncomingMessage } from 'node:http';
import { personIdOf } from '../../shared/accounts.ts';
import { busy, ChatError, type Failure } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { protocolVersion, type Closing, type Ready, type Refusal } from '../../shared/protocol.ts';
import { addressOf, networksOf } from '../http/address.ts';
import { newSocketQueue } from '../admission/command-queues.ts';
import type { Config } from '../config.ts';
import type { EngineConnection } from '../admission/connection-slots.ts';
import { leavesUnread, penaltyKeys } from '../realtime/backpressure.ts';
import { acceptCommands } from '../command.ts';
import { attempt, toFailure } from '../node/attempt.ts';
import { isOwnHost, requireOwnPage } from '../http/origin.ts';
import { countAnswers } from '../admission/answered-bytes.ts';
import { openPacketBudgets } from '../admission/packet-budgets.ts';
import { closeSocket } from '../realtime/sockets.ts';
import { contextFor, type Caller, type Node } from '../caller.ts';
import type { ChatSocket, Identity, EarlyEvent } from '../realtime/chat-socket.ts';
import { arrive } from './arrival.ts';
import { openAnswers } from './pending-answers.ts';
import { keepEarly } from './early-events.ts';

type CallerSocket = ChatSocket<Caller>;

/** Attaches the sockets to the node: call once, before listening. */
export function acceptSockets(node: Node): void {
  const { io } = node;
  io.engine.use(node.session);
  const packets = openPacketBudgets(node, (connection) => cutOff(node, connection));
  /** Connections that are in their handshake, or have passed it. */
  const claimed = new WeakSet<EngineConnection>();
  const meter = ({ conn, data: { caller } }: CallerSocket) => {
    packets.join(conn, caller.user.id);
    countAnswers(node, conn, personIdOf(caller.user));
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
    void authenticate(node, socket).then((error) => {
      if (error !== undefined) claimed.delete(conn);
      else meter(socket);
      next(error);
    }, next);
  });
  io.on('connection', (socket) => {
    const ready = sendReady(node, socket);
    acceptCommands(socket.data.caller, socket, {
      ready,
      isTooMuch: () => packets.isDry(socket.conn),
    });
  });
}

/** Closes a connection that goes on sending too much. */
function cutOff(node: Node, connection: EngineConnection): void {
  const sockets = [...node.io.of('/').sockets.values()];
  const socket = sockets.find(({ conn }) => conn === connection);
  if (socket === undefined) connection.close(true);
  else
    closeSocket(socket, {
      ...flood,
      retryAfterMs: node.penalties.add([...penaltyKeys(socket), ...guestKeys(socket)], floodMs),
    });
}

/** All guests at the address must wait, because a guest who floods could return as a new one. */
const guestKeys = ({ data: { caller } }: CallerSocket): string[] =>
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
async function authenticate(node: Node, socket: CallerSocket): Promise<Error | undefined> {
  const address = addressOf(node.config, socket.request);
  const result = await attempt(node, 'connect', async () => {
    if (node.draining) throw stopping();
    const { protocol = protocolVersion } = socket.handshake.auth as { protocol?: unknown };
    if (protocol !== protocolVersion) return refuseVersion(node);
    const { identity } = node.features.connection;
    const credential = identity.credentialOf(socket.request, tokenOf(socket));
    node.penalties.requireOver(credential);
    const visitor = await visitorOf(node, socket, credential);
    const known = await node.arrivals.run(visitor, () => identify(node, socket));
    if (known === undefined) return refuseStranger(node, socket, address);
    node.penalties.requireOver(known.user.id);
    if (known.user.kind === 'guest') node.penalties.requireOver(guestsAt(address));
    await node.limits.take('connect', known.user.id);
    node.slots.take(known.user.id, socket.conn);
    socket.data = {
      caller: { ...contextFor(node, known.user), ...known, address, socket },
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
  node: Node,
  { request }: CallerSocket,
  credential: string | undefined,
): Promise<string> {
  if (credential !== undefined && (await node.cluster.sessions.has(credential))) return credential;
  const address = addressOf(node.config, request);
  return networksOf(address)[1]?.name ?? address;
}

/**
 * Identifies by the token, if there is one; cookie and origin are ignored then. Otherwise by the cookie. Browsers send
 * it with a WebSocket of any page, and CORS does not apply, so requests of foreign pages are refused first.
 */
async function identify(node: Node, socket: CallerSocket): Promise<Identity | undefined> {
  const { request } = socket;
  const token = tokenOf(socket);
  const { identity } = node.features.connection;
  if (token !== undefined) return identity.byToken(request, token);
  requireOwnPage(node, request.headers);
  return identity.byCookie(request);
}

const tokenOf = ({ handshake }: CallerSocket): unknown =>
  (handshake.auth as { token?: unknown }).token;

const stopping = () => busy('The server is stopping. Come back in a moment.', 1_000);

/** Not to be retried: the client must be updated. The refusal says which versions are supported. */
function refuseVersion(node: Node): Error {
  const error = new ChatError(
    'invalid',
    `This server speaks protocol version ${protocolVersion}. Reload or update the client.`,
    { field: 'protocol' },
  );
  return refusal(toFailure(node, error, 'connect'), { supported: [protocolVersion] });
}

async function refuseStranger(node: Node, socket: ChatSocket, address: string): Promise<Error> {
  const stranger = new ChatError('unauthenticated', 'Sign in first.');
  const { invite } = socket.handshake.auth;
  const greeting = await node.features.connection.greetStranger({ address, invite });
  return refusal(toFailure(node, stranger, 'connect'), greeting);
}

const refusal = (failure: Failure, more: Partial<Refusal> = {}): Error =>
  Object.assign(new Error(failure.message), { data: { ...failure, ...more } });

/** Joins the caller's own room, sends `ready`, then the events that came while it was made. False on failure. */
async function sendReady(node: Node, socket: CallerSocket): Promise<boolean> {
  const { caller } = socket.data;
  const { user, sessionId } = caller;
  socket.on('disconnect', (reason) => {
    node.metrics.closed.inc({ reason });
    node.presence.disconnected(user.id, socket.id);
    // Disconnecting with many unread answers has the same penalty as being closed for it: it costs as much.
    if (!reason.startsWith('server') && leavesUnread(socket))
      node.penalties.add(penaltyKeys(socket));
    // Without its socket the connection would stay open and count nowhere.
    socket.conn.close();
  });
  const result = await attempt(node, 'ready', () =>
    node.arrivals.run(personIdOf(user), () => arrive(caller, socket)),
  );
  // Without its own room a socket is of no use: the client reconnects and tries again.
  if (!result.ok) socket.disconnect(true);
  if (!result.ok || !socket.connected) return false;
  const { stored, entered, ...more } = result.value;
  const seenAs = node.presence.connected(
    { userId: user.id, sessionId, socketId: socket.id },
    stored,
  );
  const ready: Ready = {
    ...entered(),
    ...more,
    seenAs,
    protocol: protocolVersion,
    epoch: node.instance.epoch,
    node: node.id,
    limits: { ...limits, ...quotas },
    fileBytes: node.config.PARLEY_FILE_MB * 1_000_000,
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
