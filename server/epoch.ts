import type { App } from './app.ts';
import { every } from './beat.ts';
import { readEpoch } from './instance.ts';
import { closeAll } from './publish.ts';

/** Notices that the database is another one than before: restored, or promoted with less than all. */
export const watchEpoch = (app: App): NodeJS.Timeout =>
  every(app, 1_000, 'epoch', async () => {
    const epoch = await readEpoch(app.db);
    if (epoch !== app.instance.epoch) beginAnew(app, epoch);
  });

/** What this node knows is of another life. Everyone comes back, and takes everything whole. */
function beginAnew(app: App, epoch: string): void {
  app.log.warn({ from: app.instance.epoch, to: epoch }, 'the database is another one than before');
  app.instance.epoch = epoch;
  for (const known of [app.heads, app.marks, app.activity, app.outbox.waiting]) known.clear();
  closeAll(app, { code: 'drain', reason: 'The server’s data was restored.', retry: true });
}
