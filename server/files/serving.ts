/**
 * Files over HTTP, beside the gateway: `GET /files/<id>/<name>` by the right of the moment, and `PUT` to a timeline
 * for scripts. Nothing that was uploaded runs in a browser: its type is known by its content, it is shown only if it
 * is a picture, sound or film, and its page is a sandbox without any right.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unescape } from 'node:querystring';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Id } from '../../shared/contract.ts';
import { invalid, notFound } from '../../shared/failure.ts';
import { plainType } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import type { Output } from '../../shared/protocol.ts';
import type { App } from '../app.ts';
import { run, timed, type Caller } from '../command.ts';
import { addressOf } from '../http/address.ts';
import { fail, identify, send } from '../http/gateway.ts';
import { appForAccount, dbForFiles } from '../node/app-for.ts';
import { attempt } from '../node/attempt.ts';
import { fileFor } from './access.ts';
import { addChunk } from './files.ts';
import { postgresContent as content } from './postgres-content.ts';
import { rangeOf } from './range.ts';
import { dropUnnamed, type StoredFile } from './store.ts';

/** Returns a listener that answers requests for files, and says of all others that it did not. */
export function fileRequests(app: App) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path = ''] = (request.url ?? '').split('?');
    const work = workOf(request.method, path.split('/').slice(1));
    if (work === undefined) return false;
    app.session(request, response, () => void reply(app, request, response, work));
    return true;
  };
}

type Work = (caller: Caller, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** `/files/<id>/<name>`, and `/api/channels/<timelineId>/files/<name>`, or a conversation’s. */
function workOf(method: string | undefined, segments: string[]): Work | undefined {
  const [first, second, third = '', fourth, name = ''] = segments;
  if (first === 'files' && segments.length === 3)
    return isRead(method) ? (...all) => readFile(second, ...all) : refuse('GET, HEAD');
  const isPlace = first === 'api' && (second === 'channels' || second === 'conversations');
  if (!isPlace || fourth !== 'files' || segments.length !== 5) return undefined;
  return method === 'PUT'
    ? (...all) => putFile({ timelineId: third, name }, ...all)
    : refuse('PUT');
}

const isRead = (method: string | undefined) => method === 'GET' || method === 'HEAD';

const refuse =
  (allowed: string): Work =>
  (_caller, _request, response) => {
    response.setHeader('Allow', allowed);
    return Promise.reject(invalid(`Use ${allowed} here.`));
  };

async function reply(app: App, request: IncomingMessage, response: ServerResponse, work: Work) {
  const result = await timed(app, 'file', async () => {
    const known = await identify(app, request);
    const address = addressOf(app.config, request);
    await work({ app: appForAccount(app, known.user), ...known, address }, request, response);
  });
  if (result.ok) return;
  // Who is cut off while sending never hears why; what is far too much is not read.
  if (Number(request.headers['content-length'] ?? 0) > app.config.PARLEY_FILE_MB * 1_000_000)
    response.setHeader('Connection', 'close');
  else request.resume();
  fail(response, result.error);
}

async function readFile(
  id: string | undefined,
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { app, user } = caller;
  await app.limits.take('download', user.id);
  const fileId = Id.safeParse(id);
  if (!fileId.success) throw notFound();
  const file = await fileFor(app.db, caller, fileId.data);
  const isAsked = new URLSearchParams(request.url?.split('?')[1]).has('download');
  const tag = describe(file, response, isAsked);
  if (request.headers['if-none-match'] === tag) {
    response.writeHead(304).end();
    return;
  }
  const { range, 'if-range': unless = tag } = request.headers;
  const part = rangeOf(unless === tag ? range : undefined, file.size);
  if (part === undefined) {
    response.writeHead(416, { 'Content-Range': `bytes */${file.size}` }).end();
    return;
  }
  const { start, end } = part;
  response.statusCode = part.isWhole ? 200 : 206;
  response.setHeader('Content-Length', end - start);
  if (!part.isWhole) response.setHeader('Content-Range', `bytes ${start}-${end - 1}/${file.size}`);
  if (request.method === 'HEAD') response.end();
  else void app.downloads.run(user.id, 'files', () => stream(app, file, part, response));
}

/** Says what it is and what browsers may do with it. Returns its ETag. */
function describe(
  { name, type, sha256 }: StoredFile,
  response: ServerResponse,
  isAsked: boolean,
): string {
  const tag = `"${sha256?.toString('base64url') ?? ''}"`;
  const disposition = type === plainType || isAsked ? 'attachment' : 'inline';
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `${disposition}; filename*=UTF-8''${encoded(name)}`,
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    // Kept, but never shown without asking: a right may have ended.
    'Cache-Control': 'private, no-cache',
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

/** In milliseconds. Whoever reads nothing for so long is cut off. */
const patience = 30_000;

/** As fast as it is read. Whoever asked may be gone, or a byte may be missing: both see it end early. */
async function stream(
  app: App,
  { id }: StoredFile,
  { start, end }: { start: number; end: number },
  response: ServerResponse,
): Promise<void> {
  if (response.destroyed) return;
  response.setTimeout(patience, () => response.destroy());
  const pieces = Readable.from(content.read(dbForFiles(app), id, start, end));
  await pipeline(pieces, response).catch(() => response.destroy());
}

/** `curl -T picture.png <here>`: the same checks and limits as over a socket, and the same id. */
async function putFile(
  { timelineId, name }: { timelineId: string; name: string },
  caller: Caller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = Number(request.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size)) throw invalid('Say how long it is, by Content-Length.', 'size');
  const begin = { timelineId, name: unescape(name), size };
  const begun = (await run(caller, 'file:begin', begin)) as Output<'file:begin'>;
  const { fileId } = begun;
  const sent = await attempt(caller.app, 'file', async () => {
    let offset = 0;
    for await (const bytes of chunksOf(request))
      offset = await addChunk(caller, { fileId, offset, bytes });
    return (await run(caller, 'file:finish', { fileId })) as Output<'file:finish'>;
  });
  if (sent.ok) {
    send(response, 201, sent.value);
    return;
  }
  await dropUnnamed(caller.app.db, { id: fileId, uploaderId: caller.user.id });
  fail(response, sent.error);
}

/** As large as over a socket. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  // What is broken off just ends early.
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
