/**
 * Deletes unused files: those of deleted messages at once, stalled uploads after ten minutes, and files that were never
 * in a message after a day.
 */
import type { App } from '../app.ts';
import { quotas } from '../../shared/quotas.ts';
import { transaction } from '../database/database.ts';
import type { Stop } from '../node/clock.ts';
import { every } from '../node/timer.ts';
import { giveBackUnsent } from './allowance.ts';
import { removeContent } from './content.ts';
import { deleteFile, lockSuperfluous } from './store.ts';

const retention = { unused: quotas.unnamedFileSeconds, stalled: quotas.stalledFileSeconds };

/** In milliseconds: so long in each second. */
const share = 300;

type Needs = Pick<App, 'db' | 'objects' | 'draining'>;

export const watchFiles = (app: App): Stop => every(app, 1_000, 'files', () => sweepFiles(app));

export async function sweepFiles(app: Needs): Promise<void> {
  const began = performance.now();
  while (!app.draining && performance.now() - began < share) if (!(await sweepOne(app))) return;
}

/** Its bytes, its row and what it counted for go together. False if there is none. */
const sweepOne = (app: Needs): Promise<boolean> =>
  transaction(app.db, async (within) => {
    const file = await lockSuperfluous(within, retention);
    if (file === undefined) return false;
    await removeContent(app, within, file);
    if (file.unsent > 0) await giveBackUnsent(within, file);
    await deleteFile(within, file);
    return true;
  });
