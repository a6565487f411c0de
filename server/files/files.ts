/** Uploading a file: it is begun, sent in chunks to any node, and finished. */
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { conflict, forbidden, invalid, notFound } from '../../shared/failure.ts';
import { plainType, type PictureType } from '../../shared/file-types.ts';
import type { File } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import type { Caller } from '../command.ts';
import { transaction, type Db } from '../database/database.ts';
import { networksOf } from '../http/address.ts';
import { timelineFor } from '../messages/access.ts';
import { dbForFiles } from '../node/app-for.ts';
import { uploadOf } from './access.ts';
import { giveBack, requireDay, requireRoom, requireSize } from './allowance.ts';
import { readWhole, removeChunks, writeChunk } from './chunks.ts';
import * as store from './store.ts';
import { isPicture, tellingBytes, typeOf } from './types.ts';

const megabyte = 1_000_000;

/** Begins an upload where the caller may send. Called again with the same id, it answers how much has arrived. */
export async function beginFile(
  caller: Caller,
  { id: known, timelineId, purpose, name, size }: Parsed<'file:begin'>,
): Promise<Output<'file:begin'>> {
  const { app, user } = caller;
  const place = { timelineId: timelineId ?? null, purpose: purpose ?? null };
  requireSize(app, size, purpose);
  await requirePlace(caller, place.timelineId);
  const id = known ?? v7();
  const file = { id, uploaderId: user.id, ...place, name, size };
  // An upload that was begun before was counted then, and takes nothing more of the daily allowance.
  const begun = known && (await store.findFile(app.db, known));
  const isNew = begun === undefined && (await insert(caller, file));
  const offset = isNew ? 0 : await offsetOf(caller, file);
  return { fileId: id, chunkBytes: limits.fileChunkBytes, offset };
}

/** False if the id is taken in the meantime. */
const insert = (caller: Caller, file: store.NewFile): Promise<boolean> =>
  transaction(caller.app.db, async (db) => {
    const isInserted = await store.insertFile(db, file);
    if (isInserted) await requireMore(caller, db, file.size);
    return isInserted;
  });

/**
 * Takes bytes from the daily allowance and from the room for all files. Call it last, like `reserve`.
 * @throws ChatError rate_limited, conflict
 */
async function requireMore(caller: Caller, db: Db, bytes: number): Promise<void> {
  if (bytes > 0) await requireDay(caller, db, bytes);
  await requireRoom(caller.app, db, bytes);
}

/**
 * Requires a timeline where the caller may send. Avatars and icons are in no timeline; guests cannot have one.
 * @throws ChatError not_found, forbidden
 */
async function requirePlace(caller: Caller, timelineId: string | null): Promise<void> {
  if (timelineId !== null) await timelineFor(caller.app.db, caller, timelineId, 'send');
  else if (caller.user.kind === 'guest')
    throw forbidden('Guests can’t have a picture. Create an account first.');
}

async function offsetOf(caller: Caller, begun: store.NewFile): Promise<number> {
  const stored = await store.findFile(caller.app.db, begun.id);
  const isSame =
    stored?.uploaderId === begun.uploaderId &&
    stored.timelineId === begun.timelineId &&
    stored.purpose === begun.purpose &&
    // A picture has another size once it is finished.
    (stored.isFinished || stored.size === begun.size);
  if (!isSame) throw conflict('This id is taken by another file.');
  return stored.isFinished ? begun.size : stored.received;
}

/** Stores a chunk after the last one. Returns how much has arrived: the next chunk may go to another node. */
export async function addChunk(
  { app, user }: Caller,
  { fileId, offset, bytes }: Parsed<'file:chunk'>,
): Promise<number> {
  const id = { id: fileId, uploaderId: user.id };
  return app.uploads.run(user.id, fileId, async () => {
    const added = await transaction(dbForFiles(app), async (db) => {
      if (bytes.length === 0) return undefined;
      const received = await store.advance(db, id, offset, bytes.length);
      if (received !== undefined) await writeChunk(db, fileId, offset, bytes);
      return received;
    });
    return added ?? (await uploadOf(app.db, { user }, fileId)).received;
  });
}

