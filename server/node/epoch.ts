/**
 * Detects that the database was restored, or promoted without the latest commits. Each connection is checked before its
 * first use, so that data of one history is never sent under the epoch of another.
 */
import type { Closing } from '../../shared/protocol.ts';
import { isAway, query, type Db } from '../database/database.ts';
import { endConnections, type Ask } from '../database/connect.ts';
import { every, type StopWork } from './timer.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';
import { readEpoch, type Instance } from './instance.ts';

export interface EpochPart {
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

/** Reads the epoch once a second, because a restore into the same database keeps the connections open. */
export const watchEpoch = (node: Needs): StopWork =>
  every(node, 1_000, 'epoch', async () => {
    const epoch = await readEpoch((sql) => query(node.ownDb, sql)).catch((error: unknown) => {
      // Halfway through a restore, accounts would appear not to exist.
      if (!isAway(error)) endConnections(node.ownDb);
      throw error;
    });
    meet(node, epoch);
  });

/** @throws Error, as if PostgreSQL were away, if a new connection leads to a standby or to half a restore */
export async function inspect(node: Needs, ask: Ask): Promise<void> {
  const epoch = await readEpoch(ask).catch((error: unknown) => {
    if (!isAway(error))
      node.log.warn({ err: error }, 'rejected a database connection: failed to read its epoch');
    throw Object.assign(new Error('The database can’t be used right now.'), {
      code: cannotConnectNow,
    });
  });
  meet(node, epoch);
}

const cannotConnectNow = '57P03';

/** On a new epoch, resets this node and closes all sockets: clients reconnect and read snapshots. */
function meet(node: Needs, epoch: string): void {
  if (epoch === node.instance.epoch) return;
  node.log.warn(
    { from: node.instance.epoch, to: epoch },
    'the epoch changed: the database was restored or failed over',
  );
  node.instance.epoch = epoch;
  // Open connections may lead to the former database, which may still run.
  endConnections(node.ownDb);
  for (const part of node.parts) part.reset();
  node.sockets.closeAll({ code: 'drain', reason: 'The server’s data was restored.', retry: true });
}
