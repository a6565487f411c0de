/** The tests' PostgreSQL: the embedded one, started once for the run, with a new database for each app. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { connect, type Connection } from '../../server/database/database.ts';
import { startEmbedded } from '../../server/database/embedded.ts';
import { migrate } from '../../server/database/migrate.ts';

type Embedded = Awaited<ReturnType<typeof startEmbedded>>;
let started: Promise<{ embedded: Embedded; directory: string }> | undefined;
let made = 0;

const template = `template_${process.pid}`;

async function start() {
  const directory = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const embedded = await startEmbedded(join(directory, 'data'));
  await createDatabase(embedded, template, 'template1');
  await migrate({ ...embedded.connection, database: template }, pino({ level: 'silent' }));
  return { embedded, directory };
}

/** A database of its own without rows. Its schema is copied, which is much faster than migrating each. */
export const freshDatabase = (): Promise<Connection> => databaseFrom(template);

/** One without even tables. */
export const emptyDatabase = (): Promise<Connection> => databaseFrom('template1');

async function databaseFrom(from: string): Promise<Connection> {
  started ??= start();
  const { embedded } = await started;
  const name = `test_${process.pid}_${(made += 1)}`;
  await createDatabase(embedded, name, from);
  return { ...embedded.connection, database: name };
}

async function createDatabase({ connection }: Embedded, name: string, from: string): Promise<void> {
  const admin = connect(connection, 1);
  await admin.query(`create database ${name} template ${from}`);
  await admin.close();
}

export async function stopDatabase(): Promise<void> {
  if (started === undefined) return;
  const { embedded, directory } = await started;
  await embedded.stop();
  await rm(directory, { recursive: true, force: true });
}
