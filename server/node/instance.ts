/** The identity of this installation: stored in its database, created at the first start. */
import { createHash, randomBytes } from 'node:crypto';
import { query, type Db } from '../database/database.ts';
import type { Ask } from '../database/connect.ts';

export interface Instance {
  /** A part of cookie names, because all ports of one host share cookies. */
  id: string;
  sessionSecret: string;
  /** Identifies the history of the database. It differs after a restore, so that no client mixes two histories. */
  epoch: string;
}

export async function readInstance(db: Db): Promise<Instance> {
  const random = (bytes: number) => () => randomBytes(bytes).toString('hex');
  const id = await setting(db, 'instance_id', random(16));
  const sessionSecret = await setting(db, 'session_secret', random(32));
  await setting(db, 'life', random(16));
  return { id, sessionSecret, epoch: await readEpoch((sql) => query(db, sql)) };
}

/**
 * Reads the current epoch. It differs in another cluster, in another database of it, and on a promoted standby. It also
 * changes when `pg_restore --clean` creates the tables again: once with the tables, and once after their rows, because
 * keys are created last. A restore of rows alone rewrites the setting `life`. `pg_control_checkpoint` is not used:
 * after a promotion it returns the former timeline for minutes, until the first checkpoint is done.
 * @throws Error on a standby, and while a restore is under way
 */
export async function readEpoch(ask: Ask): Promise<string> {
  const [found] = await ask<{ life: string | null }>(
    `select value || ' ' || system_identifier ||
       ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) ||
       ' ' || (select oid from pg_database where datname = current_database()) ||
       ' ' || 'rooms'::regclass::oid ||
       ' ' || (select oid from pg_constraint where conrelid = 'rooms'::regclass and contype = 'p')
       as life
     from settings, pg_control_system() where key = 'life'`,
  );
  if (typeof found?.life !== 'string') throw new Error('The database is being restored.');
  return createHash('sha256').update(found.life).digest('hex').slice(0, 16);
}

/** Returns a setting’s value. Creates it once, even when several nodes start at the same time. */
export async function setting(db: Db, key: string, make: () => string): Promise<string> {
  await query(db, 'insert into settings (key, value) values ($1, $2) on conflict do nothing', [
    key,
    make(),
  ]);
  const value = await readSetting(db, key);
  if (value === undefined) throw new Error(`setting ${key} is missing after it was stored`);
  return value;
}

export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const [row] = await query<{ value: string }>(db, 'select value from settings where key = $1', [
    key,
  ]);
  return row?.value;
}
