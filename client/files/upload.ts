/** Uploads a file in chunks, a few at a time. After any failure it resumes at the server's offset. */
import pLimit from 'p-limit';
import type { File as Uploaded, PicturePurpose } from '../../shared/files.ts';
import { ChatError } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { retryAfterOf } from '../session/retry.ts';
import { send } from '../session/socket.ts';

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly blob: Blob;
  readonly place: { timelineId: string } | { purpose: PicturePurpose };
  sent: number;
  isBegun: boolean;
  /** True if the sender accepts that the file can reveal where it was taken. */
  readonly asSent?: boolean;
  /** Aborted with the reason when the upload is cancelled. */
  readonly cancelled?: AbortSignal;
}

/** Below the server's limit, so that another device of the same person can upload too. */
const filesUnderWay = pLimit(3);
const underWay = 4;

/** The server has less than was sent, so data was lost on the way. */
class Behind extends Error {}

/** @throws ChatError with the reason why it cannot be uploaded, or the reason of the cancellation */
export function uploadWhole(one: Upload): Promise<Uploaded> {
  const { cancelled } = one;
  return Promise.race([
    filesUnderWay(() => uploadUntil(one, cancelled)),
    ...(cancelled ? [rejectedBy(cancelled)] : []),
  ]);
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

async function uploadUntil(one: Upload, cancelled: AbortSignal | undefined): Promise<Uploaded> {
  for (;;) {
    try {
      cancelled?.throwIfAborted();
      await sendFrom(one, await offsetOf(one), cancelled);
      const sha256 = await hashOf(one.blob);
      const { file } = await send('file:finish', {
        fileId: one.id,
        ...(sha256 && { sha256 }),
        ...(one.asSent && { asSent: true }),
      });
      return file;
    } catch (error) {
      if (one.isBegun && isGone(error)) {
        // The server deletes a stalled upload, so it starts again.
        one.isBegun = false;
        continue;
      }
      const wait = error instanceof Behind ? 0 : retryAfterOf(error);
      if (wait === undefined || cancelled?.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

const isGone = (error: unknown) => error instanceof ChatError && error.code === 'not_found';

/** Starts the upload only once, because each start counts for the day's allowance. */
async function offsetOf(one: Upload): Promise<number> {
  const { id, place, name, blob } = one;
  if (one.isBegun)
    return (await send('file:chunk', { fileId: id, offset: 0, bytes: new Uint8Array() })).offset;
  const begun = await send('file:begin', { id, ...place, name, size: blob.size });
  one.isBegun = true;
  return begun.offset;
}

async function sendFrom(
  one: Upload,
  offset: number,
  cancelled: AbortSignal | undefined,
): Promise<void> {
  const { id: fileId, blob } = one;
  one.sent = offset;
  const waiting = new Set<Promise<void>>();
  for (let at = offset; at < blob.size; at += limits.fileChunkBytes) {
    cancelled?.throwIfAborted();
    const bytes = new Uint8Array(await blob.slice(at, at + limits.fileChunkBytes).arrayBuffer());
    const sent = send('file:chunk', { fileId, offset: at, bytes }).then(({ offset: has }) => {
      one.sent = Math.max(one.sent, has);
      if (has < at + bytes.length) throw new Behind();
      waiting.delete(sent);
    });
    // Rejections are handled below, with the first chunk that fails.
    sent.catch(() => undefined);
    waiting.add(sent);
    if (waiting.size >= underWay) await Promise.race(waiting);
  }
  await Promise.all(waiting);
}

/** Undefined on a page without https, where browsers do not provide hashing. */
async function hashOf(blob: Blob): Promise<string | undefined> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) return undefined;
  const hash = new Uint8Array(await subtle.digest('SHA-256', await blob.arrayBuffer()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
