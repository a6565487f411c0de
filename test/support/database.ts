/** The tests' PostgreSQL: the embedded one, started once for the run, with a new database for each app. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Connection } from '../../server/database/database.ts';
import { startEmbedded } from '../../server/database/embedded.ts';

type Embedded = Awaited<ReturnType<typeof startEmbedded>>;
let started: Promise<{ embedded: Embedded; directory: string }> | undefined;
let made = 0;

async function start() {
  const directory = await mkdtemp(join(tmpdir(), 'parley-test-'));
  return { embedded: await startEmbedded(join(directory, 'data')), directory };
}

/** An empty database of its own. */
export async function freshDatabase(): Promise<Connection> {
  started ??= start();
  const { embedded } = await started;
  const name = `test_${process.pid}_${(made += 1)}`;
  const admin = connect(embedded.connection, 1);
  await admin.query(`create database ${name}`);
  await admin.close();
  return { ...embedded.connection, database: name };
}

export async function stopDatabase(): Promise<void> {
  if (started === undefined) return;
  const { embedded, directory } = await started;
  await embedded.stop();
  await rm(directory, { recursive: true, force: true });
}
