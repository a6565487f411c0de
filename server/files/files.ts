/** Uploading a file: begun, sent in chunks to whatever node, finished when all is there. */
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { conflict, forbidden, invalid, notFound } from '../../shared/failure.ts';
import { plainType, type File, type PictureType } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import type { App } from '../app.ts';
import type { Caller } from '../command.ts';
import { transaction, type Db } from '../database/database.ts';
import { networksOf } from '../http/address.ts';
import { timelineFor } from '../messages/access.ts';
import { dbForFiles } from '../node/app-for.ts';
import { uploadOf } from './access.ts';
import { postgresContent as content } from './postgres-content.ts';
import * as store from './store.ts';
import { isPicture, tellingBytes, typeOf } from './types.ts';

const megabyte = 1_000_000;

/** Makes room for a file in a timeline where the caller may send. The same again says how much of it is there. */
export async function beginFile(
  caller: Caller,
  { timelineId, name, size, id = v7() }: Parsed<'file:begin'>,
): Promise<Output<'file:begin'>> {
  const { app, user } = caller;
  await takeBytes(caller, size);
  await timelineFor(app.db, caller, timelineId, 'send');
  const file = { id, uploaderId: user.id, timelineId, name, size };
  const isNew = await transaction(app.db, async (db) => {
    const isInserted = await store.insertFile(db, file);
    if (isInserted && !(await store.reserve(db, size, mostOf(app)))) throw noRoom();
    return isInserted;
  });
  const offset = isNew ? 0 : await offsetOf(caller, file);
  return { fileId: id, chunkBytes: limits.fileChunkBytes, offset };
}

/** In bytes, of all files together. */
const mostOf = ({ config }: App) => config.PARLEY_FILES_GB * 1_000 * megabyte;
const noRoom = () => conflict('This server has no room for more files.');

/** By the day, before anything is looked at. Anyone can be a guest, as often as they like: a network's share one day's. */
async function takeBytes({ app, user, address }: Caller, size: number): Promise<void> {
  const { PARLEY_FILE_MB, PARLEY_FILE_DAY_MB } = app.config;
  if (PARLEY_FILE_MB === 0) throw forbidden('Uploads are turned off on this server.');
  if (size > PARLEY_FILE_MB * megabyte)
    throw invalid(`Files can be up to ${PARLEY_FILE_MB} MB.`, 'size');
  const millionths = Math.ceil(size / PARLEY_FILE_DAY_MB);
  await app.limits.take('upload', user.id, millionths);
  if (user.kind !== 'guest') return;
  for (const network of networksOf(address))
    await app.limits.take('guestUpload', network, millionths);
}

async function offsetOf(caller: Caller, begun: store.NewFile): Promise<number> {
  const stored = await store.findFile(caller.app.db, begun.id);
  const isSame =
    stored?.uploaderId === begun.uploaderId &&
    stored.timelineId === begun.timelineId &&
    stored.size === begun.size;
  if (!isSame) throw conflict('This id is taken by another file.');
  return stored.received;
}

/** Keeps a chunk where the last one ended, and says how far it is now: the next one may come by another node. */
export async function addChunk(
  { app, user }: Caller,
  { fileId, offset, bytes }: Parsed<'file:chunk'>,
): Promise<number> {
  const id = { id: fileId, uploaderId: user.id };
  return app.uploads.run(user.id, fileId, async () => {
    const added = await transaction(dbForFiles(app), async (db) => {
      if (bytes.length === 0) return undefined;
      const received = await store.advance(db, id, offset, bytes.length);
      if (received !== undefined) await content.write(db, fileId, offset, bytes);
      return received;
    });
    return added ?? (await uploadOf(app.db, { user }, fileId)).received;
  });
}

/** Says what the file is, once all of it is there and as it was sent. Finished, it stays as it is. */
export const finishFile = (caller: Caller, input: Parsed<'file:finish'>): Promise<File> =>
  caller.app.uploads.run(caller.user.id, input.fileId, () => finishInLine(caller, input));

async function finishInLine(
  caller: Caller,
  { fileId, sha256 }: Parsed<'file:finish'>,
): Promise<File> {
  const { db } = caller.app;
  const file = await uploadOf(db, caller, fileId);
  await timelineFor(db, caller, file.timelineId, 'send');
  if (file.isFinished) return store.asFile(file);
  if (file.received < file.size) throw conflict('Some of this file hasn’t arrived yet.');
  const read = await readWhole(caller, file);
  if (sha256 !== undefined && sha256 !== read.sha256.toString('hex')) {
    await store.restart(db, fileId);
    throw differs();
  }
  const { type, sha256: hash } = read;
  if (!isPicture(type)) await store.finish(db, { id: fileId, ...read });
  // One that cannot be read is nothing to show.
  else if (!(await keepPicture(caller, { ...file, type })))
    await store.finish(db, { id: fileId, type: plainType, sha256: hash });
  const kept = await uploadOf(db, caller, fileId);
  // On another node it was found to differ meanwhile.
  if (!kept.isFinished) throw differs();
  return store.asFile(kept);
}

const differs = () => conflict('This file didn’t arrive as it was sent. Upload it again.');

/** Keeps a picture as it was made anew, and no byte of what was sent. False if it cannot be. */
async function keepPicture(
  caller: Caller,
  file: store.StoredFile & { type: PictureType },
): Promise<boolean> {
  const { app } = caller;
  const { id, type, size } = file;
  const most = app.config.PARLEY_FILE_MB * megabyte;
  const sent = { type, most, bytes: content.read(dbForFiles(app), id, 0, size) };
  return app.pictures.remake(whoIs(caller), sent, async (facts, bytes) => {
    const more = facts.size - size;
    if (more > 0) await takeBytes(caller, more);
    await transaction(dbForFiles(app), async (db) => {
      if (!(await store.lockWhole(db, id))) return;
      const sha256 = await rewrite(db, { id, size: facts.size }, bytes);
      await store.finish(db, { id, type, sha256, ...facts });
      if (!(await store.reserve(db, more, mostOf(app)))) throw noRoom();
    });
  });
}

/** In place of what was there. Returns its hash. */
async function rewrite(
  db: Db,
  { id, size }: Pick<store.StoredFile, 'id' | 'size'>,
  bytes: AsyncIterable<Buffer>,
): Promise<Buffer> {
  await content.remove(db, id);
  const hash = createHash('sha256');
  let at = 0;
  for await (const piece of bytes) {
    await content.write(db, id, at, piece);
    hash.update(piece);
    at += piece.length;
  }
  if (at !== size) throw new Error('a picture ended early');
  return hash.digest();
}

/** Whose turn it is: guests of one network have theirs together. */
const whoIs = ({ user, address }: Caller): string =>
  (user.kind === 'guest' ? networksOf(address).at(-1)?.name : user.ownerId) ?? user.id;

/** In pieces: never all of it is in memory. */
async function readWhole({ app }: Caller, { id, size }: store.StoredFile) {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  for await (const piece of content.read(dbForFiles(app), id, 0, size)) {
    hash.update(piece);
    if (head.length < tellingBytes) head = Buffer.concat([head, piece.subarray(0, tellingBytes)]);
  }
  return { type: typeOf(head), sha256: hash.digest() };
}

export async function deleteFile(
  { app, user }: Caller,
  { fileId }: Parsed<'file:delete'>,
): Promise<void> {
  if (!(await store.dropUnnamed(app.db, { id: fileId, uploaderId: user.id }))) throw notFound();
}
