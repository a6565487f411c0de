/**
 * Restores a backup while the nodes run, as `pg_restore --clean` does: with new tables, and the stored identity of the
 * former ones. Only messages sent since the backup may be lost.
 */
import { transaction } from '../../server/database/database.ts';
import { healWithin } from '../chaos/checks/healed.ts';
import { readFrom, settle } from '../chaos/failover.ts';
import type { Stored } from '../chaos/history.ts';
import { healing } from '../chaos/inject-faults.ts';
import { readStored } from '../chaos/stored.ts';
import { backUp, bringBack, renameSchema } from '../support/backup.ts';
import type { Field } from './failover.ts';

export interface Backup {
  /** When the backup began. It contains all that was acknowledged before. */
  at: number;
  kept: Stored;
}

export async function backUpFor({ cluster, crowd, log }: Field): Promise<Backup> {
  const at = log.now();
  const kept = await transaction(cluster.db, async (db) => {
    await backUp(db);
    return readStored(db, crowd.serverId, crowd.timelineIds);
  });
  return { at, kept };
}

export async function restore(field: Field, { at: lagging, kept }: Backup): Promise<void> {
  const { cluster, crowd, history, log } = field;
  const { primary } = cluster;
  const injected = log.now();
  await cluster.leadTo();
  await settle(primary);
  const before = await readFrom(primary, crowd);
  await renameSchema(primary);
  // The nodes reconnect now, and find half a restore.
  await cluster.leadTo(primary);
  await bringBack(primary);
  const mended = log.now();
  history.failovers.push({ lagging, at: mended, before, kept });
  const end = await healing(field, undefined, healWithin);
  const fired = { 'PostgreSQL restored from a backup': 1 };
  history.injections.push({ fired, injected, mended, quietly: false, ...end });
}
