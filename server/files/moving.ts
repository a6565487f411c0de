/**
 * Moves finished files between the database and the object store, one at a time. Every upload goes to the database
 * first, so that any node can go on with it, an unavailable store stops nobody, and files from before a store was
 * configured move as well. A file is complete in its new place before its row says so. The same commit deletes the
 * chunks, or says when the object can be removed.
 */
import { transaction, type Db } from '../database/database.ts';
import { StartupProblem } from '../startup.ts';
import { every, type StopWork } from '../node/timer.ts';
import type { Context } from '../caller.ts';
import { readWhole, removeChunks } from './chunks.ts';
import { MissingObject, objectsOf, partBytes, type ObjectStore } from './object-store.ts';
import * as store from './moving-store.ts';
import { inPieces } from './pieces.ts';
import { fileDb } from './sharing.ts';

/** Milliseconds of work in each second. */
const share = 700;

/**
 * After this time another node can move the file, if the first one has ended. Longer than the requests after the last
 * renewal: up to three parts of an object, and its completion.
 */
const claimSeconds = 300;

/** Longer than most downloads: one that has begun is read from the object to its end. */
const objectSeconds = 900;

/** A file without its object is tried again after this time. */
const missingSeconds = 3_600;

/** In bytes. Larger than the chunks of uploads, because each costs a statement. */
const chunkBytes = 245_760;

/** Moves one file. False if there is none to move. A file that fails is tried again after all others. */
type Move = (context: Context, objects: ObjectStore, stop: AbortSignal) => Promise<boolean>;

export function watchMoves(context: Context): StopWork {
  const { node } = context;
  const objects = objectsOf(node);
  if (objects === undefined) return () => Promise.resolve();
  const ending = new AbortController();
  const move = moves[node.config.PARLEY_FILES_IN];
  const stop = every(node, 1_000, 'files', async () => {
    const began = performance.now();
    while (!node.draining && performance.now() - began < share)
      if (!(await move(context, objects, ending.signal))) return;
  });
  return () => {
    // A slow store would otherwise hold up the end of the node for minutes.
    ending.abort();
    return stop();
  };
}

const moves: Record<'store' | 'database', Move> = {
  store: async (context, ...rest) =>
    (await moveToStore(context, ...rest)) || (await undoMoveBack(context)),
  database: moveToDatabase,
};

async function moveToStore(
  { node, db }: Context,
  objects: ObjectStore,
  stop: AbortSignal,
): Promise<boolean> {
  const file = await store.claimUnmoved(db, claimSeconds);
  if (file === undefined) return false;
  const { id, object, size } = file;
  const bytes = renewing(db, file, readWhole(fileDb(node, 'moving'), id, size));
  const [written] = await Promise.allSettled([objects.write(object, size, bytes, stop)]);
  if (written.status === 'fulfilled')
    await transaction(db, async (within) => {
      if (await store.markMoved(within, file)) await removeChunks(within, id);
    });
  // Also after a failure: the store can have the object although its answer was lost.
  await store.noteIfUnused(db, file);
  if (written.status === 'rejected' && !stop.aborted) throw written.reason;
  return !stop.aborted;
}

/** Renews the claim with each part of the file. @throws if the file was moved or deleted in the meantime */
async function* renewing(
  db: Db,
  file: store.MovingFile,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let unrenewed = 0;
  for await (const piece of bytes) {
    unrenewed += piece.length;
    if (unrenewed > partBytes) {
      if (!(await store.renewClaim(db, file, claimSeconds)))
        throw new Error(`The file ${file.id} was moved or deleted by another node.`);
      unrenewed = piece.length;
    }
    yield piece;
  }
}

async function moveToDatabase(
  context: Context,
  objects: ObjectStore,
  stop: AbortSignal,
): Promise<boolean> {
  const { db } = context;
  const file = await transaction(db, async (within) => {
    const claimed = await store.claimMoved(within, claimSeconds);
    // An earlier move may have stored chunks of another size.
    if (claimed !== undefined) await removeChunks(within, claimed.id);
    return claimed;
  });
  if (file === undefined) return false;
  const copied = copyChunks(context, file, objects.read(file.object, 0, file.size, stop));
  await copied.catch(async (error: unknown) => {
    if (error instanceof MissingObject) await store.postpone(db, file, missingSeconds);
    if (!stop.aborted) throw error;
  });
  if (stop.aborted) return false;
  await transaction(db, (within) => store.markMovedBack(within, file, objectSeconds));
  return true;
}

async function copyChunks(
  { node }: Context,
  file: store.MovingFile,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const db = fileDb(node, 'moving');
  let at = 0;
  for await (const piece of inPieces(bytes, chunkBytes)) {
    if (!(await store.addMovedChunk(db, file, { at, bytes: piece }, claimSeconds))) return;
    at += piece.length;
  }
  if (at < file.size) throw new MissingObject(`the end of the object ${file.object} is missing`);
}

/** Removes the chunks of a move back that ended half-way. */
const undoMoveBack = ({ db }: Context): Promise<boolean> =>
  transaction(db, async (within) => {
    const id = await store.undoMoveBack(within);
    if (id === undefined) return false;
    await removeChunks(within, id);
    return true;
  });

/** @throws StartupProblem if files are in an object store and none is configured */
export async function requireFilesReadable(
  db: Db,
  objects: ObjectStore | undefined,
): Promise<void> {
  if (objects === undefined && (await store.hasObjects(db)))
    throw new StartupProblem(
      'PARLEY_FILES: not set, but files of this Parley are in an object store. Set it to that store.',
    );
}
