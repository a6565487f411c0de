import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { botTasks } from '../../server/bots/admin.ts';
import { runCommandLine, type ProgramExit } from '../../server/command-line.ts';
import type { TaskOptions } from '../../server/administration/task.ts';
import { startApp } from '../support/app.ts';
import { logFor } from '../support/log.ts';
import {
  connectAs,
  connectBot,
  cookieOf,
  enterAs,
  openSocket,
  post,
  type Person,
} from '../support/person.ts';
import { upload } from '../support/files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const built = existsSync(join(root, 'dist/server/admin.js'));
const program = (name: string) =>
  built ? [`dist/server/${name}.js`] : ['--import', 'tsx', `server/${name}.ts`];

describe('a task of npm run admin', () => {
  it('is refused with a message that states the reason, and then changes nothing', async () => {
    const app = await startApp();
    const [ann, ben] = [await app.person(), await app.person()];
    const { username } = ann.user;
    await ann.send('server:create', { name: 'Attic' });
    await ben.send('server:create', { name: 'Cellar' });
    const { invite } = await ben.send('invite:create', {
      serverId: (await ben.send('server:list', {})).servers.at(-1)!.id,
    });
    await ann.send('server:join', { code: invite.code });
    const fails = async (said: string, verb: string, word: string, options: TaskOptions = {}) => {
      const error = await botTasks
        .get(verb)!
        .run(app, [word], options)
        .then(
          () => new Error('it worked'),
          (reason: unknown) => reason as Error,
        );
      expect(error.message).to.include(said);
    };
    const owner = username!;
    await fails('There’s no one called zoe here.', 'create', 'X', { owner: 'zoe' });
    await fails('Specify the bot’s owner', 'create', 'X');
    await fails('There’s no server of', 'create', 'X', { owner, server: 'Elsewhere' });
    await fails('Only the owner', 'create', 'X', { owner, server: 'Cellar' });
    await fails('Invalid option', 'create', 'X', { owner, scope: ['everything'] });
    await fails('There’s no bot called X.', 'rotate', 'X');
    expect((await botTasks.get('list')!.run(app, [], {})).said).to.equal('There are no bots.');
    for (const name of [owner, owner.toUpperCase()])
      await botTasks.get('create')!.run(app, ['Echo'], { owner: name, server: 'Attic' });
    await fails('The name Echo is ambiguous', 'revoke', 'Echo');
    await fails('Specify the server', 'add', (await ann.send('bot:list', {})).bots[0]!.id);
    await app.close();
  });
});

