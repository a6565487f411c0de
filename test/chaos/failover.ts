/** Replaces the primary by an asynchronous standby that lags. Only what the standby lacks can be lost. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runStatement, checkpointLoad, startStandby } from '../support/standby.ts';
import { connect, type DatabaseAddress } from '../../server/database/connect.ts';
import type { Crowd } from './crowd.ts';
import type { FaultTargets } from './faults.ts';
import type { Stored } from './history.ts';
import { readStored } from './stored.ts';

/** Milliseconds in which commits do not reach the standby. */
const lag = 3_000;

/** @returns 0 if nothing was lost, because nothing was sent during the lag */
export async function promoteStandby({ place, crowd, history, log: { now } }: FaultTargets) {
  const { primary: former, nodes } = place;
  const read = (where: DatabaseAddress) => readFrom(where, crowd);
  const number = history.failovers.length + 1;
  const standby = await startStandby(former, join(place.directory, `standby-${number}`));
  await runStatement(former, `drop table if exists filler; ${checkpointLoad}`);
  await standby.caughtUp();
  const lagging = now();
  standby.lag();
  await sleep(lag);
  for (const { toPostgres } of nodes) toPostgres.cut();
  await settle(former);
  const before = await read(former);
  await standby.promote();
  const kept = await read(standby.connection);
  await place.leadTo(standby);
  for (const { toPostgres } of nodes) toPostgres.mend();
  history.failovers.push({ lagging, at: now(), before, kept });
  const isBehind = kept.timelines.some(
    ({ version }, i) => version < (before.timelines[i]?.version ?? 0),
  );
  return isBehind ? 1 : 0;
}

/** Ends the nodes' connections until none is left, so that no open transaction can still commit. */
export async function settle(where: DatabaseAddress): Promise<void> {
  const ended = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'parley' and pid <> pg_backend_pid()`;
  while ((await runStatement(where, ended)).length > 0) await sleep(50);
}

export async function readFrom(
  where: DatabaseAddress,
  { serverId, timelineIds }: Crowd,
): Promise<Stored> {
  const sequelize = connect(where, 1);
  try {
    return await readStored({ sequelize }, serverId, timelineIds);
  } finally {
    await sequelize.close();
  }
}
