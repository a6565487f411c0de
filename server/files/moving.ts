/**
 * Moves finished files from the database to the object store, one at a time. Every upload goes to the database first,
 * so that any node can go on with it, an unavailable store stops nobody, and files from before a store was configured
 * move as well. An object is complete before its row says so, and the same commit deletes the chunks.
 */
import { transaction, type Db } from '../database/database.ts';
import { StartupProblem } from '../startup.ts';
import { every, type StopWork } from '../node/timer.ts';
import type { Context } from '../caller.ts';
import { readWhole, removeChunks } from './chunks.ts';
import { objectsOf, type ObjectStore } from './object-store.ts';
import { claimUnmoved, hasMoved, markMoved } from './moving-store.ts';
import { fileDb } from './sharing.ts';
import { isStored } from './store.ts';

/** Milliseconds of work in each second. */
const share = 700;

/** After this time another node can move the file, if the first one has ended. */
const claimSeconds = 30;

export function watchMoves(context: Context): StopWork {
  const { node } = context;
  const objects = objectsOf(node);
  if (objects === undefined) return () => Promise.resolve();
  const ending = new AbortController();
  const stop = every(node, 1_000, 'files', async () => {
    const began = performance.now();
    while (!node.draining && performance.now() - began < share)
      if (!(await moveOne(context, objects, ending.signal))) return;
  });
  return () => {
    // A slow store would otherwise hold up the end of the node for minutes.
    ending.abort();
    return stop();
  };
}

/** False if there is no file to move. A file that fails is tried again after all others. */
async function moveOne(
  context: Context,
  objects: ObjectStore,
  stop: AbortSignal,
): Promise<boolean> {
  const { db } = context;
  const file = await claimUnmoved(db, claimSeconds);
  if (file === undefined) return false;
  const { id, size } = file;
  const bytes = readWhole(fileDb(context.node, 'moving'), id, size);
  await objects.write(id, size, bytes, stop).catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
  // Another node moves the file when the claim has expired.
  if (stop.aborted) return false;
  const isMoved = await transaction(db, async (within) => {
    if (!(await markMoved(within, id))) return false;
    await removeChunks(within, id);
    return true;
  });
  // In the meantime another node took this one for dead and deleted the file.
  if (!isMoved && !(await isStored(db, id))) await objects.remove(id);
  return true;
}

/** @throws StartupProblem if files are in an object store and none is configured */
export async function requireFilesReadable(
  db: Db,
  objects: ObjectStore | undefined,
): Promise<void> {
  if (objects === undefined && (await hasMoved(db)))
    throw new StartupProblem(
      'PARLEY_FILES: not set, but files of this Parley are in an object store. Set it to that store.',
    );
}
