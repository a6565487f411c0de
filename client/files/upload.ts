/** Uploads a file in chunks, a few of them under way. Whatever breaks, it goes on where the server is. */
import type { File as Uploaded } from '../../shared/files.ts';
import { ChatError } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { send } from '../session/socket.ts';
import { NoResponse } from '../sync/connection.ts';
import type { Attachment } from './attaching.svelte.ts';

const underWay = 4;
/** In milliseconds, where the server names no time. */
const pause = 1_000;

/** The server has less than what was sent: something on the way was lost. */
class Behind extends Error {}

/** @throws ChatError what cannot be uploaded */
export async function uploadWhole(one: Attachment): Promise<Uploaded> {
  while (!one.isCancelled) {
    try {
      await sendFrom(one, await offsetOf(one));
      const sha256 = await hashOf(one.blob);
      const { file } = await send('file:finish', { fileId: one.id, ...(sha256 && { sha256 }) });
      return file;
    } catch (error) {
      const wait = patienceWith(error);
      if (wait === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  throw new ChatError('conflict', 'Cancelled.');
}

/** How long to wait before it is tried again; undefined if that would not help. */
function patienceWith(error: unknown): number | undefined {
  if (error instanceof Behind) return 0;
  if (error instanceof NoResponse) return pause;
  if (!(error instanceof ChatError)) return undefined;
  const { retryAfterMs = pause } = error.detail;
  const isBrief = retryAfterMs < 60_000;
  return isBrief && (error.code === 'rate_limited' || error.code === 'busy')
    ? retryAfterMs
    : undefined;
}

/** What it begins with is asked for once: each beginning counts for the day. */
async function offsetOf(one: Attachment): Promise<number> {
  const { id, timelineId, name, blob } = one;
  if (one.isBegun)
    return (await send('file:chunk', { fileId: id, offset: 0, bytes: new Uint8Array() })).offset;
  const begun = await send('file:begin', { id, timelineId, name, size: blob.size });
  one.isBegun = true;
  return begun.offset;
}

async function sendFrom(one: Attachment, offset: number): Promise<void> {
  const { id: fileId, blob } = one;
  one.sent = offset;
  const waiting = new Set<Promise<void>>();
  for (let at = offset; at < blob.size && !one.isCancelled; at += limits.fileChunkBytes) {
    const bytes = new Uint8Array(await blob.slice(at, at + limits.fileChunkBytes).arrayBuffer());
    const sent = send('file:chunk', { fileId, offset: at, bytes }).then(({ offset: has }) => {
      one.sent = Math.max(one.sent, has);
      if (has < at + bytes.length) throw new Behind();
      waiting.delete(sent);
    });
    // Heard of below, with the first that fails.
    sent.catch(() => undefined);
    waiting.add(sent);
    if (waiting.size >= underWay) await Promise.race(waiting);
  }
  await Promise.all(waiting);
}

/** Undefined on a page without https, where browsers do not hash. */
async function hashOf(blob: Blob): Promise<string | undefined> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) return undefined;
  const hash = new Uint8Array(await subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
