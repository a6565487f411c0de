/** The tests' PostgreSQL: the embedded one, started once for the run, with a new database for each app. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../server/database/embedded.ts';
import { bringUpToDate } from '../../server/open-node.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';

interface Server {
  connection: DatabaseAddress;
  /** Creates databases. It stays connected: a connection costs as much of a processor as a third of a database. */
  admin: pg.Pool;
  stop(): Promise<void>;
}

const template = 'migrated';
let started: Promise<Server> | undefined;

async function start(): Promise<Server> {
  const there = process.env.TEST_POSTGRES;
  if (there !== undefined) {
    const connection = JSON.parse(there) as DatabaseAddress;
    const admin = administer(connection);
    return { connection, admin, stop: () => admin.end() };
  }
  const { TEST_MEMORY = tmpdir() } = process.env;
  const directory = await mkdtemp(join(TEST_MEMORY, 'parley-test-'));
  const embedded = await startEmbedded(join(directory, 'data'));
  const { connection } = embedded;
  const admin = administer(connection);
  await trimDurability(admin, connection);
  await admin.query(`create database ${template}`);
  await bringUpToDate({ ...connection, database: template }, pino({ level: 'silent' }));
  return {
    connection,
    admin,
    async stop() {
      await admin.end();
      await embedded.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Trades durability for speed, because nobody needs the data after the test. Disables autovacuum, because hundreds of
 * databases, each visited every minute, would keep the server busy. A test that needs statistics requests them.
 */
async function trimDurability(admin: pg.Pool, { user }: DatabaseAddress): Promise<void> {
  for (const sql of [
    `alter role ${user} set synchronous_commit = off`,
    'alter system set autovacuum = off',
    'alter system set fsync = off',
    'alter system set full_page_writes = off',
    'select pg_reload_conf()',
  ])
    await admin.query(sql);
}

function administer(connection: DatabaseAddress): pg.Pool {
  const admin = new pg.Pool({ ...connection, idleTimeoutMillis: 60_000 });
  // The next connection replaces one that a test has ended.
  admin.on('error', () => undefined);
  return admin;
}

/** Starts it for this process and the processes that it starts later. */
export async function offerDatabase(): Promise<void> {
  started ??= start();
  process.env.TEST_POSTGRES = JSON.stringify((await started).connection);
}

/** Creates a database without rows. The schema is copied, which is much faster than migrating. */
export const freshDatabase = (): Promise<DatabaseAddress> => databaseFrom(template);

/** Creates a database without tables. */
export const emptyDatabase = (): Promise<DatabaseAddress> => databaseFrom('template1');

async function databaseFrom(from: string): Promise<DatabaseAddress> {
  started ??= start();
  const { admin, connection } = await started;
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${database} template ${from}`);
  made.push(database);
  return { ...connection, database };
}

const made: string[] = [];

/** Drops all databases that this process created, even if connections are open. */
export async function dropDatabases(): Promise<void> {
  const server = await started;
  for (const database of [...made]) {
    await server?.admin.query(`drop database if exists ${database} with (force)`);
    made.splice(made.indexOf(database), 1);
  }
}

export async function stopDatabase(): Promise<void> {
  const server = await started;
  started = undefined;
  delete process.env.TEST_POSTGRES;
  await server?.stop();
}
