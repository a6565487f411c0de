/**
 * Files over HTTP, beside the gateway: `GET /files/<id>/<name>`, which checks the present rights, and `PUT` to a
 * timeline for scripts. `?size=small` or `large` selects a scaled picture, `?still` the still image of an animated
 * one. With an invite, anyone can read a server’s icon.
 *
 * Nothing that was uploaded runs in a browser: the type comes from the content, only pictures, sound and video are
 * shown inline, and the content security policy of each response sandboxes it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unescape } from 'node:querystring';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { personIdOf } from '../../shared/accounts.ts';
import { Id } from '../../shared/contract.ts';
import { invalid, notFound, type Failure } from '../../shared/failure.ts';
import { plainType } from '../../shared/file-types.ts';
import { limits } from '../../shared/limits.ts';
import type { Output } from '../../shared/protocol.ts';
import { run, timed } from '../command.ts';
import { addressOf, networksOf, takeForNetworks } from '../http/address.ts';
import { fail, identify, respond, send } from '../http/gateway.ts';
import { attempt } from '../node/attempt.ts';
import {
  contextFor,
  type Caller,
  type Node,
  contextForStrangers,
  type Context,
} from '../caller.ts';
import { fileFor, iconFor } from './access.ts';
import { readContent } from './content.ts';
import { addChunk, dropUpload } from './uploads.ts';
import { rangeOf } from './range.ts';
import type { PictureSize } from './pictures.ts';
import { sharerOf, downloadsOn } from './sharing.ts';
import type { StoredFile } from './store.ts';

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

/** For requests that need a signed-in user or a bot. */
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

/** True for `?name` and `?name=true`. */
const isOn = (query: URLSearchParams, name: string) =>
  ['', 'true'].includes(query.get(name) ?? 'false');

const isRead = (method: string | undefined) => method === 'GET' || method === 'HEAD';

