/** Backs up into a schema of its own, and restores it, like `pg_dump` and `pg_restore --clean`. */
import { pino } from 'pino';
import { query, type Db } from '../../server/database/database.ts';
import { bringUpToDate } from '../../server/open-node.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { runStatement } from './standby.ts';

/** Copies one snapshot. Requires a transaction without earlier statements. */
export async function backUp(db: Db): Promise<void> {
  await query(db, 'set transaction isolation level repeatable read');
  await query(db, 'create schema backup');
  const tables = await query<{ name: string }>(db, tablesIn('public'));
  for (const { name } of tables)
    await query(db, `create table backup.${name} as table public.${name}`);
}

/** Makes room for the backup, and leaves no tables. */
export const renameSchema = (where: DatabaseAddress) =>
  runStatement(where, 'alter schema public rename to former; create schema public');

/** Creates new tables, and loads the backup into them. */
export async function bringBack(where: DatabaseAddress): Promise<void> {
  await bringUpToDate(where, pino({ level: 'silent' }));
  await runStatement(where, 'drop schema former cascade');
  await loadRows(where);
}

/** Loads the rows into existing tables, without checking keys. */
export async function loadRows(where: DatabaseAddress): Promise<void> {
  const tables = await runStatement<{ name: string }>(where, tablesIn('backup'));
  const counters = await runStatement<{ name: string; key: string }>(where, counted);
  await runStatement(
    where,
    [
      `begin; set local session_replication_role = replica`,
      ...tables.flatMap(({ name }) => [
        `delete from public.${name}`,
        `insert into public.${name} overriding system value select * from backup.${name}`,
      ]),
      ...counters.map(
        ({ name, key }) =>
          `select setval(pg_get_serial_sequence('public.${name}', '${key}'), max(${key})) from public.${name}`,
      ),
      'commit',
    ].join(';'),
  );
}

const tablesIn = (schema: string) =>
  `select quote_ident(tablename) as name from pg_tables where schemaname = '${schema}'`;

const counted = `select quote_ident(table_name) as name, column_name as key
  from information_schema.columns where table_schema = 'public' and is_identity = 'YES'`;
