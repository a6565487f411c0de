/** The tests' PostgreSQL: the embedded one, started once for the run, with a new database for each app. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { connect, type DatabaseAddress } from '../../server/database/database.ts';
import { startEmbedded } from '../../server/database/embedded.ts';
import { migrate } from '../../server/database/migrate.ts';

interface Server {
  connection: DatabaseAddress;
  stop(): Promise<void>;
}

const template = 'migrated';
let started: Promise<Server> | undefined;

async function start(): Promise<Server> {
  const there = process.env.TEST_POSTGRES;
  if (there !== undefined)
    return { connection: JSON.parse(there) as DatabaseAddress, stop: () => Promise.resolve() };
  const directory = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const embedded = await startEmbedded(join(directory, 'data'));
  const { connection } = embedded;
  await spare(connection);
  await createDatabase(connection, template, 'template1');
  await migrate({ ...connection, database: template }, pino({ level: 'silent' }));
  return {
    connection,
    async stop() {
      await embedded.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Nobody needs what a test has stored once it is over: this server may forget its last moments. And hundreds of
 * databases, each looked at every minute, would keep it busy: a test that wants statistics asks for them.
 */
async function spare(connection: DatabaseAddress): Promise<void> {
  const admin = connect(connection, 1);
  for (const sql of [
    `alter role ${connection.user} set synchronous_commit = off`,
    'alter system set autovacuum = off',
    'select pg_reload_conf()',
  ])
    await admin.query(sql);
  await admin.close();
}

/** Starts it for this process and those that it starts from now on. */
export async function offerDatabase(): Promise<void> {
  started ??= start();
  process.env.TEST_POSTGRES = JSON.stringify((await started).connection);
}

/** A database of its own without rows. Its schema is copied, which is much faster than migrating each. */
export const freshDatabase = (): Promise<DatabaseAddress> => databaseFrom(template);

/** One without even tables. */
export const emptyDatabase = (): Promise<DatabaseAddress> => databaseFrom('template1');

async function databaseFrom(from: string): Promise<DatabaseAddress> {
  started ??= start();
  const { connection } = await started;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(connection, name, from);
  return { ...connection, database: name };
}

async function createDatabase(
  connection: DatabaseAddress,
  name: string,
  from: string,
): Promise<void> {
  const admin = connect(connection, 1);
  await admin.query(`create database ${name} template ${from}`);
  await admin.close();
}

export async function stopDatabase(): Promise<void> {
  const server = await started;
  started = undefined;
  delete process.env.TEST_POSTGRES;
  await server?.stop();
}
