/** Uploading a file: it is begun, sent in chunks to any node, and finished. */
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { busy, conflict, forbidden, invalid, notFound } from '../../shared/failure.ts';
import { plainType, type PictureType } from '../../shared/file-types.ts';
import type { File } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { transaction, type Db } from '../database/database.ts';
import { timelineFor } from '../messages/access.ts';
import { attempt } from '../node/attempt.ts';
import type { Caller } from '../caller.ts';
import { uploadOf } from './access.ts';
import { giveBack, requireDay, requireRoom, requireSize, reserveRoom } from './allowance.ts';
import { readWhole, removeChunks, writeChunk } from './chunks.ts';
import { dbForFiles, dbForPictures, runUpload, sharerOf } from './sharing.ts';
import * as store from './store.ts';
import { TraceSearch } from './traces.ts';
import { isPicture, tellingBytes, typeOf } from './types.ts';
import { picturesOn } from './pictures.ts';

const megabyte = 1_000_000;

/** Begins an upload where the caller may send. Called again with the same id, it answers how much has arrived. */
export async function beginFile(
  caller: Caller,
  { id: known, timelineId, purpose, name, size }: Parsed<'file:begin'>,
): Promise<Output<'file:begin'>> {
  const { db, user } = caller;
  const place = { timelineId: timelineId ?? null, purpose: purpose ?? null };
  requireSize(caller.node, size, purpose);
  await requirePlace(caller, place.timelineId);
  const id = known ?? v7();
  const file = { id, uploaderId: user.id, ...place, name, size };
  // An upload that was begun before was counted then, and takes nothing more of the daily allowance.
  const begun = known && (await store.findFile(db, known));
  const isNew = begun === undefined && (await insert(caller, file));
  const offset = isNew ? 0 : await offsetOf(caller, file);
  return { fileId: id, chunkBytes: limits.fileChunkBytes, offset };
}

/** False when the id is taken in the meantime, or when too many uploads are unfinished. */
const insert = (caller: Caller, file: store.NewFile): Promise<boolean> =>
  transaction(caller.db, async (db) => {
    if (!(await store.insertFile(db, file, quotas.unfinishedFiles))) return false;
    await requireRoom(caller, db, file.size);
    await requireDay(caller, db, file.size);
    return true;
  });

const tooManyUploads = () =>
  busy(`Up to ${quotas.unfinishedFiles} files can be uploaded at the same time.`, 2_000);

/**
 * Requires a timeline where the caller may send. Avatars and icons are in no timeline; guests cannot have one.
 * @throws ChatError not_found, forbidden
 */
async function requirePlace(caller: Caller, timelineId: string | null): Promise<void> {
  if (timelineId !== null) await timelineFor(caller.db, caller, timelineId, 'send');
  else if (caller.user.kind === 'guest')
    throw forbidden('Guests can’t have a picture. Create an account first.');
}

async function offsetOf(caller: Caller, begun: store.NewFile): Promise<number> {
  const stored = await store.findFile(caller.db, begun.id);
  if (stored === undefined) throw tooManyUploads();
  const isSame =
    stored.uploaderId === begun.uploaderId &&
    stored.timelineId === begun.timelineId &&
    stored.purpose === begun.purpose &&
    // A picture has another size once it is finished.
    (stored.isFinished || stored.size === begun.size);
  if (!isSame) throw conflict('This id is taken by another file.');
  return stored.isFinished ? begun.size : stored.received;
}

/** Stores a chunk after the last one. Returns how much has arrived: the next chunk may go to another node. */
export const addChunk = (caller: Caller, chunk: Parsed<'file:chunk'>): Promise<number> =>
  runUpload(caller, chunk.fileId, () => addInLine(caller, chunk));

