/** What this installation knows of itself: kept in its database, made at the first start. */
import { createHash, randomBytes } from 'node:crypto';
import { query, type Db } from '../database/database.ts';
import type { Ask } from '../database/connect.ts';

export interface Instance {
  /** Names cookies, since ports of one host share them. */
  id: string;
  sessionSecret: string;
  /** Identifies the database’s life: after a restore it differs, so no client takes one history for the other. */
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
 * The epoch as it is now. Another cluster, another database in it, or a promoted standby has another one by
 * itself, and so has a database whose tables were created again, by `pg_restore --clean`: once when they are there and
 * once when their rows are, since keys come last. A restore of rows alone rewrites the setting `life`.
 * `pg_control_checkpoint` would tell a standby's former timeline until its first checkpoint is done, for minutes.
 * @throws Error on a standby, and as long as a restore is under way
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

/** A setting’s value; made once, also when several nodes start at the same moment. */
export async function setting(db: Db, key: string, make: () => string): Promise<string> {
  await query(db, 'insert into settings (key, value) values ($1, $2) on conflict do nothing', [
    key,
    make(),
  ]);
  const value = await readSetting(db, key);
  if (value === undefined) throw new Error(`setting ${key} did not stay`);
  return value;
}

export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const [row] = await query<{ value: string }>(db, 'select value from settings where key = $1', [
    key,
  ]);
  return row?.value;
}