/** Finishes a file once all of it has arrived unchanged, and describes it. A finished file never changes. */
export const finishFile = (caller: Caller, input: Parsed<'file:finish'>): Promise<File> =>
  caller.app.uploads.run(caller.user.id, input.fileId, () => finishInLine(caller, input));

async function finishInLine(
  caller: Caller,
  { fileId, sha256 }: Parsed<'file:finish'>,
): Promise<File> {
  const { db } = caller.app;
  const file = await uploadOf(db, caller, fileId);
  await requirePlace(caller, file.timelineId);
  if (file.isFinished) return store.asFile(file);
  if (file.received < file.size) throw conflict('Some of this file hasn’t arrived yet.');
  const read = await inspect(caller, file);
  if (sha256 !== undefined && sha256 !== read.sha256.toString('hex')) {
    await store.restart(db, fileId);
    throw differs();
  }
  const { type, sha256: hash } = read;
  if (file.purpose !== null) return keepAvatar(caller, file, type);
  if (!isPicture(type)) await store.finish(db, { id: fileId, ...read });
  // A picture that cannot be decoded becomes a plain file.
  else if (!(await keepPicture(caller, { ...file, type })))
    await store.finish(db, { id: fileId, type: plainType, sha256: hash });
  const kept = await uploadOf(db, caller, fileId);
  // In the meantime another node found that it differs from what was sent.
  if (!kept.isFinished) throw differs();
  return store.asFile(kept);
}

/** Stores an avatar or icon as a square picture. */
async function keepAvatar(
  caller: Caller,
  file: store.StoredFile,
  type: File['type'],
): Promise<File> {
  const { db } = caller.app;
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
  const { app } = caller;
  const { id, type, size, purpose } = file;
  const most = app.config.PARLEY_FILE_MB * megabyte;
  const sent = { type, most, purpose, bytes: readWhole(dbForFiles(app), id, size) };
  return app.pictures.remake(queueKeyOf(caller), sent, async (facts, bytes) => {
    const beside = facts.sizes.reduce((sum, one) => sum + one.size, 0);
    const stored = facts.size + beside;
    await transaction(dbForFiles(app), async (db) => {
      if (!(await store.lockWhole(db, id))) return;
      const sha256 = await rewrite(db, { id, size: stored }, bytes);
      await store.finish(db, { id, sha256, ...facts, beside });
      await requireMore(caller, db, stored - size);
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

/** Who shares a place in the picture queue: an account with its bots, and all guests of one network. */
const queueKeyOf = ({ user, address }: Caller): string =>
  (user.kind === 'guest' ? networksOf(address).at(-1)?.name : user.ownerId) ?? user.id;

/** Reads the file in pieces, so that it is never in memory as a whole. */
async function inspect({ app }: Caller, { id, size }: store.StoredFile) {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  for await (const piece of readWhole(dbForFiles(app), id, size)) {
    hash.update(piece);
    if (head.length < tellingBytes) head = Buffer.concat([head, piece.subarray(0, tellingBytes)]);
  }
  return { type: typeOf(head), sha256: hash.digest() };
}

export async function deleteFile(caller: Caller, { fileId }: Parsed<'file:delete'>): Promise<void> {
  if (!(await dropUpload(caller, fileId))) throw notFound();
}

/** Deletes an upload. Bytes that did not arrive go back to the daily allowance. Returns whether there was one. */
export const dropUpload = (caller: Caller, fileId: string): Promise<boolean> =>
  transaction(caller.app.db, async (db) => {
    const dropped = await store.dropUnnamed(db, { id: fileId, uploaderId: caller.user.id });
    if (dropped !== undefined && dropped.unsent > 0) await giveBack(caller, db, dropped);
    return dropped !== undefined;
  });
