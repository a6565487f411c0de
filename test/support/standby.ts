/**
 * A standby of a running PostgreSQL, replicated from a base backup by a proxy that can be held, so that it lags.
 * PostgreSQL's own programs for that do not come with the binaries from npm.
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pg from 'pg';
import { giveTo, chooseLayout } from '../../server/database/embedded/layout.ts';
import { startPostmaster, stopPostmaster } from '../../server/database/embedded/postmaster.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { startProxy } from './proxy.ts';
import { until } from './time.ts';

export interface Standby {
  connection: DatabaseAddress;
  /** Lets nothing reach it that is committed from now on. */
  lag(): void;
  /** From now on, the primary acknowledges only commits that are on this standby's disk, too. */
  becomeSynchronous(): Promise<void>;
  /** Resolves when it has all that the primary has committed by now. */
  caughtUp(): Promise<void>;
  /** Makes it accept writes. Commits that it lacks are lost. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** @param directory a new one, accessible to the user that PostgreSQL runs as */
export async function startStandby(primary: DatabaseAddress, directory: string): Promise<Standby> {
  await mkdir(directory, { recursive: true });
  const place = await chooseLayout(directory, () => undefined);
  const wire = await startProxy(socketOf(primary));
  await copyCluster(primary, place.cluster);
  await writeFile(join(place.cluster, 'standby.signal'), '');
  await writeFile(
    join(place.cluster, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${wire.port} user=${primary.user}'\n`,
  );
  await giveTo(place.runner, place.cluster);
  const postmaster = await startPostmaster(place, () => undefined);
  const connection = { ...postmaster.connection, database: primary.database };
  return {
    connection,
    lag: () => wire.hold(),
    async becomeSynchronous() {
      await runStatement(primary, `alter system set synchronous_standby_names = '*'`);
      await runStatement(primary, 'select pg_reload_conf()');
      await until(async () => {
        const waitedFor = `select from pg_stat_replication where sync_state = 'sync'`;
        return (await runStatement(primary, waitedFor)).length > 0;
      });
    },
    async caughtUp() {
      const [now] = await runStatement<{ lsn: string }>(
        primary,
        'select pg_current_wal_flush_lsn() as lsn',
      );
      await until(async () => {
        const [it] = await runStatement<{ there: boolean }>(
          connection,
          'select pg_last_wal_replay_lsn() >= $1::pg_lsn as there',
          [now?.lsn],
        );
        return it?.there === true;
      });
    },
    async promote() {
      wire.cut();
      await runStatement(connection, 'select pg_promote()');
    },
    async stop() {
      await stopPostmaster(postmaster);
      wire.close();
      await rm(place.cluster, { recursive: true, force: true });
    },
  };
}

/** Pages that keep the first checkpoint after a promotion busy: until it ends, pg_control has the former timeline. */
export const checkpointLoad = `create table filler with (fillfactor = 10) as
  select i, repeat('x', 100) as note from generate_series(1, 6000) as i`;

export const socketOf = ({ host, port = 5432 }: DatabaseAddress) => ({
  path: join(host, `.s.PGSQL.${port}`),
});

export async function runStatement<Row extends object>(
  { host, port = 5432, database, user }: DatabaseAddress,
  sql: string,
  bind?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ host, port, database, user });
  await client.connect();
  try {
    return (await client.query<Row>(sql, bind)).rows;
  } finally {
    await client.end();
  }
}

/** A base backup, by PostgreSQL's low-level API: its session must last from the beginning to the end. */
async function copyCluster(
  { host, port = 5432, user }: DatabaseAddress,
  to: string,
): Promise<void> {
  const client = new pg.Client({ host, port, user, database: 'postgres' });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    await cp(rows[0]?.data_directory ?? '', to, {
      recursive: true,
      filter: (path) => !['postmaster.pid', 'postmaster.opts'].includes(basename(path)),
    });
    const stopped = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    );
    await writeFile(join(to, 'backup_label'), stopped.rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}
