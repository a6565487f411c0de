/**
 * Files over HTTP, beside the gateway. `?size=small` or `large` selects a scaled picture, `?still` the still image of
 * an animated one. With an invite, anyone can read a server’s icon.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unescape } from 'node:querystring';
import { PassThrough } from 'node:stream';
import { personIdOf } from '../../shared/accounts.ts';
import { Id } from '../../shared/contract.ts';
import { invalid, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Output } from '../../shared/protocol.ts';
import { run, timed } from '../command.ts';
import { addressOf, networksOf, takeForNetworks } from '../http/address.ts';
import { fail, identify, respond, send } from '../http/gateway.ts';
import { attempt } from '../node/attempt.ts';
import { contextFor, type Caller, type Node, contextForStrangers } from '../caller.ts';
import { fileFor, iconFor } from './access.ts';
import { inPieces } from './pieces.ts';
import { breakOff, sendFile } from './sending.ts';
import { addChunk, dropUpload } from './uploads.ts';
import { shareKeyOf } from './sharing.ts';

/** Returns a listener that answers requests for files. It returns false for all other requests. */
export function fileRequests(node: Node) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const work = workOf(request.method, path.split('/').slice(1), new URLSearchParams(query));
    if (work === undefined) return false;
    node.session(request, response, () =>
      respond(node, response, () => reply(node, request, response, work)),
    );
    return true;
  };
}

type Work = (node: Node, request: IncomingMessage, response: ServerResponse) => Promise<void>;

const known =
  (
    work: (caller: Caller, request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Work =>
  async (node, request, response) => {
    const identity = await identify(node, request);
    const address = addressOf(node.config, request);
    await work({ ...contextFor(node, identity.user), ...identity, address }, request, response);
  };

/** Routes: `/files/<id>/<name>`, and `/api/channels/<timelineId>/files/<name>`, or the same of a conversation. */
function workOf(
  method: string | undefined,
  segments: string[],
  query: URLSearchParams,
): Work | undefined {
  const [first, second, third = '', fourth, name = ''] = segments;
  if (first === 'files' && segments.length === 3) {
    if (!isRead(method)) return refuse('GET, HEAD');
    const code = query.get('invite');
    if (code !== null) return (...all) => readByInvite(second, code, ...all);
    return known((...all) => readFile(second, ...all));
  }
  const isPlace = first === 'api' && (second === 'channels' || second === 'conversations');
  if (!isPlace || fourth !== 'files' || segments.length !== 5) return undefined;
  return method === 'PUT'
    ? known((...all) => putFile({ timelineId: third, name, asSent: isOn(query, 'asSent') }, ...all))
    : refuse('PUT');
}

const isOn = (query: URLSearchParams, name: string) =>
  ['', 'true'].includes(query.get(name) ?? 'false');

const isRead = (method: string | undefined) => method === 'GET' || method === 'HEAD';

const refuse = (allowed: string): Work =>
  known((_caller, _request, response) => {
    response.setHeader('Allow', allowed);
    return Promise.reject(invalid(`Only ${allowed} is allowed here.`));
  });

async function reply(node: Node, request: IncomingMessage, response: ServerResponse, work: Work) {
  const result = await timed(node, 'file', () => work(node, request, response));
  if (result.ok) return;
  // Reads the rest of the request, so that the client gets the answer. A body that is far too large is not read.
  if (Number(request.headers['content-length'] ?? 0) > node.config.PARLEY_FILE_MB * 1_000_000)
    response.setHeader('Connection', 'close');
  else request.resume();
  breakOff(response, result.error);
}

async function readFile(
  id: string | undefined,
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { node, db, user } = caller;
  await node.limits.take('download', user.id);
  const reader = {
    name: user.id,
    sharer: shareKeyOf(caller),
    find: () => fileFor(db, caller, idIn(id)),
    count: (bytes: number) => countRead(caller, bytes),
  };
  await sendFile(caller, reader, request, response);
}

async function readByInvite(
  id: string | undefined,
  code: string,
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const strangers = contextForStrangers(node);
  const address = addressOf(node.config, request);
  await takeForNetworks(node, 'invitePerAddress', address);
  const reader = {
    name: address,
    sharer: address,
    find: () => iconFor(strangers.db, idIn(id), code),
    count: (bytes: number) => countReadAt(node, address, bytes),
  };
  await sendFile(strangers, reader, request, response);
}

/** Counts bytes for the day, for an account with its bots or for a guest's network. */
const countRead = ({ node, user, address }: Caller, bytes: number): Promise<void> =>
  user.kind === 'guest'
    ? countReadAt(node, address, bytes)
    : node.limits.take('readDaily', personIdOf(user), kibibytes(bytes));

async function countReadAt({ limits }: Node, address: string, bytes: number): Promise<void> {
  for (const network of networksOf(address))
    await limits.take('readDaily', network, kibibytes(bytes));
}

const kibibytes = (bytes: number) => Math.ceil(bytes / 1_024);

function idIn(segment: string | undefined): string {
  const id = Id.safeParse(segment);
  if (!id.success) throw notFound();
  return id.data;
}

/** `curl -T picture.png <url>`: an upload with the same checks and limits as over a socket. */
async function putFile(
  { timelineId, name, asSent }: { timelineId: string; name: string; asSent: boolean },
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = Number(request.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size)) throw invalid('Content-Length is required.', 'size');
  const begin = { timelineId, name: unescape(name), size };
  const begun = (await run(caller, 'file:begin', begin)) as Output<'file:begin'>;
  const { fileId } = begun;
  const sent = await attempt(caller.node, 'file', async () => {
    let offset = 0;
    for await (const bytes of chunksOf(request))
      offset = await addChunk(caller, { fileId, offset, bytes });
    return (await run(caller, 'file:finish', { fileId, asSent })) as Output<'file:finish'>;
  });
  if (sent.ok) {
    send(response, 201, sent.value);
    return;
  }
  await dropUpload(caller, fileId);
  fail(response, sent.error);
}

async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  // A request that breaks off ends the body early, without an error.
  const body = new PassThrough();
  request.pipe(body);
  request.once('close', () => body.end());
  yield* inPieces(body as AsyncIterable<Buffer>, limits.fileChunkBytes);
}
