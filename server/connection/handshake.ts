/** Identifies a new connection, and admits or refuses it. Each lookup comes after its limit. */
import type { IncomingMessage } from 'node:http';
import { busy, ChatError, type Failure } from '../../shared/failure.ts';
import { protocolVersion, type Refusal } from '../../shared/protocol.ts';
import { addressOf, networksOf } from '../http/address.ts';
import { newSocketQueue } from '../admission/command-queues.ts';
import type { Config } from '../config.ts';
import { attempt, toFailure } from '../node/attempt.ts';
import { isOwnHost, requireOwnPage } from '../http/origin.ts';
import { contextFor, type Caller, type Node } from '../caller.ts';
import type { ChatSocket, Identity } from '../realtime/chat-socket.ts';
import { openAnswers } from './pending-answers.ts';
import { bufferEarly } from './early-events.ts';

export type CallerSocket = ChatSocket<Caller>;

/** Socket.IO's `allowRequest`: checks the host. `identify` checks the origin, which does not matter with a token. */
export function allowRequest(config: Config) {
  return (
    { headers }: IncomingMessage,
    answer: (error: string | null | undefined, allowed: boolean) => void,
  ) => answer(undefined, isOwnHost(config, headers.host));
}

export async function authenticate(node: Node, socket: CallerSocket): Promise<Error | undefined> {
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
      early: bufferEarly(socket),
      credential,
    };
    return undefined;
  });
  return result.ok ? result.value : refusal(result.error);
}

export const guestsAt = (address: string): string => `guests ${address}`;

/** The key in the queue before the account is known: the credential if it was valid recently, else the network. */
async function visitorOf(
  node: Node,
  { request }: CallerSocket,
  credential: string | undefined,
): Promise<string> {
  if (credential !== undefined && (await node.cluster.sessions.has(credential))) return credential;
  const address = addressOf(node.config, request);
  return networksOf(address)[1]?.name ?? address;
}

async function identify(node: Node, socket: CallerSocket): Promise<Identity | undefined> {
  const { request } = socket;
  const token = tokenOf(socket);
  const { identity } = node.features.connection;
  if (token !== undefined) return identity.byToken(request, token);
  // Browsers send the cookie with a WebSocket of any page, and CORS does not apply.
  requireOwnPage(node, request.headers);
  return identity.byCookie(request);
}

const tokenOf = ({ handshake }: CallerSocket): unknown =>
  (handshake.auth as { token?: unknown }).token;

const stopping = () => busy('The server is stopping. Come back in a moment.', 1_000);

/** Refuses without a retry: the client must be updated. The refusal lists the supported versions. */
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
