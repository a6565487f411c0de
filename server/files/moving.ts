/**
 * Moves finished files from the database to the object store, one at a time. Every file is uploaded into the database:
 * so any node goes on with any upload, a store that is away stops nobody, and what was there before a store was
 * configured moves as well. An object is whole before its row says that it is there, and the chunks go in that commit.
 */
import { transaction, type Db } from '../database/database.ts';
import type { Stop } from '../node/clock.ts';
import { StartupProblem } from '../startup.ts';
import { every } from '../node/timer.ts';
import type { Context } from '../caller.ts';
import { readWhole, removeChunks } from './chunks.ts';
import { objectsOf, type ObjectStore } from './object-store.ts';
import { claimUnmoved, hasMoved, markMoved } from './moving-store.ts';
import { fileDb } from './sharing.ts';
import { isStored } from './store.ts';

/** In milliseconds: so long in each second. */
const share = 700;

/** For so long a file is one node’s to move: what that node leaves when it ends, another moves then. */
const claimSeconds = 30;

export function watchMoves(context: Context): Stop {
  const { node } = context;
  const objects = objectsOf(node);
  if (objects === undefined) return () => undefined;
  return every(node, 1_000, 'files', async () => {
    const began = performance.now();
    while (!node.draining && performance.now() - began < share)
      if (!(await moveOne(context, objects))) return;
  });
}

/** False if there is none. One that fails has its turn again after all others. */
async function moveOne(context: Context, objects: ObjectStore): Promise<boolean> {
  const { db } = context;
  const file = await claimUnmoved(db, claimSeconds);
  if (file === undefined) return false;
  const { id, size } = file;
  await objects.write(id, size, readWhole(fileDb(context.node, 'moving'), id, size));
  const isMoved = await transaction(db, async (within) => {
    if (!(await markMoved(within, id))) return false;
    await removeChunks(within, id);
    return true;
  });
  // Deleted since, by a node that took this one for dead.
  if (!isMoved && !(await isStored(db, id))) await objects.remove(id);
  return true;
}

/** @throws StartupProblem if there are files that nobody could read */
export async function requireFilesReadable(
  db: Db,
  objects: ObjectStore | undefined,
): Promise<void> {
  if (objects === undefined && (await hasMoved(db)))
    throw new StartupProblem(
      'PARLEY_FILES: files of this Parley are in an object store. Set it to that store again.',
    );
}