const refuse = (allowed: string): Work =>
  known((_caller, _request, response) => {
    response.setHeader('Allow', allowed);
    return Promise.reject(invalid(`Use ${allowed} here.`));
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
    sharer: sharerOf(caller),
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

/** The reader of a file: `name` has the place in the queue, `sharer` the share of the connections. */
interface Reader {
  name: string;
  sharer: string;
  /**
   * Finds the file, if the reader may read it.
   * @throws ChatError not_found
   */
  find: () => Promise<StoredFile>;
  /** @throws ChatError rate_limited */
  count: (bytes: number) => Promise<void>;
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

/** Sends the file, or the range that is asked for; 304 if the client has it already. */
async function sendFile(
  context: Context,
  reader: Reader,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { node } = context;
  const file = await reader.find();
  const asked = new URLSearchParams(request.url?.split('?')[1]);
  const shown = shownOf(file, asked);
  const tag = describe(file, shown, response, asked.has('download'));
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304).end();
    return;
  }
  const { range, 'if-range': unless = tag } = request.headers;
  const part = rangeOf(unless === tag ? range : undefined, shown.size);
  if (part === undefined) {
    response.writeHead(416, { 'Content-Range': `bytes */${shown.size}` }).end();
    return;
  }
  const { start, end } = part;
  if (request.method !== 'HEAD') await reader.count(end - start);
  response.statusCode = part.isWhole ? 200 : 206;
  response.setHeader('Content-Length', end - start);
  if (!part.isWhole) response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${shown.size}`);
  if (request.method === 'HEAD') return void response.end();
  // Not awaited: the time that a client takes to read must not count as the request's duration.
  void attempt(node, 'file', () =>
    downloadsOn(node).run(reader.name, 'files', () => {
      const bytes = { start: shown.at + start, end: shown.at + end };
      return stream(whileFound(reader, readContent(context, reader.sharer, file, bytes)), response);
    }),
  ).then((sent) => {
    if (!sent.ok) breakOff(response, sent.error);
  });
}

/** Answers with the error instead of the file. */
function breakOff(response: ServerResponse, error: Failure): void {
  if (!response.headersSent)
    for (const header of ['Content-Length', 'Content-Range', 'Content-Disposition', 'ETag'])
      response.removeHeader(header);
  fail(response, error);
}

/** The variant of a file that is asked for, and where it begins in the stored bytes. */
interface Shown {
  name: PictureSize['name'] | undefined;
  type: StoredFile['type'];
  at: number;
  size: number;
}

/**
 * The variant that is asked for. A download, and a picture without that variant, is the original.
 * @throws ChatError not_found, for the still image of a GIF that was uploaded before still images were made
 */
function shownOf({ type, size, sizes }: StoredFile, asked: URLSearchParams): Shown {
  const whole = { name: undefined, type, at: 0, size };
  if (asked.has('download')) return whole;
  if (asked.has('still') && sizes === null && type === 'image/gif') throw notFound();
  let at = size;
  for (const one of sizes ?? []) {
    const isIt = one.name === 'still' ? asked.has('still') : one.name === asked.get('size');
    if (isIt) return { ...one, type: 'image/webp', at };
    at += one.size;
  }
  return whole;
}

/** Sets the headers: what the file is, and what browsers may do with it. Returns its ETag. */
function describe(
  { name, sha256, purpose }: StoredFile,
  { name: of, type }: Shown,
  response: ServerResponse,
  isAsked: boolean,
): string {
  const tag = `"${sha256?.toString('base64url') ?? ''}${of ?? ''}"`;
  const disposition = type === plainType || isAsked ? 'attachment' : 'inline';
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `${disposition}; filename*=UTF-8''${encoded(name)}`,
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    // A cached file is shown only after asking again: the right may have ended. Avatars are as public as names.
    'Cache-Control': purpose === null ? 'private, no-cache' : 'private, max-age=3600',
    Vary: 'Cookie, Authorization',
    'Accept-Ranges': 'bytes',
    ETag: tag,
  };
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
  return tag;
}

/** RFC 8187 allows fewer characters than `encodeURIComponent` leaves. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** In bytes. After each of these, a download checks that its reader may still read the file. */
const checkedAfter = 1_000_000;

async function* whileFound(
  { find }: Reader,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of pieces) {
    yield piece;
    sent += piece.length;
    if (sent < checkedAfter) continue;
    await find();
    sent = 0;
  }
}

/** In milliseconds. A client that reads nothing for so long is disconnected. */
const idleTimeoutMs = 30_000;

/** Sends the bytes as fast as the client reads. A client that has disconnected is no error. */
async function stream(bytes: AsyncGenerator<Uint8Array>, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  response.setTimeout(idleTimeoutMs, () => response.destroy());
  const pieces = await started(bytes);
  await pipeline(Readable.from(pieces), response).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
}

const isGone = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** Waits for the first piece, so that an error before it can still be answered. */
async function started<T>(pieces: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await pieces.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* pieces;
  })();
}

/** `curl -T picture.png <url>`: an upload with the same checks and limits as over a socket. */
async function putFile(
  { timelineId, name, asSent }: { timelineId: string; name: string; asSent: boolean },
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = Number(request.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size)) throw invalid('Say how long it is, by Content-Length.', 'size');
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

/** Chunks of the same size as over a socket. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  // A request that breaks off ends the body early, without an error.
  const body = new PassThrough();
  request.pipe(body);
  request.once('close', () => body.end());
  let kept: Buffer[] = [];
  let size = 0;
  for await (const bytes of body as AsyncIterable<Buffer>) {
    kept.push(bytes);
    size += bytes.length;
    if (size < limits.fileChunkBytes) continue;
    let all = Buffer.concat(kept);
    for (; all.length >= limits.fileChunkBytes; all = all.subarray(limits.fileChunkBytes))
      yield all.subarray(0, limits.fileChunkBytes);
    kept = [all];
    size = all.length;
  }
  if (size > 0) yield Buffer.concat(kept);
}
