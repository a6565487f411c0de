/** `parley/bot`, the library: against a real node, cut off, stopped and killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createHttp } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Server as SocketServer } from 'socket.io';
import { validate, version as versionOf } from 'uuid';
import { createBot, type Bot, type BotError, type Positions } from '../client/bot/bot.ts';
import { ownCodes } from '../client/bot/failures.ts';
import { newId, replyId } from '../client/bot/ids.ts';
import { failures } from '../shared/failure.ts';
import type { Message } from '../shared/messages.ts';
import { startApp, type TestApp } from './support/app.ts';
import { Kennel, openWorkshop, readAll, type Workshop } from './support/bots.ts';
import { openSocket, type Person } from './support/person.ts';
import { startProxy } from './support/proxy.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

async function becomes(what: string, test: () => unknown, patienceMs = 8_000): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await test())) {
    if (Date.now() > end) throw new Error(`it never came to be: ${what}`);
    await sleep(20);
  }
}

const bodies = (messages: { body: string }[]) => messages.map(({ body }) => body);

describe('a bot made with parley/bot', () => {
  let app: TestApp;
  let workshop: Workshop;
  let kennel: Kennel;
  let ann: Person;
  let channelId: string;

  before(async () => {
    app = await startApp();
  });
  after(() => app.close());
  beforeEach(async () => {
    kennel = new Kennel();
    await kennel.open();
    workshop = await openWorkshop(app);
    ({ ann, channelId } = workshop);
  });
  afterEach(() => kennel.close());

  const say = (body: string, timelineId = channelId) =>
    ann.send('message:send', { timelineId, body });
  const made = (more: object = {}) =>
    kennel.bot({
      url: app.url,
      token: workshop.token,
      positions: kennel.file('positions.json'),
      ...more,
    });
  /** Notes what it hears, and answers what begins with an exclamation mark. */
  const answering = (bot: Bot, heard: string[] = []) =>
    bot.on('message', async ({ body, reply }) => {
      heard.push(body);
      if (body.startsWith('!')) await reply(`answer to ${body}`);
    });
  const all = () => readAll(ann, channelId);

  it('answers what others say, and not itself; it knows who spoke, and where', async () => {
    const bot = made();
    const heard: string[] = [];
    bot.on('message', async ({ body, author, channel, server, reply }) => {
      heard.push(`${author.name} in ${server?.name} #${channel?.name}: ${body}`);
      await reply(body.toUpperCase());
    });
    const ready = await bot.start();
    expect(ready.you).to.include({ name: 'Echo', kind: 'bot' });
    expect(bot.servers.map(({ name }) => name)).to.deep.equal(['Workshop']);
    const { message } = await say('hello');
    await becomes('an answer', async () => (await all()).length === 2);
    await sleep(200);
    expect(bodies(await all())).to.deep.equal(['hello', 'HELLO']);
    expect(heard).to.deep.equal(['Ann in Workshop #general: hello']);
    expect((await all())[1]?.id).to.equal(replyId(workshop.botId, message.id, 0));
    expect(kennel.lines.join()).to.match(
      /^Connected as Echo \(channels: Workshop: 1; .*protocol 1\)$/,
    );
  });

  it('edits and deletes what it said', async () => {
    const bot = made();
    bot.on('message', async ({ body, reply }) => {
      const answer = await reply(`thinking about ${body}`);
      if (body === 'edit') await answer.edit('done');
      else await answer.delete();
    });
    await bot.start();
    await say('edit');
    await becomes('the first', async () => (await all())[1]?.body === 'done');
    await say('delete');
    await becomes('the end of both', async () => (await all())[3]?.deletedAt !== undefined);
    expect(bodies(await all())).to.deep.equal(['edit', 'done', 'delete', '']);
  });

  it('enters where it is added and what is created, and hears what was said there before it was in', async () => {
    const bot = made();
    const heard: string[] = [];
    answering(bot, heard);
    await bot.start();
    const { server } = await ann.send('server:create', { name: 'Garden' });
    await say('before it was there', server.defaultChannelId);
    await ann.send('bot:add', { botId: workshop.botId, serverId: server.id });
    await say('!one', server.defaultChannelId);
    const { channel } = await ann.send('channel:create', { serverId: server.id, name: 'roses' });
    await say('!two', channel.id);
    await becomes('both answers', () => heard.length === 2);
    expect(heard).to.have.members(['!one', '!two']);
    expect(bot.channels(server.id).map(({ name }) => name)).to.have.members(['general', 'roses']);
    await ann.send('member:remove', { serverId: server.id, userId: workshop.botId });
    await becomes('that it left', () => bot.servers.length === 1);
    await say('!three', channel.id);
    await say('!four');
    await becomes('an answer', () => heard.length > 2);
    expect(heard.slice(2)).to.deep.equal(['!four']);
  });

  it('hears a private channel from when it is let in until it is taken out', async () => {
    const bot = made();
    const heard: string[] = [];
    answering(bot, heard);
    await bot.start();
    const [{ id: serverId } = { id: '' }] = bot.servers;
    const wanted = { serverId, name: 'secret', private: true };
    const { channel } = await ann.send('channel:create', wanted);
    await say('!before', channel.id);
    const whom = { channelId: channel.id, userId: workshop.botId };
    await ann.send('channel:addMember', whom);
    await say('!in', channel.id);
    const sees = () => bot.channels(serverId).some(({ id }) => id === channel.id);
    await becomes('that it sees the channel', sees);
    await becomes('an answer', () => heard.length > 0);
    await ann.send('channel:removeMember', whom);
    await becomes('that it sees the channel no more', () => !sees());
    await say('!out', channel.id);
    await say('!elsewhere');
    await becomes('the last answer', () => heard.includes('!elsewhere'));
    expect(heard).to.deep.equal(['!in', '!elsewhere']);
  });

  it('hears what people write to it, from the first word, also what they began while it was away', async () => {
    const { serverId, botId } = workshop;
    const bot = made();
    const heard: string[] = [];
    answering(bot, heard);
    bot.on('message', ({ conversation, channel }) => {
      heard.push(`${conversation?.kind} ${channel?.name}`);
    });
    await bot.start();
    const begin = async (by: Person, body: string) => {
      const { conversation } = await by.send('conversation:create', { userIds: [botId] });
      await by.send('message:send', { timelineId: conversation.id, body });
      return conversation.id;
    };
    const id = await begin(ann, '!hello');
    await becomes('an answer', async () => (await readAll(ann, id)).length === 2);
    expect(heard).to.deep.equal(['!hello', 'pair undefined']);
    expect(bot.conversations.map((conversation) => conversation.id)).to.deep.equal([id]);
    await bot.stop();

    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await begin(ben, '!while away');
    const wanted = { serverId, name: 'secret', private: true };
    const { channel } = await ann.send('channel:create', wanted);
    await say('!before it was let in', channel.id);
    await ann.send('channel:addMember', { channelId: channel.id, userId: botId });
    await say('!after', channel.id);
    const later: string[] = [];
    await answering(made(), later).start();
    await becomes('both', () => later.length === 2);
    await sleep(200);
    expect(later).to.have.members(['!while away', '!after']);
  });

  it('runs commands and hears changes, all of them typed', async () => {
    const bot = made();
    const joined: string[] = [];
    bot.on('member:joined', ({ member }) => void joined.push(member.userId));
    bot.on('message:updated', ({ message }) => void joined.push(message.body));
    await bot.start();
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId: workshop.serverId });
    await ben.send('server:join', { code: invite.code });
    const { message } = await say('first');
    await ann.send('message:edit', { messageId: message.id, body: 'second' });
    await becomes('both heard', () => joined.length === 2);
    expect(joined).to.have.members([ben.id, 'second']);
    const { servers } = await bot.command('server:list', {});
    expect(servers.map(({ id }) => id)).to.deep.equal([workshop.serverId]);
    expect(bot.members(workshop.serverId)).to.have.length(3);
    const id = newId();
    for (const body of ['said once', 'said once']) await bot.say(channelId, body, id);
    expect(bodies(await all())).to.deep.equal(['second', 'said once']);
  });

  it('cut off, it misses nothing of what was said, edited, deleted and who came', async () => {
    const proxy = await startProxy({ port: Number(new URL(app.url).port) });
    const bot = made({ url: `http://127.0.0.1:${proxy.port}` });
    const heard: string[] = [];
    answering(bot, heard);
    bot.on('message:updated', ({ message }) => void heard.push(`edited: ${message.body}`));
    bot.on('message:deleted', ({ message }) => void heard.push(`deleted: ${message.position}`));
    bot.on('member:joined', ({ member }) => void heard.push(member.userId));
    await bot.start();
    const first = await say('first');
    const second = await say('second');
    await becomes('both', () => heard.length === 2);
    proxy.cut();
    await becomes('the loss', () => kennel.lines.some((line) => line.startsWith('Not connected')));
    const early = bot.say(channelId, 'said while away');
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId: workshop.serverId });
    await ben.send('server:join', { code: invite.code });
    await ann.send('message:edit', { messageId: first.message.id, body: 'first, better' });
    await ann.send('message:delete', { messageId: second.message.id });
    for (let i = 0; i < 120; i += 1) await say(`!${i}`);
    proxy.mend();
    await early;
    await becomes('the answers', () => heard.length === 125);
    expect(heard).to.include.members([ben.id, 'edited: first, better', 'deleted: 2']);
    const asked = Array.from({ length: 120 }, (_, i) => `!${i}`);
    expect(heard.filter((body) => body.startsWith('!'))).to.deep.equal(asked);
    const answers = asked.map((body) => `answer to ${body}`);
    await becomes('all answers', async () => (await all()).length === 243);
    expect(bodies(await all()).filter((body) => body.startsWith('answer'))).to.deep.equal(answers);
    proxy.close();
  });

  it('restarted, it goes on where it was: nothing missed, nothing twice, also in what is new', async () => {
    await say('!before its first start');
    const [first, second] = [[], []] as string[][] as [string[], string[]];
    const one = answering(made(), first);
    await one.start();
    const { message } = await say('!zero');
    await becomes('the first answer', () => first.length === 1);
    await one.stop();
    await ann.send('message:edit', { messageId: message.id, body: 'edited meanwhile' });
    for (let i = 1; i <= 130; i += 1) await say(`!${i}`);
    const { serverId } = workshop;
    const { channel } = await ann.send('channel:create', { serverId, name: 'new' });
    await say('!in a new channel', channel.id);
    const two = answering(made(), second);
    two.on('message:updated', ({ message }) => void second.push(message.body));
    await two.start();
    await becomes('all', () => second.length === 132);
    await two.stop();
    expect(first).to.deep.equal(['!zero']);
    const numbers = Array.from({ length: 130 }, (_, i) => `!${i + 1}`);
    const others = ['edited meanwhile', '!in a new channel'];
    expect(second.filter((body) => !others.includes(body))).to.deep.equal(numbers);
    expect(second).to.include.members(others);
    const three = answering(made(), second);
    await three.start();
    await say('!last');
    await becomes('the last', () => second.length === 133);
    expect(bodies(await all()).filter((body) => body === 'answer to !130')).to.have.length(1);
  });

  it('saves how far it is after the ack, wherever its author says', async () => {
    const saved: [string, Positions][] = [];
    let held: Positions | undefined;
    const store = {
      load: async () => held,
      save: async (botId: string, positions: Positions) => {
        held = positions;
        saved.push([botId, positions]);
      },
    };
    const bot = made({ positions: store });
    let answer: Message | undefined;
    const positionNow = () => saved.at(-1)?.[1].timelines[channelId]?.position;
    bot.on('message', async ({ reply }) => {
      await sleep(300);
      expect(positionNow()).to.equal(0);
      answer = await reply('here');
    });
    await bot.start();
    await say('where?');
    await becomes('a saved position', () => positionNow() === 2);
    expect(answer?.position).to.equal(2);
    expect(saved.at(-1)?.[0]).to.equal(workshop.botId);
    expect(kennel.lines.filter((line) => line.includes('failed'))).to.deep.equal([]);
  });

  it('waits as the server asks: all it says arrives, once and in order', async function () {
    const strict = await startApp({ PARLEY_RATE_SCALE: '1' });
    const place = await openWorkshop(strict);
    const bot = kennel.bot({ url: strict.url, token: place.token, positions: kennel.file('b') });
    await bot.start();
    const count = 40;
    const began = Date.now();
    const words = Array.from({ length: count }, (_, i) => `word ${i}`);
    await Promise.all(words.map((word) => bot.say(place.channelId, word)));
    expect(Date.now() - began).to.be.above(2_000);
    expect(bodies(await readAll(place.ann, place.channelId))).to.deep.equal(words);
    await bot.stop();
    await strict.close();
  });

  it('tells one line of what its listeners throw, and goes on', async () => {
    const bot = made();
    const heard: string[] = [];
    bot.on('message', ({ body }) => {
      if (body === 'trap') throw new TypeError('a slip\nof the pen');
    });
    answering(bot, heard);
    await bot.start();
    await say('trap');
    await say('!after');
    await becomes('both', () => heard.length === 2);
    const complaint = kennel.lines.find((line) => line.includes('slip'));
    expect(complaint).to.match(
      /^A listener to message failed\. TypeError: a slip of the pen .*botlib/,
    );
    expect(complaint).not.to.include('\n');
  });

  describe('that cannot', () => {
    /** One line: what, where to put it right, where it is explained. */
    const line = (error: BotError, code: string, what: RegExp, remedy: RegExp) => {
      expect(error).to.include({ name: 'BotError', code });
      expect(error.message).to.match(what).and.match(remedy).and.not.include('\n');
      expect(error.message).to.include(`(docs/bots.md#${code})`);
      expect(error.stack).to.equal(`BotError: ${error.message}`);
    };
    const failure = async (work: () => unknown): Promise<BotError> => {
      try {
        await work();
      } catch (error) {
        return error as BotError;
      }
      throw new Error('it worked');
    };

    it('find its way says so: no address, no token, nobody there, a wrong token', async () => {
      const { token } = workshop;
      const no = (options: object) =>
        failure(() => createBot({ url: '', token: '', ...options }).start());
      line(await no({}), 'no_address', /not said where/, /Set PARLEY_URL/);
      line(
        await no({ url: 'localhost:3000' }),
        'no_address',
        /localhost:3000 is not/,
        /PARLEY_URL/,
      );
      line(await no({ url: app.url }), 'no_token', /has no token/, /settings, under Bots/);
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      await once(server.close(), 'close');
      const nobody = await failure(() => made({ url: `http://127.0.0.1:${port}`, token }).start());
      line(nobody, 'unreachable', /ECONNREFUSED/, /Check PARLEY_URL/);
      const wrong = await failure(() => made({ token: 'pbot_wrong' }).start());
      line(wrong, 'unauthenticated', /token is not valid/, /settings, under Bots.*PARLEY_TOKEN/);
      expect(kennel.lines).to.deep.equal([]);
    });

    it('speak the server’s version says so, and does not try again', async () => {
      for (const protocol of [2, 0, '1', null]) {
        const refusal = await new Promise<{ data: object }>((resolve) => {
          const socket = openSocket(app.url, ann.cookie, { protocol: protocol as number });
          socket.once('connect_error', (error) => resolve(error as Error & { data: object }));
        });
        const said = { code: 'invalid', field: 'protocol', retryable: false, supported: [1] };
        expect(refusal.data, String(protocol)).to.deep.include(said);
      }
      // A server of a later version, which is not written yet.
      const http = createHttp().listen(0, '127.0.0.1');
      const later = new SocketServer(http, { transports: ['websocket'] });
      let tries = 0;
      later.use((_socket, next) => {
        tries += 1;
        const data = { code: 'invalid', message: 'x', retryable: false, supported: [2, 3] };
        next(Object.assign(new Error('x'), { data }));
      });
      await once(http, 'listening');
      const { port } = http.address() as AddressInfo;
      const error = await failure(() => made({ url: `http://127.0.0.1:${port}` }).start());
      line(error, 'unsupported', /speaks protocol version 2 or 3.* 1\./, /Use the library/);
      await sleep(1_500);
      expect(tries).to.equal(1);
      await later.close();
    });

    it('do something says who can allow it, and what the server said', async () => {
      const mute = await openWorkshop(app, []);
      const bot = made({ token: mute.token });
      await bot.start();
      const { channelId: there } = mute;
      line(
        await failure(() => bot.say(there, 'x')),
        'forbidden',
        /^message:send: /,
        /scopes.*roles/,
      );
      line(await failure(() => bot.say(channelId, 'x')), 'not_found', /does not exist/, /added to/);
      const long = await failure(() => bot.say(there, 'x'.repeat(4_001)));
      line(long, 'invalid', /^message:send \(body\): At most 4000/, /Correct/);
    });

    it('stay, because its token was made anew, says so and ends', async () => {
      const bot = made();
      const ended = new Promise<BotError>((resolve) => bot.on('end', resolve));
      await bot.start();
      await ann.send('bot:rotate', { botId: workshop.botId });
      line(await ended, 'unauthenticated', /not valid any more/, /PARLEY_TOKEN/);
      expect(kennel.lines.at(-1)).to.equal((await ended).message);
      expect(await failure(() => bot.say(channelId, 'x'))).to.equal(await ended);
    });

    it('save how far it came says so, and goes on', async () => {
      const bot = made({ positions: kennel.file('no/such/folder') });
      const heard: string[] = [];
      answering(bot, heard);
      await bot.start();
      await say('!one');
      await becomes('the answer', () => heard.length === 1);
      await becomes('a complaint', () =>
        kennel.lines.some((one) => one.includes('cannot be saved')),
      );
      expect(kennel.lines.find((one) => one.includes('cannot be saved'))).to.include('#positions');
    });

    it('read how far it came does not begin anew by itself', async () => {
      const broken = {
        load: () => Promise.reject(new Error('half a file')),
        save: () => Promise.resolve(),
      };
      const error = await failure(() => made({ positions: broken }).start());
      line(error, 'positions', /cannot be read: half a file/, /positions/);
    });

    it('do whatever else is told: every code has its heading in the document', () => {
      const text = readFileSync(join(root, 'docs/bots.md'), 'utf8');
      for (const code of [...ownCodes, ...Object.keys(failures)])
        expect(text, code).to.match(new RegExp(`^### \`${code}\`$`, 'm'));
    });
  });

  it('killed and restarted under 200 messages a second, it answers each command exactly once', async function () {
    this.timeout(120_000);
    const positions = kennel.file('killed.json');
    const start = (): ChildProcess =>
      spawn(
        process.execPath,
        ['--import=tsx', join(root, 'test/support/bot-itself.ts'), positions],
        {
          cwd: root,
          env: { ...process.env, PARLEY_URL: app.url, PARLEY_TOKEN: workshop.token },
          stdio: ['ignore', 'ignore', 'ignore'],
        },
      );
    let child = start();
    await becomes('its first start', () => existsSync(positions), 30_000);
    const seconds = 8;
    const commands: string[] = [];
    let kills = 0;
    const talk = async () => {
      const began = Date.now();
      const sent: Promise<unknown>[] = [];
      for (let i = 0; i < seconds * 200; i += 1) {
        const late = began + i * 5 - Date.now();
        if (late > 0) await sleep(late);
        const body = i % 5 === 0 ? `!${i}` : `chatter ${i}`;
        if (i % 5 === 0) commands.push(body);
        sent.push(say(body));
      }
      await Promise.all(sent);
      return (Date.now() - began) / 1_000;
    };
    const kill = async () => {
      while (kills < 3) {
        await sleep(2_000);
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
        kills += 1;
        child = start();
      }
    };
    const [took] = await Promise.all([talk(), kill()]);
    expect(took).to.be.below(seconds * 1.5);
    const answers = async () => (await all()).filter(({ authorId }) => authorId === workshop.botId);
    try {
      await becomes('all answers', async () => (await answers()).length >= commands.length, 40_000);
      await sleep(1_000);
    } finally {
      child.kill('SIGKILL');
    }
    const said = bodies(await answers());
    expect(kills).to.equal(3);
    expect(said).to.have.length(commands.length);
    expect(new Set(said)).to.deep.equal(new Set(commands.map((body) => `answer to ${body}`)));
  });

  it('gives a reply an id that is a version 7 UUID with the time of what it answers', () => {
    const trigger = newId();
    const ids = [0, 1, 2].map((ordinal) => replyId('bot', trigger, ordinal));
    expect(replyId('bot', trigger, 0)).to.equal(ids[0]);
    expect(
      new Set([...ids, replyId('another', trigger, 0), replyId('bot', newId(), 0)]),
    ).to.have.length(5);
    for (const id of [...ids, trigger]) {
      expect(validate(id)).to.equal(true);
      expect(versionOf(id)).to.equal(7);
      expect(id.slice(0, 13)).to.equal(trigger.slice(0, 13));
    }
  });

  it('needs nothing but Node and socket.io-client', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: { './bot': { default: string } };
    };
    const entry = join(root, exports['./bot'].default);
    const [needed, seen] = [new Set<string>(), new Set<string>()];
    const look = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
        /^(?:import|export)\b.*from '(.+)';$/gm,
      ))
        if (from.startsWith('.')) look(join(dirname(file), from));
        else needed.add(from);
    };
    look(entry);
    expect(seen.size).to.be.above(10);
    expect([...needed].filter((name) => !name.startsWith('node:'))).to.deep.equal([
      'socket.io-client',
    ]);
  });
});
