/**
 * The primary ends as in a crash, and its synchronous standby takes its place: nothing that was acknowledged may be
 * lost. `npm run chaos` promotes one that lags.
 */
import { healWithin } from '../chaos/checks/healed.ts';
import { readFrom } from '../chaos/failover.ts';
import type { FaultTargets } from '../chaos/faults.ts';
import { healing } from '../chaos/inject-faults.ts';
import type { Standby } from '../support/standby.ts';
import type { Grounds } from './grounds.ts';

/** Who it is done to. */
export type Field = Pick<FaultTargets, 'crowd' | 'history' | 'log'> & { grounds: Grounds };

export async function failOver(field: Field, standby: Standby): Promise<void> {
  const { grounds, crowd, history, log } = field;
  const injected = log.now();
  await grounds.endPrimary();
  await standby.promote();
  const kept = await readFrom(standby.connection, crowd);
  await grounds.leadTo(standby.connection);
  const mended = log.now();
  // Nobody was told of anything that it lacks, so nothing of what they were told is excused.
  history.failovers.push({ lagging: mended, at: mended, before: kept, kept });
  const end = await healing(field, undefined, healWithin);
  const fired = { 'PostgreSQL standby promoted': 1 };
  history.injections.push({ fired, injected, mended, quietly: false, ...end });
}