describe('npm run admin', () => {
  let directory: string;
  let port: number;
  let url: string;
  let node: ChildProcess | undefined;
  const settings = () => ({
    PATH: process.env.PATH,
    TMPDIR: directory,
    PARLEY_DATA: join(directory, 'data'),
    PARLEY_PASSWORD_COST: '4',
    PORT: String(port),
    HOST: '127.0.0.1',
  });

  /** Calls the program as a function: a process takes a second, and most tasks need none. */
  const byWords = (args: string[], more: Record<string, string> = {}): Promise<ProgramExit> =>
    runCommandLine(args, { ...settings(), ...more }, logFor);
  const inProcess = (args: string[], more: Record<string, string> = {}): Promise<ProgramExit> =>
    new Promise((resolve) => {
      const options = { cwd: root, env: { ...settings(), ...more } };
      execFile(
        process.execPath,
        [...program('admin'), ...args],
        options,
        (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        },
      );
    });
  const asking = (ask: (args: string[]) => Promise<ProgramExit>) => ({
    does: async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await ask(args);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      return stdout;
    },
    failsWith: async (status: number, ...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await ask(args);
      expect({ code, stdout }).to.deep.equal({ code: status, stdout: '' });
      expect(stderr).not.to.match(/^\s+at /m);
      return stderr;
    },
  });
  const { does, failsWith } = asking(byWords);
  const theProgram = asking(inProcess);
  const tokenIn = (text: string) => / PARLEY_TOKEN=(pbot_[\w-]{43})$/m.exec(text)?.[1] ?? '';

  async function startNode(): Promise<string> {
    node = spawn(process.execPath, program('main'), {
      cwd: root,
      env: settings(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(node.stdout!), 'line')) as [string];
    return /join\/(\w+)/.exec(line)?.[1] ?? '';
  }

  async function stopNode(): Promise<void> {
    const child = node;
    node = undefined;
    if (child === undefined) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }

  const isRunning = () => existsSync(join(directory, 'data/postgres/postmaster.pid'));
  const isRefused = (token: string) =>
    new Promise<boolean>((resolve) => {
      const socket = openSocket(url, undefined, { protocol: 1, token });
      const end = (refused: boolean) => {
        socket.disconnect();
        resolve(refused);
      };
      socket.once('connect_error', () => end(true));
      socket.once('ready', () => end(false));
    });

  let ann: Person;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pa-'));
    await chmod(directory, 0o755);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    await once(server.close(), 'close');
    url = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    await stopNode();
    const cluster = await realpath(join(directory, 'data/postgres')).catch(() => directory);
    await rm(cluster, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });

  it('creates no database where there is none, and names the setting to check', async () => {
    expect(await theProgram.failsWith(1, 'bot', 'list'))
      .to.include('There’s no Parley database in')
      .and.include('PARLEY_DATA');
    expect(existsSync(join(directory, 'data'))).to.equal(false);
    const elsewhere = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };
    const { code, stderr } = await byWords(['bot', 'list'], elsewhere);
    expect(code).to.equal(1);
    expect(stderr).to.include('DATABASE_URL: the PostgreSQL at this address can’t be used');
  });

  it('prints its usage after an invalid command', async () => {
    for (const args of [
      ['restored', 'everything'],
      ['bot', 'create'],
      ['bot', 'list', '--what'],
      ['cat', 'list'],
      ['person', 'reset'],
    ])
      expect(await failsWith(2, ...args), args.join(' '))
        .to.include('npm run admin -- bot create NAME --owner USERNAME')
        .and.include('npm run admin -- person reset USERNAME');
    expect(await theProgram.failsWith(2, 'cat', 'list')).to.equal(
      await failsWith(2, 'cat', 'list'),
    );
  });

  it('beside a node: creates a bot, adds it to a server, rotates and revokes its token', async () => {
    const invite = await startNode();
    ann = await enterAs(url, 'register', {
      username: 'ann',
      password: 'a sentence of hers',
      invite,
    });
    const made = await does('bot', 'create', 'Echo', '--owner', 'ann', '--server', 'Lobby');
    expect(made).to.include(`PARLEY_URL=http://localhost:${port} PARLEY_TOKEN=pbot_`);
    const echo = await connectBot(url, tokenIn(made));
    expect(echo.user).to.deep.include({ name: 'Echo', kind: 'bot', scopes: ['send'] });
    expect((await echo.send('server:list', {})).servers.map(({ name }) => name)).to.deep.equal([
      'Lobby',
    ]);
    expect((await ann.send('bot:list', {})).bots.map(({ id }) => id)).to.deep.equal([echo.id]);
    expect(await does('bot', 'list')).to.include(
      `${echo.id}  Echo  (owner ann; scopes: send; token from`,
    );

    const renewed = await does(
      'bot',
      'rotate',
      'Echo',
      '--scope',
      'send',
      '--scope',
      'manage messages',
    );
    await echo.waitFor('closing', ({ code }) => code === 'revoked');
    expect(await isRefused(tokenIn(made))).to.equal(true);
    const again = await connectBot(url, tokenIn(renewed));
    expect(again.user.scopes).to.deep.equal(['send', 'manage messages']);
    await does('bot', 'revoke', echo.id);
    await again.waitFor('closing', ({ code }) => code === 'revoked');
    expect(await isRefused(tokenIn(renewed))).to.equal(true);
  });

  it('beside a node: resets a password, suspends, restores and signs out a person', async () => {
    const link = /http:\/\/localhost:\d+\/reset#([\w-]{43})$/m.exec(
      await does('person', 'reset', 'ann'),
    );
    const [before, password] = [await connectAs(url, ann.cookie), 'a sentence she chose later'];
    const used = await post(url, '/api/auth/reset', { secret: link?.[1], password });
    expect(used.status).to.equal(200);
    await before.waitFor('closing', ({ code }) => code === 'revoked');
    ann = await connectAs(url, cookieOf(used));

    await does('person', 'suspend', 'Ann');
    await ann.waitFor('closing', ({ reason }) => reason === 'Your account is suspended.');
    const login = { username: 'ann', password };
    expect((await post(url, '/api/auth/login', login)).status).to.equal(403);
    const refused = JSON.parse(await failsWith(1, 'person', 'reset', 'ann', '--json')) as unknown;
    expect(refused).to.deep.equal({
      error: { code: 'conflict', message: 'This account is suspended. Restore it first.' },
    });
    await does('person', 'restore', 'ann');
    ann = await enterAs(url, 'login', login);
    await does('person', 'sign-out', 'ann');
    await ann.waitFor('closing', ({ code }) => code === 'revoked');
    ann = await enterAs(url, 'login', login);
  });

  it('beside a node: reports the size of files, by owner', async () => {
    const { servers } = await ann.send('server:list', {});
    const before = JSON.parse(await does('files', 'usage', '--json')) as { bytes: number };
    expect(before).to.deep.include({ bytes: 0, limit: 10_000_000_000, people: [] });
    await upload(ann, servers[0]!.defaultChannelId, Buffer.alloc(1_500_000, 'tea'), 'tea.txt');
    const person = { userId: ann.id, name: 'ann', files: 1, bytes: 1_500_000 };
    expect(JSON.parse(await does('files', 'usage', '--json'))).to.deep.include({
      bytes: 1_500_000,
      people: [person],
    });
    const output = await does('files', 'usage');
    expect(output).to.match(/^Files take 1\.5 MB of 10,000 MB \(PARLEY_FILES_GB\)\.$/m);
    expect(output).to.match(/^ +1\.5 MB +1 {2}ann$/m);
    expect(await failsWith(2, 'files', 'usage', 'ann')).to.include('npm run admin -- files usage');
  });

  it('prints results as JSON, and reports failures by its exit code', async () => {
    const runJson = async (...args: string[]) =>
      JSON.parse(await does('person', ...args, '--json')) as Record<string, unknown>;
    expect(await theProgram.failsWith(3, 'person', 'reset', 'zoe')).to.equal(
      'There’s no one called zoe here.\n',
    );
    const unknown = JSON.parse(await failsWith(3, 'person', 'promote', 'zoe', '--json')) as unknown;
    expect(unknown).to.have.nested.property('error.code', 'not_found');
    await enterAs(url, 'register', { username: 'ben', password: 'a sentence of his' });
    const made = await runJson('promote', 'ben');
    expect(made.account).to.include({ username: 'ben', administers: 'administrator' });
    expect((await runJson('find', 'be')).accounts).to.deep.equal([made.account]);
    expect((await runJson('demote', 'ben')).account).not.to.have.property('administers');
    const { url: link, expiresAt } = await runJson('reset', 'ben');
    expect(link).to.match(/^http:\/\/localhost:\d+\/reset#[\w-]{43}$/);
    expect(Date.parse(String(expiresAt))).to.be.above(Date.now());
    expect(await theProgram.does('person', 'find', 'a')).to.equal('ann  ann  owner\n');
    const { entries } = await ann.send('audit:list', { limit: 5 });
    expect(entries[0]).to.include({ action: 'reset:created', actorId: null, address: 'admin' });
  });

  it('without a node: starts the database for the task, and stops it afterwards', async () => {
    await stopNode();
    expect(isRunning()).to.equal(false);
    const made = await theProgram.does('bot', 'create', 'Night', '--owner', 'ann');
    expect(isRunning()).to.equal(false);
    await does('bot', 'add', 'Night', '--server', 'Lobby');
    await startNode();
    const night = await connectBot(url, tokenIn(made));
    expect((await night.send('server:list', {})).servers).to.have.length(1);
    await does('bot', 'delete', 'Night');
    await night.waitFor('closing', ({ code }) => code === 'revoked');
    expect(await does('bot', 'list')).not.to.include('Night');
  });

  it('after a restore: gives the database a new identity, says what came back, and ends it if asked', async () => {
    const made = await does('bot', 'create', 'Old', '--owner', 'ann', '--server', 'Lobby');
    const old = await connectBot(url, tokenIn(made));
    const again = await connectAs(url, ann.cookie);
    const output = await does('restored');
    expect(output).to.match(/^The database has a new identity/);
    expect(output).to.include('Passwords that were changed since are the old ones again');
    expect(output).to.match(/- \d+ sessions? (is|are) valid.*--end-sessions/);
    expect(output).to.match(/- \d+ bot tokens? (is|are) valid.*--end-tokens/);
    for (const person of [again, old])
      await person.waitFor('closing', ({ code, retry }) => code === 'drain' && retry);
    const back = await connectAs(url, ann.cookie);
    expect(back.ready.epoch).not.to.equal(again.ready.epoch);
    (await connectBot(url, tokenIn(made))).close();

    const ended = await does('restored', '--end-sessions', '--end-tokens');
    expect(ended).to.match(/- \d+ sessions? (is|are) ended. Everyone has to sign in again/);
    expect(ended).to.match(/- \d+ bot tokens? (is|are) ended. Bots will need new ones/);
    await back.waitFor('closing', ({ code }) => code === 'drain');
    expect(await isRefused(tokenIn(made))).to.equal(true);
    const refused = await new Promise<boolean>((resolve) => {
      const socket = openSocket(url, ann.cookie);
      socket.once('connect_error', (error) => {
        socket.disconnect();
        resolve((error as Error & { data?: { code: string } }).data?.code === 'unauthenticated');
      });
      socket.once('ready', () => resolve(false));
    });
    expect(refused).to.equal(true);
    await enterAs(url, 'login', { username: 'ann', password: 'a sentence she chose later' });
  });
});
