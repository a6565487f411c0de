import type { Sequelize } from 'sequelize';
import { Umzug } from 'umzug';
import { keepAllNames } from '../accounts/names.ts';
import { query, transaction, type Db } from './database.ts';
import { ground } from './migrations/0001-ground.ts';
import { truth } from './migrations/0002-truth.ts';
import { bots } from './migrations/0005-bots.ts';
import { friends } from './migrations/0006-friends.ts';
import { privates } from './migrations/0007-privates.ts';
import { mentions } from './migrations/0008-mentions.ts';
import { statuses } from './migrations/0009-statuses.ts';
import { large } from './migrations/0010-large.ts';
import { conversations } from './migrations/0011-conversations.ts';
import { categories } from './migrations/0012-categories.ts';
import { names } from './migrations/0013-names.ts';
import { bannedInvites } from './migrations/0034-banned-invites.ts';

/** In order, for ever: a migration that has been released is never changed. `fill` writes what SQL cannot. */
const migrations: { name: string; sql: string; fill?: (db: Db) => Promise<void> }[] = [
  { name: '0001-ground', sql: ground },
  { name: '0002-truth', sql: truth },
  { name: '0005-bots', sql: bots },
  { name: '0006-friends', sql: friends },
  { name: '0007-privates', sql: privates },
  { name: '0008-mentions', sql: mentions },
  { name: '0009-statuses', sql: statuses },
  { name: '0010-large', sql: large },
  { name: '0011-conversations', sql: conversations },
  { name: '0012-categories', sql: categories },
  { name: '0013-names', sql: names, fill: keepAllNames },
  { name: '0034-banned-invites', sql: bannedInvites },
];

const lockKey = 7_246_501;

/** Brings the schema up to date. Of several nodes that start at once, one does it and the others wait. */
export async function migrate(sequelize: Sequelize): Promise<void> {
  await transaction({ sequelize }, async (db) => {
    await query(db, 'select pg_advisory_xact_lock($1)', [lockKey]);
    await query(
      db,
      'create table if not exists migrations (name text primary key, at timestamptz not null default now())',
    );
    const umzug = new Umzug({
      migrations: migrations.map(({ name, sql, fill }) => ({
        name,
        up: async () => {
          await query(db, sql);
          await fill?.(db);
        },
      })),
      storage: storage(db),
      logger: undefined,
    });
    await umzug.up();
  });
}

/** What has been applied is kept in the same transaction: a migration is there whole, with its mark, or not at all. */
const storage = (db: Db) => ({
  executed: async () =>
    (await query<{ name: string }>(db, 'select name from migrations order by name')).map(
      ({ name }) => name,
    ),
  logMigration: async ({ name }: { name: string }) => {
    await query(db, 'insert into migrations (name) values ($1)', [name]);
  },
  unlogMigration: async ({ name }: { name: string }) => {
    await query(db, 'delete from migrations where name = $1', [name]);
  },
});
