/**
 * Notices that the database is another one than before: restored, or promoted with less than all. Nothing is told of
 * one history under the name of another: each connection is asked which one it speaks to before anybody uses it.
 */
import type { Closing } from '../../shared/protocol.ts';
import { isAway, query, type Db } from '../database/database.ts';
import { endConnections, type Ask } from '../database/connect.ts';
import { every } from './timer.ts';
import type { Clock, Stop } from './clock.ts';
import type { Logger } from './log.ts';
import { readEpoch, type Instance } from './instance.ts';

/** A part of a node that knows something of the database. */
export interface EpochPart {
  /** Forgets it all. */
  reset(): void;
}

interface Needs {
  ownDb: Db;
  log: Logger;
  clock: Clock;
  instance: Instance;
  parts: EpochPart[];
  sockets: { closeAll(closing: Closing): void };
}

/** What was restored in its place is found by asking again on connections that stay. */
export const watchEpoch = (node: Needs): Stop =>
  every(node, 1_000, 'epoch', async () => {
    const epoch = await readEpoch((sql) => query(node.ownDb, sql)).catch((error: unknown) => {
      // Halfway through a restore nobody should be told that they have no account.
      if (!isAway(error)) endConnections(node.ownDb);
      throw error;
    });
    meet(node, epoch);
  });

/**
 * Looks at a new connection to the database.
 * @throws Error, as if PostgreSQL were away, if it leads to a standby or to half a restore
 */
export async function inspect(node: Needs, ask: Ask): Promise<void> {
  const epoch = await readEpoch(ask).catch((error: unknown) => {
    if (!isAway(error)) node.log.warn({ err: error }, 'the database cannot be used now');
    throw Object.assign(new Error('The database can’t be used right now.'), {
      code: cannotConnectNow,
    });
  });
  meet(node, epoch);
}

const cannotConnectNow = '57P03';

/** What this node knows is of another life. Everyone comes back, and takes everything whole. */
function meet(node: Needs, epoch: string): void {
  if (epoch === node.instance.epoch) return;
  node.log.warn(
    { from: node.instance.epoch, to: epoch },
    'the database is another one than before',
  );
  node.instance.epoch = epoch;
  // Those that are open may lead to the former one, which may still live.
  endConnections(node.ownDb);
  for (const part of node.parts) part.reset();
  node.sockets.closeAll({ code: 'drain', reason: 'The server’s data was restored.', retry: true });
}
