/** Deletes files of deleted messages at once, stalled uploads after ten minutes, files in no message after a day. */
import { quotas } from '../../shared/quotas.ts';
import { transaction } from '../database/database.ts';
import { every, type StopWork } from '../node/timer.ts';
import type { Context } from '../caller.ts';
import { giveBackUnsent } from './allowance.ts';
import { removeContent } from './content.ts';
import { takeOldObject } from './moving-store.ts';
import { objectsOf } from './object-store.ts';
import { deleteFile, lockSuperfluous } from './store.ts';

const retention = { unused: quotas.unnamedFileSeconds, stalled: quotas.stalledFileSeconds };

/** Milliseconds of work in each second. */
const share = 300;

export const watchFiles = (context: Context): StopWork =>
  every(context.node, 1_000, 'files', () => sweepFiles(context));

export async function sweepFiles(context: Context): Promise<void> {
  const began = performance.now();
  while (!context.node.draining && performance.now() - began < share)
    if (!(await sweepOne(context)) && !(await removeOldObject(context))) return;
}

/** Deletes the bytes of a file, its row and what it counted for together. False if there is no file to delete. */
const sweepOne = ({ node, db }: Context): Promise<boolean> =>
  transaction(db, async (within) => {
    const file = await lockSuperfluous(within, retention);
    if (file === undefined) return false;
    await removeContent(node, within, file);
    if (file.unsentBytes > 0) await giveBackUnsent(within, file);
    await deleteFile(within, file);
    return true;
  });

/** False if there is none to remove. */
const removeOldObject = ({ node, db }: Context): Promise<boolean> =>
  transaction(db, async (within) => {
    const objects = objectsOf(node);
    const object = objects && (await takeOldObject(within));
    if (objects === undefined || object === undefined) return false;
    await objects.remove(object);
    return true;
  });
