import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { startEmbedded } from '../../server/database/embedded.ts';
import { findBinaries } from '../../server/database/embedded/binaries.ts';
import { holdCluster } from '../../server/database/embedded/directory-lock.ts';
import { serves } from '../../server/database/embedded/pidfile.ts';
import { chooseLayout } from '../../server/database/embedded/layout.ts';
import { runnerAsNobody } from '../../server/database/embedded/runner.ts';
import { StartupProblem } from '../../server/startup.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { until } from '../support/time.ts';

const isRoot = process.getuid?.() === 0;
const ownerProgram = fileURLToPath(new URL('../support/embedded-owner.ts', import.meta.url));
const children: ChildProcess[] = [];
const cleanups: (() => Promise<unknown>)[] = [];
let directory: string;

async function rows<Row extends object>(connection: DatabaseAddress, sql: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  // A test can kill the server.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const setting = async (connection: DatabaseAddress, name: string) =>
  (await rows<Record<string, string>>(connection, `show ${name}`))[0]![name];

async function postmasterOf(data: string): Promise<number> {
  return Number((await readFile(join(data, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

async function problem(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(StartupProblem);
  return (error as StartupProblem).message;
}

/** Starts another Node.js process as its owner. It is killed when the test ends. */
async function owner(
  data: string,
  uid?: number,
): Promise<{ child: ChildProcess; connection: DatabaseAddress }> {
  const child = spawn(process.execPath, ['--import', 'tsx', ownerProgram, data], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const line = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk)),
    once(child, 'exit').then(() => Promise.reject(new Error(said))),
  ]);
  return { child, connection: JSON.parse(line) as DatabaseAddress };
}

/** True when all users can pass through each folder down to this one. */
async function everyoneMayGo(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === dirname(folder) || everyoneMayGo(dirname(folder));
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

describe('the embedded PostgreSQL', () => {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
    await chmod(directory, 0o755);
  });

  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child, 'SIGKILL');
    // Stops a postmaster that a failed test left running.
    const pid = await postmasterOf(directory).catch(() => undefined);
    const left = pid !== undefined && (await serves(pid, join(directory, 'postgres')));
    if (left) process.kill(pid, 'SIGQUIT');
    for (const cleanup of cleanups.splice(0)) await cleanup();
    await rm(directory, { recursive: true, force: true });
  });

  it('is created completely or not at all, listens on a private socket only, and keeps committed data', async () => {
    await mkdir(join(directory, 'postgres.init'));
    await writeFile(
      join(directory, 'postgres.init', 'PG_VERSION'),
      'of a start that was cut short',
    );

    const first = await startEmbedded(directory);
    expect(await readdir(directory)).to.have.members(['postgres', 'postgres.log']);
    expect(await setting(first.connection, 'listen_addresses')).to.equal('');
    expect(await setting(first.connection, 'fsync')).to.equal('on');
    expect(await setting(first.connection, 'server_encoding')).to.equal('UTF8');
    const [locale] = await rows(
      first.connection,
      'select datlocprovider as provider, datlocale as name from pg_database where datname = current_database()',
    );
    expect(locale).to.deep.equal({ provider: 'b', name: 'C.UTF-8' });
    expect((await stat(first.connection.host)).mode & 0o777).to.equal(0o700);
    await rows(first.connection, 'create table kept as select 1 as one');
    const pid = await postmasterOf(directory);
    await first.stop();
    expect(await serves(pid, join(directory, 'postgres'))).to.be.false;
    expect(await stat(first.connection.host).catch(() => 'gone')).to.equal('gone');

    const again = await startEmbedded(directory);
    expect(await rows(again.connection, 'select * from kept')).to.deep.equal([{ one: 1 }]);
    await again.stop();
  });

  it('makes the links that npm packages lack', async () => {
    const { root } = await findBinaries();
    const link = join(root, 'lib', 'libecpg_compat.so');
    // No running program needs this library.
    await unlink(link);
    await findBinaries();
    expect(await realpath(link)).to.match(/libecpg_compat\.so\.3\.\d+$/);
  });

  it('works at a path that is too long for a socket', async () => {
    const long = join(directory, 'x'.repeat(100), 'y'.repeat(100));
    const embedded = await startEmbedded(long);
    expect(embedded.connection.host.length).to.be.below(80);
    expect(await setting(embedded.connection, 'port')).to.equal('5432');
    await embedded.stop();
  });

  it('outlives a killed Node, and is adopted by the next with all its data', async () => {
    const { child, connection } = await owner(directory);
    await rows(connection, 'create table kept as select 1 as one');
    const pid = await postmasterOf(directory);
    // Ctrl-C in a terminal signals the whole process group of Node.js, so PostgreSQL must not be in it.
    const group = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[4];
    expect(group).to.equal(String(pid));
    await kill(child, 'SIGKILL');

    const lines: string[] = [];
    const adopted = await startEmbedded(directory, (line) => lines.push(line));
    expect(lines).to.deep.equal([
      `reusing the PostgreSQL that is already running (process ${pid})`,
    ]);
    expect(await rows(adopted.connection, 'select * from kept')).to.deep.equal([{ one: 1 }]);
    await adopted.stop();
    expect(await serves(pid, join(directory, 'postgres'))).to.be.false;
  });

  it('restarts after it was killed in the middle of writing', async () => {
    const before = await startEmbedded(directory);
    await rows(before.connection, 'create table kept (one int)');
    const acknowledged: number[] = [];
    const writing = (async () => {
      for (let one = 0; ; one += 1) {
        await rows(before.connection, `insert into kept values (${one})`);
        acknowledged.push(one);
      }
    })().catch(() => 'cut');
    await until(() => acknowledged.length > 100);
    process.kill(await postmasterOf(directory), 'SIGKILL');
    await writing;

    const after = await startEmbedded(directory);
    const stored = await rows<{ one: number }>(after.connection, 'select one from kept');
    expect(acknowledged).to.not.be.empty;
    expect(stored.map(({ one }) => one)).to.include.members(acknowledged);
    await after.stop();
    await before.stop();
  });

  it('is not blocked by a stale PID that belongs to another process', async () => {
    const first = await startEmbedded(directory);
    const file = join(directory, 'postgres', 'postmaster.pid');
    const text = await readFile(file, 'utf8');
    await first.stop();
    // As the same user: otherwise PostgreSQL itself detects that the PID is not its own.
    const sleeper = spawn('sleep', ['60'], isRoot ? { uid: (await runnerAsNobody()).uid! } : {});
    children.push(sleeper);
    await writeFile(file, text.replace(/^\d+/, String(sleeper.pid)));
    if (isRoot) await chown(file, (await runnerAsNobody()).uid!, (await runnerAsNobody()).gid!);

    const again = await startEmbedded(directory);
    expect(await postmasterOf(directory)).to.not.equal(sleeper.pid);
    expect(sleeper.exitCode).to.be.null;
    await again.stop();
  });

  it('serves one process, also after PostgreSQL has cut all connections', async () => {
    const embedded = await startEmbedded(directory);
    const { connection } = embedded;
    const quiet = () => undefined;
    expect(await problem(holdCluster(connection, quiet, 100))).to.include('Another Parley');

    const keeper = async () => {
      const [backend] = await rows<{ pid: number }>(
        connection,
        `select pid from pg_locks where locktype = 'advisory' and granted`,
      ).catch(() => []);
      return backend?.pid;
    };
    const before = await keeper();
    process.kill(before!, 'SIGKILL');
    await until(async () => ![undefined, before].includes(await keeper()));
    expect(await problem(holdCluster(connection, quiet, 100))).to.include('Another Parley');
    await embedded.stop();
  });

  it('refuses data of another major version without changing it', async () => {
    await mkdir(join(directory, 'postgres'));
    await writeFile(join(directory, 'postgres', 'PG_VERSION'), '17\n');
    const text = await problem(startEmbedded(directory));
    expect(text).to.include('PostgreSQL 17').and.to.include('DATABASE_URL');
    expect(await readdir(join(directory, 'postgres'))).to.deep.equal(['PG_VERSION']);
  });

  it('says what to do if it cannot run', async () => {
    await writeFile(join(directory, 'file'), '');
    expect(await problem(startEmbedded(join(directory, 'file')))).to.include('PARLEY_DATA');
    expect(await problem(findBinaries('plan9-mips'))).to.include('DATABASE_URL');
  });

  describe('for root', () => {
    before(function () {
      if (!isRoot) this.skip();
    });

    async function privateHome(uid: number): Promise<string> {
      const home = join(directory, 'home');
      await mkdir(home, { mode: 0o700 });
      await chown(home, uid, uid);
      return home;
    }

    it('runs as user nobody, where that has access', async () => {
      const embedded = await startEmbedded(directory);
      const { connection } = embedded;
      // The binaries are in this checkout: user `nobody` cannot reach them below a private home.
      const open = await everyoneMayGo(process.cwd());
      const uid = open ? (await runnerAsNobody()).uid : 0;
      expect((await stat(await postmasterDirectory(directory))).uid).to.equal(uid);
      const { runner } = await chooseLayout(directory, () => undefined);
      expect(runner.name).to.equal(open ? 'nobody' : 'nobody in a user namespace');
      expect(await setting(connection, 'port')).to.equal('5432');
      await embedded.stop();
    });

    it('runs in a user namespace, in root’s own home', async () => {
      const home = await privateHome(0);
      const embedded = await startEmbedded(home);
      const { connection } = embedded;
      expect((await stat(await postmasterDirectory(home))).uid).to.equal(0);
      expect(await setting(connection, 'port')).to.equal('5432');
      await embedded.stop();
    });

    it('moves out of another user’s home, and leaves a link', async () => {
      const home = await privateHome(12_345);
      const lines: string[] = [];
      const first = await startEmbedded(home, (line) => lines.push(line));
      const moved = await realpath(join(home, 'postgres'));
      cleanups.push(() => rm(dirname(moved), { recursive: true }));
      expect(moved).to.match(/^\/var\/lib\/parley\/data-/);
      expect(lines[0]).to.include('/var/lib/parley');
      await rows(first.connection, 'create table kept as select 1 as one');
      await first.stop();

      const again = await startEmbedded(home);
      expect(await rows(again.connection, 'select * from kept')).to.deep.equal([{ one: 1 }]);
      await again.stop();
    });

    it('works for an ordinary user, too', async function () {
      // The user runs the program of this checkout, so it must be accessible.
      if (!(await everyoneMayGo(process.cwd()))) this.skip();
      const home = await privateHome(12_345);
      const { child, connection } = await owner(home, 12_345);
      expect((await stat(join(home, 'postgres'))).uid).to.equal(12_345);
      expect(await setting(connection, 'port')).to.equal('5432');
      const pid = await postmasterOf(home);
      await kill(child, 'SIGTERM');
      expect(child.exitCode).to.equal(0);
      expect(await serves(pid, join(directory, 'postgres'))).to.be.false;
    });

    const postmasterDirectory = async (data: string) => `/proc/${await postmasterOf(data)}`;
  });
});
