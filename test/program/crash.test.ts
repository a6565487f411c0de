import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { freePort } from '../../scripts/cluster/place.ts';
import type { Message } from '../../shared/messages.ts';
import { connectAs, enterAs, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = existsSync(join(root, 'dist/server/main.js'));
const command = built ? ['dist/server/main.js'] : ['--import', 'tsx', 'server/main.ts'];

interface Program {
  process: ChildProcess;
  /** The exit code, or null after a signal. */
  ended: Promise<number | null>;
  stdout: string;
  stderr: string;
}

describe('the program', () => {
  let directory: string;
  let port: number;
  let url: string;
  const programs: Program[] = [];
  const data = () => join(directory, 'data');

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pc-'));
    // PostgreSQL can run as another user, which needs access to this directory.
    await chmod(directory, 0o755);
    await mkdir(join(directory, 'tmp'), { mode: 0o755 });
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
  });

  after(async () => {
    for (const program of programs) program.process.kill('SIGKILL');
    for (const pid of await databaseProcesses()) killHard(pid);
    const cluster = await realpath(join(data(), 'postgres')).catch(() => directory);
    await rm(cluster, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });

  function run(settings: Record<string, string> = {}): Program {
    const child = spawn(process.execPath, command, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        TMPDIR: join(directory, 'tmp'),
        PARLEY_DATA: data(),
        PORT: String(port),
        HOST: '127.0.0.1',
        PARLEY_RATE_SCALE: '100000',
        PARLEY_PASSWORD_COST: '4',
        ...settings,
      },
    });
    const program: Program = {
      process: child,
      ended: once(child, 'close').then(([code]) => code as number | null),
      stdout: '',
      stderr: '',
    };
    child.stdout.on('data', (chunk: Buffer) => (program.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (program.stderr += chunk.toString()));
    programs.push(program);
    return program;
  }

  async function start(settings?: Record<string, string>): Promise<Program> {
    const program = run(settings);
    const ready = () => until(() => program.stdout.includes('\n'));
    await Promise.race([
      ready(),
      program.ended.then(() => Promise.reject(new Error(program.stderr))),
    ]);
    expect(program.stdout).to.match(/^Parley is ready.* http:\/\/localhost:\d+/);
    return program;
  }

  async function databaseProcesses(): Promise<number[]> {
    const file = join(data(), 'postgres', 'postmaster.pid');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const postmaster = Number(text?.split('\n')[0]);
    // The file does not exist or is not written yet.
    if (!(postmaster > 0)) return [];
    const alive = runningProcesses();
    return [...alive.keys()].filter((pid) => pid === postmaster || alive.get(pid) === postmaster);
  }

  async function leavesNothing(before: number[]) {
    const alive = runningProcesses();
    expect(before.filter((pid) => alive.has(pid))).to.deep.equal([]);
    expect(existsSync(join(data(), 'postgres', 'postmaster.pid'))).to.equal(false);
    const left = await readdir(join(directory, 'tmp'));
    expect(left.filter((name) => name.startsWith('parley'))).to.deep.equal([]);
    const { close } = await listenOn(port);
    await close();
  }

  it('keeps every acknowledged message when it is killed in a burst of messages', async () => {
    const first = await start({ PARLEY_REGISTRATON: 'closed' });
    expect(first.stderr)
      .to.include('PARLEY_REGISTRATON')
      .and.include('Did you mean PARLEY_REGISTRATION?');
    const names = ['ann', 'ben', 'cem', 'dora'];
    const register = (username: string) =>
      enterAs(url, 'register', { username, password: 'a long enough sentence' });
    const senders = await Promise.all(names.map(register));
    const [lobby] = (await senders[0]!.send('server:list', {})).servers;
    const timelineId = lobby!.defaultChannelId;

    const sent = new Map<string, { userId: string; body: string }>();
    const acknowledged = new Map<string, Message>();
    const say = async (person: Person, id: string, body: string) => {
      sent.set(id, { userId: person.id, body });
      acknowledged.set(id, (await person.send('message:send', { timelineId, body, id })).message);
    };
    const chatter = async (person: Person) => {
      while (person.socket.connected) await say(person, v7(), `number ${sent.size}`);
    };
    const burst = Promise.allSettled(
      senders.flatMap((person) => Array.from({ length: 8 }, () => chatter(person))),
    );
    await until(() => acknowledged.size >= 300);
    const victims = await databaseProcesses();
    expect(victims).to.have.length.above(1);
    for (const pid of [first.process.pid!, ...victims]) killHard(pid);
    expect(await first.ended).to.equal(null);
    await burst;
    expect(sent.size).to.be.greaterThan(acknowledged.size);

    const second = await start();
    const back = await Promise.all(senders.map(({ cookie }) => connectAs(url, cookie)));
    expect(back.map(({ user }) => user)).to.deep.equal(senders.map(({ user }) => user));
    const stored = await readAll(back[0]!, timelineId);
    expect(positions(stored)).to.deep.equal(stored.map((_, i) => i + 1));
    const byId = new Map(stored.map((message) => [message.id, message]));
    expect(byId.size).to.equal(stored.length);
    for (const message of acknowledged.values())
      expect(byId.get(message.id)).to.deep.equal(message);
    for (const { id, body } of stored) expect(body).to.equal(sent.get(id)?.body);

    // A message that was not acknowledged, sent again with its id, exists once, whether or not it was stored before.
    for (const [id, { userId, body }] of [...sent].filter(([id]) => !acknowledged.has(id)))
      await say(
        back.find((person) => person.id === userId)!,
        id,
        body,
      );
    const all = await readAll(back[0]!, timelineId);
    expect(positions(all)).to.deep.equal(all.map((_, i) => i + 1));
    expect(all).to.have.length(sent.size);
    for (const message of all) expect(message).to.deep.equal(acknowledged.get(message.id));
    second.process.kill('SIGTERM');
    expect(await second.ended).to.equal(0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends on ${signal} with code 0, and leaves nothing behind`, async () => {
      const program = await start();
      const ann = await enterAs(url, 'guest', { displayName: 'Ann' });
      const before = await databaseProcesses();
      expect(before).to.have.length.above(1);
      program.process.kill(signal);
      expect(await program.ended, program.stderr).to.equal(0);
      expect(program.stderr).to.equal('');
      expect(ann.socket.connected).to.equal(false);
      await leavesNothing(before);
    });

  it('does not wait for a request that never ends', async () => {
    const program = await start();
    const slow = connect(port, '127.0.0.1').resume();
    slow.write('POST /api/auth/guest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
    slow.write('Content-Length: 99\r\n\r\n{"displayName":');
    const before = await databaseProcesses();
    program.process.kill('SIGTERM');
    await once(slow, 'close');
    expect(await program.ended, program.stderr).to.equal(0);
    await leavesNothing(before);
  });

  it('leaves nothing behind when it is stopped while it starts', async () => {
    const program = run();
    await until(async () => (await databaseProcesses()).length > 0);
    const before = await databaseProcesses();
    program.process.kill('SIGTERM');
    expect(await program.ended, program.stderr).to.equal(0);
    await leavesNothing(before);
  });

  it('does not start on a port that is taken, says so, and starts no database', async () => {
    const { close } = await listenOn(port);
    const program = run();
    // Closes before any assertion, because a listening socket keeps a failed test from ending.
    const code = await program.ended;
    await close();
    expect(code).to.equal(1);
    expect(program.stdout).to.equal('');
    expect(program.stderr).to.include(`PORT: ${port}`).and.include('taken by another program');
    expect(program.stderr).not.to.match(/^\s+at /m);
    await leavesNothing([]);
  });

  it('names all wrong settings at once', async () => {
    const program = run({ PORT: 'three thousand', LOG_LEVEL: 'loud' });
    expect(await program.ended).to.equal(1);
    expect(program.stdout).to.equal('');
    expect(program.stderr).to.match(/^Parley didn’t start\.$/m);
    expect(program.stderr).to.match(/^\s+PORT: "three thousand"/m);
    expect(program.stderr).to.match(/^\s+LOG_LEVEL: "loud"/m);
    expect(program.stderr).not.to.match(/^\s+at /m);
    await leavesNothing([]);
  });
});

const positions = (messages: Message[]) => messages.map(({ position }) => position);

async function readAll(person: Person, timelineId: string, after = 0): Promise<Message[]> {
  const { messages, more } = await person.send('message:list', { timelineId, after, limit: 100 });
  if (!more.after) return messages;
  return [...messages, ...(await readAll(person, timelineId, messages.at(-1)!.position))];
}

function runningProcesses(): Map<number, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/));
  // A zombie has ended, but its parent has not reaped it yet.
  return new Map(
    rows
      .filter(([, , state]) => !state?.startsWith('Z'))
      .map(([pid, parent]) => [Number(pid), Number(parent)]),
  );
}

function killHard(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function listenOn(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { close: () => once(server.close(), 'close') };
}
