/**
 * The HTTP gateway: a projection of the commands, for scripts. A contract that carries
 * `http: 'PATCH /api/messages/[messageId]'` is reached here by the same parsing, limits and rights; no
 * route is written by hand, and nothing is entered or heard.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChatError, failures, invalid, type Failure } from '../shared/failure.ts';
import { limits } from '../shared/limits.ts';
import { commands, type CommandName } from '../shared/protocol.ts';
import { callerOf } from './accounts/sessions.ts';
import { addressOf } from './address.ts';
import type { App } from './app.ts';
import { attempt, run } from './command.ts';
import { sameOrigin } from './origin.ts';

interface Route {
  command: CommandName;
  method: string;
  /** The path's segments; `[key]` stands for the input of that name. */
  segments: string[];
}

const routes: Route[] = (Object.keys(commands) as CommandName[]).flatMap((command) => {
  const contract = commands[command];
  if (!('http' in contract) || contract.http === undefined) return [];
  const [method = '', path = ''] = contract.http.split(' ');
  return [{ command, method, segments: path.split('/').slice(1) }];
});

/** Returns a listener that answers requests to gateway paths, and says of all others that it did not. */
export function gateway(app: App) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = new URL(request.url ?? '/', 'http://parley');
    const segments = url.pathname.split('/').slice(1);
    const here = routes.filter((route) => matches(route, segments));
    if (here.length === 0) return false;
    const route = here.find(({ method }) => method === request.method);
    if (route === undefined) refuseMethod(request, response, here);
    else app.session(request, response, () => void reply(app, request, response, route, url));
    return true;
  };
}

const isParameter = (segment: string) => segment.startsWith('[');

const matches = (route: Route, segments: string[]) =>
  route.segments.length === segments.length &&
  route.segments.every((segment, i) => isParameter(segment) || segment === segments[i]);

function refuseMethod(request: IncomingMessage, response: ServerResponse, here: Route[]): void {
  response.setHeader('Allow', here.map(({ method }) => method).join(', '));
  const error = invalid(`${request.method ?? 'This method'} is not possible here.`).toFailure();
  send(response, 405, { error });
}

async function reply(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  url: URL,
): Promise<void> {
  if (hasBody(route) && !isJson(request)) {
    const error = invalid('Send JSON, as Content-Type: application/json.').toFailure();
    return send(response, 415, { error });
  }
  const result = await attempt(app, route.command, async () => {
    const known = await callerOf(app, request);
    if (known === undefined) throw new ChatError('unauthenticated', 'Sign in first.');
    // A script keeps cookies without saying where it is from; a browser always says it.
    const { cookie: _, ...headers } = request.headers;
    if (!sameOrigin(app.config, headers)) throw new ChatError('forbidden', 'This came from another site.');
    const address = addressOf(app.config, request);
    const input = await readInput(request, route, url);
    return run({ app, ...known, address }, route.command, input);
  });
  if (result.ok) send(response, successOf(route), result.value);
  else fail(response, result.error);
}

const hasBody = ({ method }: Route) => method === 'POST' || method === 'PATCH';
const isJson = (request: IncomingMessage) =>
  /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');

/** One input object, from the path, and from the query or the body. */
async function readInput(request: IncomingMessage, route: Route, url: URL): Promise<unknown> {
  const fromPath = Object.fromEntries(
    url.pathname
      .split('/')
      .slice(1)
      .map((segment, i) => [route.segments[i] ?? '', segment] as const)
      .filter(([name]) => isParameter(name))
      .map(([name, segment]) => [name.slice(1, -1), segment]),
  );
  if (!hasBody(route)) return { ...readQuery(url), ...fromPath };
  const body: unknown = parseJson(await readBody(request));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('Send one JSON object.');
  // What the path says stands; the same key in the body too would be two answers to one question.
  const twice = Object.keys(fromPath).find((key) => key in body);
  if (twice !== undefined) throw invalid('This is already said by the path.', twice);
  return { ...body, ...fromPath };
}

/** A query knows only text; what looks like a whole number is one. */
function readQuery(url: URL): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of url.searchParams) {
    if (key in query) throw invalid('Give this once.', key);
    query[key] = /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return query;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('This is not JSON.');
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limits.packetBytes)
      throw invalid(`At most ${limits.packetBytes} bytes can be sent at once.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const successOf = ({ method }: Route) => ({ POST: 201, DELETE: 204 })[method] ?? 200;

function fail(response: ServerResponse, error: Failure): void {
  if (error.retryAfterMs !== undefined)
    response.setHeader('Retry-After', Math.ceil(error.retryAfterMs / 1_000));
  send(response, failures[error.code].status, { error });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (status === 204) return void response.end();
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}
