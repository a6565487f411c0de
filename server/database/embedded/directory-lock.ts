/** Guards the data directory by an advisory lock. Unlike a pid file, it ends with its process, even a killed one. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupProblem } from '../../startup.ts';
import type { DatabaseAddress } from '../connect.ts';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** "parley" in ASCII, so that no other program uses the same lock by chance. */
const lock = 0x7061726c6579;
const retryIntervalMs = 1_000;

/** Also creates the database if missing. @throws StartupProblem if another process holds the lock after the time-out */
export async function holdCluster(
  connection: DatabaseAddress,
  log: (line: string) => void,
  timeoutMs = 15_000,
): Promise<DirectoryLock> {
  let client = await hold(connection, timeoutMs);
  let released = false;
  watch(client);

  /** Takes the lock again after PostgreSQL closed all connections, as it does when one of its processes crashes. */
  function watch(held: pg.Client): void {
    held.once('end', () => {
      if (released) return;
      log('PostgreSQL closed its connections');
      retry();
    });
  }

  function retry(): void {
    setTimeout(() => {
      if (released) return;
      hold(connection, timeoutMs).then((held) => {
        client = held;
        if (released) client.end().catch(() => undefined);
        else watch(client);
      }, retry);
    }, retryIntervalMs).unref();
  }

  return {
    async release() {
      released = true;
      await client.end().catch(() => undefined);
    },
  };
}

export async function isHeld(connection: DatabaseAddress): Promise<boolean> {
  const client = clientOf(connection);
  try {
    await client.connect();
    return !(await tryLock(client));
  } finally {
    await client.end().catch(() => undefined);
  }
}

function clientOf(connection: DatabaseAddress): pg.Client {
  const client = new pg.Client({
    ...connection,
    database: 'postgres',
    application_name: 'parley keeper',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  return client;
}

async function hold(connection: DatabaseAddress, timeoutMs: number): Promise<pg.Client> {
  const client = clientOf(connection);
  try {
    await client.connect();
    await takeLock(client, timeoutMs);
    await makeDatabase(client, connection.database);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

async function takeLock(client: pg.Client, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await tryLock(client)) return;
    if (performance.now() > deadline) {
      throw new StartupProblem(
        'Another Parley already uses this data directory. Stop it first, or choose another directory ' +
          'with PARLEY_DATA. To run several nodes, set DATABASE_URL to a PostgreSQL that they share.',
      );
    }
    await sleep(100);
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    'select pg_try_advisory_lock($1::bigint) as held',
    [lock],
  );
  return rows[0]?.held === true;
}

async function makeDatabase(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
}