async function addInLine(
  caller: Caller,
  { fileId, offset, bytes }: Parsed<'file:chunk'>,
): Promise<number> {
  const db = dbForFiles(caller);
  const id = { id: fileId, uploaderId: caller.user.id };
  const add = () => (bytes.length === 0 ? undefined : store.addBytes(db, id, offset, bytes));
  const added = await add();
  if (added !== undefined) return added;
  const file = await chunkedFile(caller, fileId);
  const end = offset + bytes.length;
  const isNext = !file.isFinished && file.received === offset && end <= file.size;
  if (!isNext || end <= file.reserved) return file.received;
  await reserveUpTo(caller, file, end);
  return (await add()) ?? (await chunkedFile(caller, fileId)).received;
}

/** Extra points for a chunk of an unknown file, because no client sends one by mistake. */
const moreForUnknown = 9;

/** @throws ChatError not_found, rate_limited */
async function chunkedFile(caller: Caller, fileId: string): Promise<store.StoredFile> {
  const { node, user } = caller;
  const file = await store.findFile(dbForFiles(caller), fileId);
  if (file?.uploaderId === user.id) return file;
  await node.limits.take('chunk', user.id, moreForUnknown);
  throw notFound();
}

/**
 * Reserves room up to `end` and as much again, at most a megabyte more, so that uploads update their shared row of
 * `file_usage` less often. An upload never reserves more than twice what has arrived.
 * @throws ChatError conflict
 */
async function reserveUpTo(caller: Caller, file: store.StoredFile, end: number): Promise<void> {
  const to = Math.min(file.size, end + Math.min(end, megabyte));
  await transaction(dbForFiles(caller), async (db) => {
    if (await store.raiseReserved(db, file, to)) await reserveRoom(caller, db, to - file.reserved);
  });
}

/** Finishes a file once all of it has arrived unchanged, and describes it. A finished file never changes. */
export const finishFile = (caller: Caller, input: Parsed<'file:finish'>): Promise<File> =>
  runUpload(caller, input.fileId, () => finishInLine(caller, input));

async function finishInLine(
  caller: Caller,
  { fileId, sha256, asSent = false }: Parsed<'file:finish'>,
): Promise<File> {
  const { db } = caller;
  const file = await uploadOf(db, caller, fileId);
  await requirePlace(caller, file.timelineId);
  if (file.isFinished) return store.asFile(file);
  if (file.received < file.size) throw conflict('Some of this file hasn’t arrived yet.');
  const read = await readContent(caller, file);
  if (sha256 !== undefined && sha256 !== read.sha256.toString('hex')) {
    await startAgain(caller, file);
    throw differs();
  }
  const { type, sha256: hash, hasTraces } = read;
  if (file.purpose !== null) return keepAvatar(caller, file, type);
  if (!isPicture(type) || asSent || !(await keepPicture(caller, { ...file, type }))) {
    // A picture that was not encoded again becomes a plain file.
    const kept = { id: fileId, type: isPicture(type) ? plainType : type, sha256: hash };
    if (hasTraces && !asSent) {
      // Not for a picture, because the next attempt may decode it.
      if (!isPicture(type)) await store.saveContent(db, kept);
      throw tellsPlace(file.name);
    }
    await store.finish(db, kept);
  }
  const kept = await uploadOf(db, caller, fileId);
  // In the meantime another node found that it differs from what was sent.
  if (!kept.isFinished) throw differs();
  return store.asFile(kept);
}

const tellsPlace = (name: string) =>
  invalid(
    `“${name}” may say where it was taken, and that can’t be removed. Try again to send it as it is.`,
    'asSent',
  );

/** Counts the bytes again for the day, because they are sent again. Deletes a file that cannot be sent again. */
async function startAgain(caller: Caller, file: store.StoredFile): Promise<void> {
  const { node, db } = caller;
  const again = await attempt(node, 'file:finish', () =>
    transaction(dbForFiles(caller), async (db) => {
      if (!(await store.restart(db, file.id, quotas.fileRestarts))) return;
      await removeChunks(db, file.id);
      await requireDay(caller, db, file.size);
    }),
  );
  if (!again.ok) await store.dropUnnamed(db, file);
}

