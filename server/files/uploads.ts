/** Begins uploads, and stores chunks that any node receives. finishing.ts finishes them. */
import { v7 } from 'uuid';
import { busy, conflict, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { transaction } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { requirePlace } from './access.ts';
import {
  giveBack,
  megabyte,
  requireDay,
  requireRoom,
  requireSize,
  reserveRoom,
} from './allowance.ts';
import { dbForFiles, runUpload } from './sharing.ts';
import { findFile, type StoredFile } from './store.ts';
import * as store from './upload-store.ts';

/** Begins an upload where the caller can send. Called again with the same id, it answers how much has arrived. */
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
  const begun = known && (await findFile(db, known));
  const isNew = begun === undefined && (await insert(caller, file));
  const offset = isNew ? 0 : await offsetOf(caller, file);
  return { fileId: id, chunkBytes: limits.fileChunkBytes, offset };
}

const insert = (caller: Caller, file: store.NewFile): Promise<boolean> =>
  transaction(caller.db, async (db) => {
    if (!(await store.insertFile(db, file, quotas.unfinishedFiles))) return false;
    await requireRoom(caller, db, file.size);
    await requireDay(caller, db, file.size);
    return true;
  });

const tooManyUploads = () =>
  busy(`Up to ${quotas.unfinishedFiles} files can be uploaded at the same time.`, 2_000);

async function offsetOf(caller: Caller, begun: store.NewFile): Promise<number> {
  const stored = await findFile(caller.db, begun.id);
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

/** Stores a chunk after the last one. Returns how much has arrived: the next chunk can go to another node. */
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
async function chunkedFile(caller: Caller, fileId: string): Promise<StoredFile> {
  const { node, user } = caller;
  const file = await findFile(dbForFiles(caller), fileId);
  if (file?.uploaderId === user.id) return file;
  await node.limits.take('chunk', user.id, moreForUnknown);
  throw notFound();
}

/**
 * Reserves room up to `end` and as much again, at most a megabyte more, so that uploads update their shared row of
 * `file_usage` less often. An upload never reserves more than twice what has arrived.
 * @throws ChatError conflict
 */
async function reserveUpTo(caller: Caller, file: StoredFile, end: number): Promise<void> {
  const to = Math.min(file.size, end + Math.min(end, megabyte));
  await transaction(dbForFiles(caller), async (db) => {
    if (await store.raiseReserved(db, file, to)) await reserveRoom(caller, db, to - file.reserved);
  });
}

export async function deleteFile(caller: Caller, { fileId }: Parsed<'file:delete'>): Promise<void> {
  if (!(await dropUpload(caller, fileId))) throw notFound();
}

/** Deletes an upload. Bytes that did not arrive go back to the daily allowance. Returns whether there was one. */
export const dropUpload = (caller: Caller, fileId: string): Promise<boolean> =>
  transaction(caller.db, async (db) => {
    const dropped = await store.dropUnnamed(db, { id: fileId, uploaderId: caller.user.id });
    if (dropped !== undefined && dropped.unsentBytes > 0) await giveBack(caller, db, dropped);
    return dropped !== undefined;
  });
