import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import { findPython } from '../../scripts/python.js';
import { startApp, type TestApp } from '../support/app.ts';
import { openWorkshop, readAll, type Workshop } from '../support/bots.ts';
import type { Person } from '../support/person.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { until } from '../support/time.ts';

const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url));

describe('the example', () => {
  let app: TestApp;
  let directory: string;
  const programs: ChildProcess[] = [];
  const proxies: Proxy[] = [];

  before(async () => {
    app = await startApp();
  });
  after(() => app.close());
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-examples-'));
  });
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) proxy.close();
    for (const program of programs.splice(0)) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      const exit = once(program, 'exit');
      program.kill('SIGKILL');
      await exit;
    }
    await rm(directory, { recursive: true, force: true });
  });

  async function start(
    { token }: Workshop,
    command: string,
    args: string[],
    url = app.url,
  ): Promise<ChildProcess> {
    const child = spawn(command, args, {
      cwd: directory,
      env: { ...process.env, PARLEY_URL: url, PARLEY_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    programs.push(child);
    let said = '';
    const connected = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('Connected as')) resolve();
        });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`it ended: ${said}`)));
    });
    await connected;
    return child;
  }

  async function says(person: Person, timelineId: string, fits: (bodies: string[]) => boolean) {
    let bodies: string[] = [];
    await until(
      async () => {
        bodies = (await readAll(person, timelineId)).map(({ body }) => body);
        return fits(bodies);
      },
      () => JSON.stringify(bodies),
    );
    return bodies;
  }

  it('ping.js answers, in at most ten lines', async () => {
    const workshop = await openWorkshop(app);
    const { ann, channelId } = workshop;
    await start(workshop, process.execPath, [join(examples, 'ping.js')]);
    for (const body of ['!ping', 'no ping'])
      await ann.send('message:send', { timelineId: channelId, body });
    const bodies = await says(ann, channelId, ({ length }) => length === 3);
    expect(bodies).to.have.members(['!ping', 'no ping', 'pong']);
  });

  it('ping.js says in one line why it cannot start, and ends', async () => {
    const { PARLEY_URL: _url, PARLEY_TOKEN: _token, ...rest } = process.env;
    const settings = {
      no_address: {},
      unauthenticated: { PARLEY_URL: app.url, PARLEY_TOKEN: 'x' },
    };
    for (const [code, env] of Object.entries(settings)) {
      const child = spawn(process.execPath, [join(examples, 'ping.js')], {
        cwd: directory,
        env: { ...rest, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [status] = (await once(child, 'close')) as [number];
      expect(status).to.equal(1);
      expect(said.trim().split('\n')).to.have.length(1);
      const [explained] = /[^( ]*\/docs\/bots#\w+/.exec(said) ?? [];
      expect(explained).to.match(new RegExp(`#${code}$`));
      if (code !== 'no_address')
        expect(await (await fetch(explained!)).text()).to.include(`id="${code}"`);
    }
  });

  it('bot.mjs in docs/bots.md answers, with nothing but the package that Parley serves', async () => {
    const text = await readFile(join(examples, '../bots.md'), 'utf8');
    const [, code = ''] = /`bot\.mjs`:\s+```js\n([^]*?)```/.exec(text) ?? [];
    expect(code).to.include("from 'parley/bot'");
    await writeFile(join(directory, 'bot.mjs'), code);
    const packed = await fetch(`${app.url}/parley-bot.tgz`);
    await writeFile(join(directory, 'parley-bot.tgz'), Buffer.from(await packed.arrayBuffer()));
    // Installs the package and its dependencies as npm does, without the registry.
    const modules = join(directory, 'node_modules');
    await mkdir(join(modules, 'parley'), { recursive: true });
    const unpack = ['-xzf', 'parley-bot.tgz', '-C', 'node_modules/parley', '--strip-components=1'];
    execFileSync('tar', unpack, { cwd: directory });
    interface Package {
      version: string;
      dependencies: Record<string, string>;
      peerDependencies?: Record<string, string>;
    }
    const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Package;
    const handedOut = await read(join(modules, 'parley/package.json'));
    const whole = await read(join(examples, '../../package.json'));
    const wanted = (name: string) => ({ [name]: whole.dependencies[name] });
    expect(handedOut).to.include({ version: whole.version });
    expect(handedOut.dependencies).to.deep.equal(wanted('socket.io-client'));
    expect(handedOut.peerDependencies).to.deep.equal(wanted('zod'));
    const client = fileURLToPath(new URL('../../node_modules/socket.io-client', import.meta.url));
    await symlink(client, join(modules, 'socket.io-client'));

    const workshop = await openWorkshop(app);
    const { ann, channelId } = workshop;
    const ping = () => ann.send('message:send', { timelineId: channelId, body: '!ping' });
    const first = await start(workshop, process.execPath, ['bot.mjs']);
    await ping();
    await says(ann, channelId, ({ length }) => length === 2);
    first.kill('SIGKILL');
    await ping();
    await start(workshop, process.execPath, ['bot.mjs']);
    const bodies = await says(ann, channelId, ({ length }) => length >= 4);
    expect(bodies).to.deep.equal(['!ping', 'pong', '!ping', 'pong']);
  });

  it('moderator.js deletes messages with forbidden words, also edited ones, and removes members who go on', async () => {
    const workshop = await openWorkshop(app, ['send', 'manage messages', 'manage members']);
    const { ann, channelId, serverId, botId } = workshop;
    await ann.send('member:update', { serverId, userId: botId, role: 'moderator' });
    await start(workshop, process.execPath, [join(examples, 'moderator.js'), 'heck', 'darn']);
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    const say = async (body: string) =>
      (await ben.send('message:send', { timelineId: channelId, body })).message;
    const { id } = await say('What a checkered day');
    await ben.send('message:edit', { messageId: id, body: 'What a DARN day' });
    await says(ann, channelId, ([first]) => first === '');
    for (const count of [1, 2]) {
      await say(`Oh heck! ${count}`);
      const bodies = await says(ann, channelId, (all) => all.length === 1 + 2 * count);
      expect(bodies.slice(-2)).to.deep.equal([
        '',
        `<@${ben.id}>, not here, please (${count} of 3).`,
      ]);
    }
    await say('heck again');
    await ben.waitFor('changes', ({ changes }) => changes[0]?.type === 'server:removed');
    const bodies = await says(ann, channelId, ({ length }) => length === 6);
    expect(bodies.filter((body) => /heck|darn/i.test(body))).to.deep.equal([]);
  });

  it('feed.js posts what appears in a feed, each item once, however often it is started', async () => {
    const workshop = await openWorkshop(app);
    const { ann, serverId } = workshop;
    const { channel } = await ann.send('channel:create', { serverId, name: 'news' });
    const file = join(directory, 'feed.json');
    const item = (day: number) => ({
      id: `item-${day}`,
      title: `News of day ${day}`,
      url: `https://example.org/${day}`,
      date_published: `2026-01-0${day}T12:00:00Z`,
    });
    const write = (days: number[]) =>
      writeFile(
        file,
        JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: days.map(item) }),
      );
    const post = (day: number) => `News of day ${day}\nhttps://example.org/${day}`;
    await write([2, 1]);
    const args = [join(examples, 'feed.js'), file, 'news'];
    const first = await start(workshop, process.execPath, args);
    await says(ann, channel.id, ({ length }) => length === 2);
    await write([3, 2, 1]);
    await says(ann, channel.id, ({ length }) => length === 3);
    first.kill('SIGKILL');
    await write([4, 3, 2, 1]);
    await start(workshop, process.execPath, args);
    const bodies = await says(ann, channel.id, ({ length }) => length >= 4);
    expect(bodies).to.deep.equal([1, 2, 3, 4].map(post));
  });

  it('chart.js posts a chart as a picture, with its numbers for those who don’t see it', async () => {
    const workshop = await openWorkshop(app);
    const { ann, serverId } = workshop;
    const { channel } = await ann.send('channel:create', { serverId, name: 'tea' });
    await writeFile(join(directory, 'cups.csv'), 'Monday,2\nTuesday,4\nWednesday,1\n');
    await start(workshop, process.execPath, [join(examples, 'chart.js'), 'cups.csv', 'tea']);
    await says(ann, channel.id, ([body]) => body === 'cups.csv');
    const [message] = await readAll(ann, channel.id);
    const [file] = message?.files ?? [];
    expect(file).to.include({ type: 'image/png', width: 160, height: 220 });
    expect(file?.alt).to.equal('A bar chart. Monday,2; Tuesday,4; Wednesday,1');
    const headers = { cookie: ann.cookie };
    const answer = await fetch(`${app.url}/files/${file?.id}/chart.png`, { headers });
    const picture = sharp(Buffer.from(await answer.arrayBuffer()));
    const pixels = await picture.toColourspace('srgb').removeAlpha().raw().toBuffer();
    const isBar = (x: number, y: number) => pixels[(y * 160 + x) * 3] === 70;
    // Counted from the top, the bars begin at 110, 10 and 160.
    expect([112, 108].map((y) => isBar(30, y))).to.deep.equal([true, false]);
    expect([12, 8].map((y) => isBar(80, y))).to.deep.equal([true, false]);
    expect([162, 158].map((y) => isBar(130, y))).to.deep.equal([true, false]);
  });

  it('raw.py, written without this project’s code, answers once, also messages sent while it was cut off', async () => {
    const python = findPython();
    expect(python, 'a Python with python3-socketio: see scripts/tools.js').not.to.equal(undefined);
    const workshop = await openWorkshop(app);
    const { ann, channelId } = workshop;
    const proxy = await startProxy({ port: Number(new URL(app.url).port) });
    proxies.push(proxy);
    await start(workshop, python!, [join(examples, 'raw.py')], `http://127.0.0.1:${proxy.port}`);
    const ping = () => ann.send('message:send', { timelineId: channelId, body: '!ping' });
    await ping();
    await says(ann, channelId, ({ length }) => length === 2);
    proxy.cut();
    await ping();
    proxy.mend();
    const bodies = await says(ann, channelId, ({ length }) => length >= 4);
    expect(bodies).to.deep.equal(['!ping', 'pong', '!ping', 'pong']);
    const authors = (await readAll(ann, channelId)).map(({ authorId }) => authorId);
    expect(authors).to.deep.equal([ann.id, workshop.botId, ann.id, workshop.botId]);
  });

  async function joined(ann: Person, serverId: string): Promise<Person> {
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    return ben;
  }

  it('raw.py answers in private channels and direct messages, both existing and later ones', async () => {
    const workshop = await openWorkshop(app);
    const { ann, serverId, botId } = workshop;
    const userIds = [botId];
    const secret = async () =>
      (await ann.send('channel:create', { serverId, name: 'secret', private: true, userIds }))
        .channel.id;
    const direct = async () => (await ann.send('conversation:create', { userIds })).conversation.id;
    const before = [await secret(), await direct()];
    await start(workshop, findPython()!, [join(examples, 'raw.py')]);
    const { server } = await ann.send('server:create', { name: 'Annex' });
    await ann.send('bot:add', { botId, serverId: server.id });
    const { channel } = await ann.send('channel:create', { serverId, name: 'later' });
    const group = { userIds: [botId, (await joined(ann, serverId)).id], name: 'All of us' };
    const { conversation } = await ann.send('conversation:create', group);
    const later = [await secret(), conversation.id, channel.id, server.defaultChannelId];
    for (const timelineId of [...before, ...later]) {
      await ann.send('message:send', { timelineId, body: '!ping' });
      const bodies = await says(ann, timelineId, ({ length }) => length === 2);
      expect(bodies).to.deep.equal(['!ping', 'pong']);
    }
  });

  it('raw.sh sends a message and a file and reads by curl, and ends with an error if it may not', async () => {
    const workshop = await openWorkshop(app);
    const run = async (token: string, ...files: string[]) => {
      const child = spawn('sh', [join(examples, 'raw.sh'), 'The build is green', ...files], {
        env: { ...process.env, PARLEY_URL: app.url, PARLEY_TOKEN: token },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number];
      return { code, said };
    };
    const { code, said } = await run(workshop.token);
    expect(code, said).to.equal(0);
    const [sent = '', listed = ''] = said.trim().split('\n');
    expect(JSON.parse(sent)).to.have.nested.property('message.authorId', workshop.botId);
    expect(JSON.parse(listed)).to.have.nested.property('messages[0].body', 'The build is green');
    const bodies = (await readAll(workshop.ann, workshop.channelId)).map(({ body }) => body);
    expect(bodies).to.deep.equal(['The build is green']);
    const withFile = await run(workshop.token, join(examples, 'ping.js'));
    expect(withFile.code, withFile.said).to.equal(0);
    const [named = ''] = withFile.said.trim().split('\n');
    expect(JSON.parse(named)).to.have.nested.property('message.files[0].name', 'ping.js');
    const refused = await run('pbot_wrong');
    expect(refused.code).not.to.equal(0);
    expect(refused.said).to.include('unauthenticated');
  });
});