/** Stores an avatar or icon as a square picture. */
async function keepAvatar(
  caller: Caller,
  file: store.StoredFile,
  type: File['type'],
): Promise<File> {
  const { db } = caller;
  if (!isPicture(type) || !(await keepPicture(caller, { ...file, type }))) {
    await store.dropUnnamed(db, file);
    throw invalid('This picture can’t be read. Use a PNG, JPEG, GIF, WebP or AVIF file.');
  }
  return store.asFile(await uploadOf(db, caller, file.id));
}

const differs = () => conflict('This file didn’t arrive as it was sent. Upload it again.');

/** Replaces an uploaded picture by its re-encoded version: no uploaded byte stays. False if it cannot be decoded. */
async function keepPicture(
  caller: Caller,
  file: store.StoredFile & { type: PictureType },
): Promise<boolean> {
  const { node } = caller;
  const { id, type, size, purpose } = file;
  const most = node.config.PARLEY_FILE_MB * megabyte;
  const files = dbForPictures(caller);
  const sent = { type, most, purpose, bytes: readWhole(files, id, size) };
  return picturesOn(node).remake(sharerOf(caller), sent, async (facts, bytes) => {
    const beside = facts.sizes.reduce((sum, one) => sum + one.size, 0);
    const stored = facts.size + beside;
    await transaction(files, async (db) => {
      if (!(await store.lockWhole(db, id))) return;
      const sha256 = await rewrite(db, { id, size: stored }, bytes);
      await store.finish(db, { id, sha256, ...facts, beside });
      if (stored > size) await requireDay(caller, db, stored - size);
      await reserveRoom(caller, db, stored - file.reserved);
    });
  });
}

/** Replaces the stored bytes. Returns their hash. */
async function rewrite(
  db: Db,
  { id, size }: Pick<store.StoredFile, 'id' | 'size'>,
  bytes: AsyncIterable<Buffer>,
): Promise<Buffer> {
  await removeChunks(db, id);
  const hash = createHash('sha256');
  let at = 0;
  for await (const piece of bytes) {
    await writeChunk(db, id, at, piece);
    hash.update(piece);
    at += piece.length;
  }
  if (at !== size) throw new Error('a picture ended early');
  return hash.digest();
}

/** Reads the content once: after a refusal, `finish` uses the stored result. */
const readContent = async (caller: Caller, file: store.StoredFile): Promise<Content> =>
  file.sha256
    ? { type: file.type, sha256: file.sha256, hasTraces: true }
    : await inspect(caller, file);

interface Content {
  type: File['type'];
  sha256: Buffer;
  hasTraces: boolean;
}

/** Reads the file in pieces, so that it is never in memory as a whole. */
async function inspect(caller: Caller, { id, size }: store.StoredFile): Promise<Content> {
  const hash = createHash('sha256');
  const traces = new TraceSearch();
  let head = Buffer.alloc(0);
  for await (const piece of readWhole(dbForFiles(caller), id, size)) {
    hash.update(piece);
    traces.add(piece);
    if (head.length < tellingBytes) head = Buffer.concat([head, piece.subarray(0, tellingBytes)]);
  }
  return { type: typeOf(head), sha256: hash.digest(), hasTraces: traces.found };
}

export async function deleteFile(caller: Caller, { fileId }: Parsed<'file:delete'>): Promise<void> {
  if (!(await dropUpload(caller, fileId))) throw notFound();
}

/** Deletes an upload. Bytes that did not arrive go back to the daily allowance. Returns whether there was one. */
export const dropUpload = (caller: Caller, fileId: string): Promise<boolean> =>
  transaction(caller.db, async (db) => {
    const dropped = await store.dropUnnamed(db, { id: fileId, uploaderId: caller.user.id });
    if (dropped !== undefined && dropped.unsent > 0) await giveBack(caller, db, dropped);
    return dropped !== undefined;
  });
