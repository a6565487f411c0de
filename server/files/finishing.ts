import { createHash } from 'node:crypto';
import { conflict, invalid } from '../../shared/failure.ts';
import { plainType, type PictureType } from '../../shared/file-types.ts';
import type { File } from '../../shared/files.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { quotas } from '../../shared/quotas.ts';
import { transaction, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import type { Caller } from '../caller.ts';
import { requirePlace, uploadOf } from './access.ts';
import { megabyte, requireDay, reserveRoom } from './allowance.ts';
import { readWhole, removeChunks, writeChunk } from './chunks.ts';
import { picturesOn } from './pictures.ts';
import { dbForFiles, dbForPictures, runUpload, shareKeyOf } from './sharing.ts';
import { asFile, type StoredFile } from './store.ts';
import { TraceSearch } from './traces.ts';
import { isPicture, signatureBytes, typeOf } from './types.ts';
import * as store from './upload-store.ts';

/** A finished file never changes. */
export const finishFile = (caller: Caller, input: Parsed<'file:finish'>): Promise<File> =>
  runUpload(caller, input.fileId, () => finishInLine(caller, input));

async function finishInLine(
  caller: Caller,
  { fileId, sha256, asSent = false }: Parsed<'file:finish'>,
): Promise<File> {
  const { db } = caller;
  const file = await uploadOf(db, caller, fileId);
  await requirePlace(caller, file.timelineId);
  if (file.isFinished) return asFile(file);
  if (file.received < file.size) throw conflict('Some of this file hasn’t arrived yet.');
  const read = await readContent(caller, file);
  if (sha256 !== undefined && sha256 !== read.sha256.toString('hex')) {
    await startAgain(caller, file);
    throw differs();
  }
  const { type, sha256: hash, hasTraces } = read;
  if (file.purpose !== null) return finishAvatar(caller, file, type);
  if (!isPicture(type) || asSent || !(await encodePicture(caller, { ...file, type }))) {
    // A picture that was not encoded again becomes a plain file.
    const finished = { id: fileId, type: isPicture(type) ? plainType : type, sha256: hash };
    if (hasTraces && !asSent) {
      // Not for a picture, because the next attempt may decode it.
      if (!isPicture(type)) await store.saveContent(db, finished);
      throw revealsLocation(file.name);
    }
    await store.finish(db, finished);
  }
  const finished = await uploadOf(db, caller, fileId);
  // In the meantime another node found that it differs from what was sent.
  if (!finished.isFinished) throw differs();
  return asFile(finished);
}

const revealsLocation = (name: string) =>
  invalid(
    `“${name}” may say where it was taken, and that can’t be removed. Try again to send it as it is.`,
    'asSent',
  );

/** Counts the bytes again for the day, because they are sent again. Deletes a file that cannot be sent again. */
async function startAgain(caller: Caller, file: StoredFile): Promise<void> {
  const { node, db } = caller;
  const restarted = await attempt(node, 'file:finish', () =>
    transaction(dbForFiles(caller), async (db) => {
      if (!(await store.restart(db, file.id, quotas.fileRestarts))) return;
      await removeChunks(db, file.id);
      await requireDay(caller, db, file.size);
    }),
  );
  if (!restarted.ok) await store.dropUnnamed(db, file);
}

async function finishAvatar(caller: Caller, file: StoredFile, type: File['type']): Promise<File> {
  const { db } = caller;
  if (!isPicture(type) || !(await encodePicture(caller, { ...file, type }))) {
    await store.dropUnnamed(db, file);
    throw invalid('This picture can’t be read. Use a PNG, JPEG, GIF, WebP or AVIF file.');
  }
  return asFile(await uploadOf(db, caller, file.id));
}

const differs = () => conflict('This file didn’t arrive as it was sent. Upload it again.');

/** Replaces an uploaded picture by its re-encoded version: no uploaded byte stays. False if it cannot be decoded. */
async function encodePicture(
  caller: Caller,
  file: StoredFile & { type: PictureType },
): Promise<boolean> {
  const { node } = caller;
  const { id, type, size, purpose } = file;
  const maxBytes = node.config.PARLEY_FILE_MB * megabyte;
  const files = dbForPictures(caller);
  const sent = { type, maxBytes, purpose, bytes: readWhole(files, id, size) };
  return picturesOn(node).remake(shareKeyOf(caller), sent, async (facts, bytes) => {
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

async function rewrite(
  db: Db,
  { id, size }: Pick<StoredFile, 'id' | 'size'>,
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
  if (at !== size) throw new Error('a re-encoded picture differs from its expected size');
  return hash.digest();
}

/** Reads the content once: after a refusal, `finish` uses the stored result. */
const readContent = async (caller: Caller, file: StoredFile): Promise<Content> =>
  file.sha256
    ? { type: file.type, sha256: file.sha256, hasTraces: true }
    : await inspect(caller, file);

interface Content {
  type: File['type'];
  sha256: Buffer;
  hasTraces: boolean;
}

/** Reads the file in pieces, so that it is never in memory as a whole. */
async function inspect(caller: Caller, { id, size }: StoredFile): Promise<Content> {
  const hash = createHash('sha256');
  const traces = new TraceSearch();
  let head = Buffer.alloc(0);
  for await (const piece of readWhole(dbForFiles(caller), id, size)) {
    hash.update(piece);
    traces.add(piece);
    if (head.length < signatureBytes)
      head = Buffer.concat([head, piece.subarray(0, signatureBytes)]);
  }
  return { type: typeOf(head), sha256: hash.digest(), hasTraces: traces.found };
}
