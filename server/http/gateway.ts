/**
 * The HTTP gateway to the commands, for scripts. A contract with `http: 'PATCH /api/messages/[messageId]'` has a route
 * here, with the same parsing, limits and rights. HTTP callers join no rooms and receive no events.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { httpRoutesOf, successOf, type Contract } from '../../shared/contract.ts';
import { personIdOf } from '../../shared/accounts.ts';
import { ChatError, failures, invalid, type Failure } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { commands, type CommandName } from '../../shared/protocol.ts';
import { countAnswer } from '../admission/answered-bytes.ts';
import { jsonBytes } from '../realtime/json-bytes.ts';
import { run, timed } from '../command.ts';
import { attempt, toFailure } from '../node/attempt.ts';
import { contextFor, type Node } from '../caller.ts';
import type { Identity } from '../realtime/chat-socket.ts';
import { addressOf } from './address.ts';
import { requireOwnPage } from './origin.ts';

interface Route {
  command: CommandName;
  method: string;
  /** The path's segments; `[key]` stands for the input of that name. */
  segments: string[];
}

const routes: Route[] = (Object.keys(commands) as CommandName[]).flatMap((command) => {
  const contract: Contract = commands[command];
  return httpRoutesOf(contract).map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { command, method, segments: path.split('/').slice(1) };
  });
});

interface Asked {
  segments: string[];
  query: string;
}

export function gateway(node: Node) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const asked = readAddress(request);
    const here = routes.filter((route) => matches(route, asked.segments));
    if (here.length === 0) return false;
    const route = here.find(({ method }) => method === request.method);
    if (route === undefined) refuseMethod(node, request, response, here);
    else
      node.session(request, response, () =>
        respond(node, response, () => reply(node, request, response, route, asked)),
      );
    return true;
  };
}

/** Splits by hand, because `new URL` throws on invalid addresses (such as `//`), which clients can send. */
function readAddress({ url = '/' }: IncomingMessage): Asked {
  const [path = '', ...query] = url.split('?');
  return { segments: path.split('/').slice(1), query: query.join('?') };
}

const isParameter = (segment: string) => segment.startsWith('[');

const matches = (route: Route, segments: string[]) =>
  route.segments.length === segments.length &&
  route.segments.every((segment, i) => isParameter(segment) || segment === segments[i]);

function refuseMethod(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  here: Route[],
): void {
  response.setHeader('Allow', here.map(({ method }) => method).join(', '));
  const error = invalid(`${request.method ?? 'This method'} isn’t allowed here.`);
  send(response, 405, { error: toFailure(node, error, 'gateway') });
}

async function reply(
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  asked: Asked,
): Promise<void> {
  if (hasBody(route) && !isJson(request)) {
    const error = invalid('Send JSON, as Content-Type: application/json.');
    send(response, 415, { error: toFailure(node, error, route.command) });
    return;
  }
  const result = await timed(node, route.command, async () => {
    const known = await identify(node, request);
    const address = addressOf(node.config, request);
    const input = await readInput(request, route, asked);
    const caller = { ...contextFor(node, known.user), ...known, address };
    const output = await run(caller, route.command, input);
    await countAnswer(node, personIdOf(known.user), jsonBytes(output));
    return output;
  });
  if (result.ok) send(response, successOf(route.method), result.value);
  else fail(response, result.error);
}

/** Identifies by the token, if there is one; otherwise by the cookie, but not from another site's pages. */
export async function identify(node: Node, request: IncomingMessage): Promise<Identity> {
  const [, token] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const { identity } = node.features.connection;
  if (token !== undefined) return identity.byToken(request, token);
  const known = await identity.byCookie(request);
  if (known === undefined) throw new ChatError('unauthenticated', 'Sign in first.');
  // Scripts can send cookies without Origin and Sec-Fetch-Site; browsers always send one of them.
  requireOwnPage(node, { ...request.headers, cookie: undefined });
  return known;
}

const hasBody = ({ method }: Route) => method === 'POST' || method === 'PATCH';
const isJson = (request: IncomingMessage) =>
  /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');

async function readInput(
  request: IncomingMessage,
  route: Route,
  { segments, query }: Asked,
): Promise<unknown> {
  const fromPath = Object.fromEntries(
    segments
      .map((segment, i) => [route.segments[i] ?? '', segment] as const)
      .filter(([name]) => isParameter(name))
      .map(([name, segment]) => [name.slice(1, -1), segment]),
  );
  const said = hasBody(route) ? await readObject(request) : readQuery(query, route);
  const twice = Object.keys(fromPath).find((key) => Object.hasOwn(said, key));
  if (twice !== undefined) throw invalid('The path already contains this parameter.', twice);
  return { ...said, ...fromPath };
}

async function readObject(request: IncomingMessage): Promise<object> {
  const body = parseJson(await readBody(request));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('The body must be one JSON object.');
  return body;
}

/** Converts whole numbers in the query where the command takes no text. */
function readQuery(query: string, { command }: Route): Record<string, unknown> {
  const { shape } = commands[command].input as z.ZodObject;

  const input: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of new URLSearchParams(query)) {
    if (key in input) throw invalid('Use this parameter only once.', key);
    const takesText = Object.hasOwn(shape, key) && z.safeParse(shape[key], value).success;
    input[key] = !takesText && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return input;
}

function parseJson(bytes: Buffer): unknown {
  try {
    // Refuses invalid UTF-8, because a lenient decoder would change the text.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw invalid('The body isn’t valid JSON.');
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Reads and drops the rest: a client that is cut off while sending never receives the error.
    if (size <= limits.packetBytes) chunks.push(chunk);
  }
  if (size > limits.packetBytes)
    throw invalid(`The body can have up to ${limits.packetBytes} bytes.`);
  return Buffer.concat(chunks);
}

export function respond(node: Node, response: ServerResponse, reply: () => Promise<void>): void {
  void attempt(node, 'reply', reply).then((replied) => {
    if (!replied.ok) fail(response, replied.error);
  });
}

export function fail(response: ServerResponse, error: Failure): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  if (error.retryAfterMs !== undefined)
    response.setHeader('Retry-After', Math.ceil(error.retryAfterMs / 1_000));
  send(response, failures[error.code].status, { error });
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (status === 204) return void response.end();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}
