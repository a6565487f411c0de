/**
 * Notices that the database is another one than before: restored, or promoted with less than all. Nothing is told of
 * one history under the name of another: each connection is asked which one it speaks to before anybody uses it.
 */
import type { App } from '../app.ts';
import { every } from './timer.ts';
import type { Stop } from './clock.ts';
import { endConnections, isAway, query, type Ask } from '../database/database.ts';
import { readEpoch } from './instance.ts';

/** A part of a node that knows something of the database. */
export interface EpochPart {
  /** Forgets it all. */
  reset(): void;
}

/** What was restored in its place is found by asking again on connections that stay. */
export const watchEpoch = (app: App): Stop =>
  every(app, 1_000, 'epoch', async () => {
    const epoch = await readEpoch((sql) => query(app.db, sql)).catch((error: unknown) => {
      // Halfway through a restore nobody should be told that they have no account.
      if (!isAway(error)) endConnections(app.db);
      throw error;
    });
    meet(app, epoch);
  });

/**
 * Looks at a new connection to the database.
 * @throws Error, as if PostgreSQL were away, if it leads to a standby or to half a restore
 */
export async function inspect(app: App, ask: Ask): Promise<void> {
  const epoch = await readEpoch(ask).catch((error: unknown) => {
    if (!isAway(error)) app.log.warn({ err: error }, 'the database cannot be used now');
    throw Object.assign(new Error('The database can’t be used right now.'), {
      code: cannotConnectNow,
    });
  });
  meet(app, epoch);
}

const cannotConnectNow = '57P03';

/** What this node knows is of another life. Everyone comes back, and takes everything whole. */
function meet(app: App, epoch: string): void {
  if (epoch === app.instance.epoch) return;
  app.log.warn({ from: app.instance.epoch, to: epoch }, 'the database is another one than before');
  app.instance.epoch = epoch;
  // Those that are open may lead to the former one, which may still live.
  endConnections(app.db);
  for (const part of app.parts) part.reset();
  app.sockets.closeAll({ code: 'drain', reason: 'The server’s data was restored.', retry: true });
}
