import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../node/log.ts';
import { StartupProblem } from '../startup.ts';
import { query, transaction, type Db } from './database.ts';
import { exclusiveWork } from './locks.ts';
import { connectPatiently, type DatabaseAddress } from './connect.ts';
import type { Migration } from './migrations.ts';

/** One of several nodes migrates, the others wait. @throws StartupProblem if a newer version migrated the database */
export async function migrate(
  where: string | DatabaseAddress,
  log: Logger,
  migrations: Migration[],
): Promise<void> {
  const sequelize = connectPatiently(where, (client) => takeLock(client, log));
  try {
    const db: Db = { sequelize };
    await query(
      db,
      'create table if not exists migrations (name text primary key, at timestamptz not null default now())',
    );
    const applied = await readApplied(db);
    refuseNewer(applied, migrations);
    for (const migration of migrations) {
      if (applied.includes(migration.name)) continue;
      log.info({ migration: migration.name }, 'applying a migration');
      await apply(db, migration);
    }
  } finally {
    await sequelize.close();
  }
}

/** Polls, because `create index concurrently` would wait for a statement that itself waits for the lock. */
async function takeLock(client: pg.Client, log: Logger): Promise<void> {
  for (const setting of [
    'statement_timeout',
    'lock_timeout',
    'idle_in_transaction_session_timeout',
  ])
    await client.query(`set ${setting} = 0`);
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ held: boolean }>(
      'select pg_try_advisory_lock($1) as held',
      [exclusiveWork.migrations],
    );
    if (rows[0]?.held === true) return;
    if (tries === 10) log.info('waiting for another node to finish its migrations');
    await sleep(100);
  }
}

const readApplied = async (db: Db): Promise<string[]> =>
  (await query<{ name: string }>(db, 'select name from migrations order by name')).map(
    ({ name }) => name,
  );

function refuseNewer(applied: string[], migrations: Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new StartupProblem(
    `The database belongs to a newer Parley: this version doesn’t know ${unknown.join(', ')}. ` +
      'Start the newer version again, or restore a backup from before the upgrade.',
  );
}

async function apply(db: Db, migration: Migration): Promise<void> {
  const { name, sql, fill, index } = migration;
  if (index !== undefined) await createIndex(db, index, sql);
  await transaction(db, async (within) => {
    if (index === undefined) await query(within, sql);
    await fill?.(within);
    await query(within, 'insert into migrations (name) values ($1)', [name]);
  });
}

/** Drops an invalid index first: an interrupted creation leaves one. */
async function createIndex(db: Db, index: string, sql: string): Promise<void> {
  const [found] = await query<{ valid: boolean }>(
    db,
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  if (found?.valid === true) return;
  if (found !== undefined) await query(db, `drop index concurrently "${index}"`);
  await query(db, sql);
}
