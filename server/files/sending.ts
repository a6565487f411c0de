/**
 * Nothing that was uploaded runs in a browser: the type comes from the content, only pictures, sound and video are
 * shown inline, and the content security policy of each response sandboxes it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { notFound, type Failure } from '../../shared/failure.ts';
import { plainType } from '../../shared/file-types.ts';
import type { Context } from '../caller.ts';
import { fail } from '../http/gateway.ts';
import { attempt } from '../node/attempt.ts';
import { readContent } from './content.ts';
import type { PictureSize } from './pictures.ts';
import { rangeOf } from './range.ts';
import { runDownload } from './sharing.ts';
import type { StoredFile } from './store.ts';

/** The reader of a file. `name`: the key in the queue of downloads. `sharer`: the key of its connection share. */
export interface Reader {
  name: string;
  sharer: string;
  /** @throws ChatError not_found, if the reader cannot read the file */
  find: () => Promise<StoredFile>;
  /** @throws ChatError rate_limited */
  count: (bytes: number) => Promise<void>;
}

export async function sendFile(
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
    runDownload(node, reader.name, () => {
      const bytes = { start: shown.at + start, end: shown.at + end };
      return stream(whileFound(reader, readContent(context, reader.sharer, file, bytes)), response);
    }),
  ).then((sent) => {
    if (!sent.ok) breakOff(response, sent.error);
  });
}

export function breakOff(response: ServerResponse, error: Failure): void {
  if (!response.headersSent)
    for (const header of ['Content-Length', 'Content-Range', 'Content-Disposition', 'ETag'])
      response.removeHeader(header);
  fail(response, error);
}

interface Shown {
  name: PictureSize['name'] | undefined;
  type: StoredFile['type'];
  at: number;
  size: number;
}

/** The requested size, else the original. @throws ChatError not_found, for the still of a GIF stored before stills */
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

/** Sets the headers, and returns the ETag. */
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

/** In bytes. After each of these, a download checks that its reader can still read the file. */
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

/** A client that has disconnected is no error. */
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
