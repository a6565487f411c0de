import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Positions } from '../../client/bot/bot.ts';
import type { Message } from '../../shared/messages.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { BotFixture, openWorkshop, readAll } from '../support/bots.ts';
import { startProxy } from '../support/proxy.ts';
import { answering, bodies, root, openBotWorkshop } from './trial.ts';
import { atLength } from '../support/length.ts';
import { until } from '../support/time.ts';

describe('a bot made with parley/bot', () => {
  let app: TestApp;
  let fixture: BotFixture;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  beforeEach(async () => void (fixture = await BotFixture.open()));
  afterEach(() => fixture.close());

  it('misses no message, edit, deletion or new member while it is cut off', async () => {
    const { ann, serverId, channelId, say, made, all } = await openBotWorkshop(app, fixture);
    const proxy = await startProxy({ port: Number(new URL(app.url).port) });
    const bot = made({ url: `http://127.0.0.1:${proxy.port}` });
    const received: string[] = [];
    answering(bot, received);
    bot.on('message:updated', ({ message }) => void received.push(`edited: ${message.body}`));
    bot.on('message:deleted', ({ message }) => void received.push(`deleted: ${message.position}`));
    bot.on('member:joined', ({ member }) => void received.push(member.userId));
    await bot.start();
    const first = await say('first');
    const second = await say('second');
    await until(() => received.length === 2);
    proxy.cut();
    await until(() => fixture.lines.some((line) => line.startsWith('Not connected')));
    const early = bot.say(channelId, 'said while away');
    const ben = await app.person('Ben');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await ann.send('message:edit', { messageId: first.message.id, body: 'first, better' });
    await ann.send('message:delete', { messageId: second.message.id });
    for (let i = 0; i < 120; i += 1) await say(`!${i}`);
    proxy.mend();
    await early;
    await until(() => received.length === 125);
    expect(received).to.include.members([ben.id, 'edited: first, better', 'deleted: 2']);
    const asked = Array.from({ length: 120 }, (_, i) => `!${i}`);
    expect(received.filter((body) => body.startsWith('!'))).to.deep.equal(asked);
    const answers = asked.map((body) => `answer to ${body}`);
    await until(async () => (await all()).length === 243);
    expect(bodies(await all()).filter((body) => body.startsWith('answer'))).to.deep.equal(answers);
    proxy.close();
  });

  it('continues after a restart without a gap or a duplicate, also in new channels', async () => {
    const { ann, serverId, say, made, all } = await openBotWorkshop(app, fixture);
    await say('!before its first start');
    const [first, second] = [[], []] as string[][] as [string[], string[]];
    const one = answering(made(), first);
    await one.start();
    const { message } = await say('!zero');
    await until(() => first.length === 1);
    await one.stop();
    await ann.send('message:edit', { messageId: message.id, body: 'edited meanwhile' });
    for (let i = 1; i <= 130; i += 1) await say(`!${i}`);
    const { channel } = await ann.send('channel:create', { serverId, name: 'new' });
    await say('!in a new channel', channel.id);
    const two = answering(made(), second);
    two.on('message:updated', ({ message }) => void second.push(message.body));
    await two.start();
    await until(() => second.length === 132);
    await two.stop();
    expect(first).to.deep.equal(['!zero']);
    const numbers = Array.from({ length: 130 }, (_, i) => `!${i + 1}`);
    const others = ['edited meanwhile', '!in a new channel'];
    expect(second.filter((body) => !others.includes(body))).to.deep.equal(numbers);
    expect(second).to.include.members(others);
    const three = answering(made(), second);
    await three.start();
    await say('!last');
    await until(() => second.length === 133);
    expect(bodies(await all()).filter((body) => body === 'answer to !130')).to.have.length(1);
  });

  it('saves its positions after the ack, in the store that its author provides', async () => {
    const { channelId, botId, say, made } = await openBotWorkshop(app, fixture);
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
    await until(() => positionNow() === 2);
    expect(answer?.position).to.equal(2);
    expect(saved.at(-1)?.[0]).to.equal(botId);
    expect(fixture.lines.filter((line) => line.includes('failed'))).to.deep.equal([]);
  });

  it('waits as the server asks, so that all its messages arrive once and in order', async () => {
    const strict = await startApp({ PARLEY_RATE_SCALE: '1' });
    const place = await openWorkshop(strict);
    const bot = fixture.bot({ url: strict.url, token: place.token, positions: fixture.file('b') });
    await bot.start();
    const count = 40;
    const words = Array.from({ length: count }, (_, i) => `word ${i}`);
    await Promise.all(words.map((word) => bot.say(place.channelId, word)));
    expect(bodies(await readAll(place.ann, place.channelId))).to.deep.equal(words);
    await bot.stop();
    await strict.close();
  });

  it('answers each command exactly once when it is killed and restarted among many messages', async () => {
    const { botId, token, say, all } = await openBotWorkshop(app, fixture);
    const positions = fixture.file('killed.json');
    const start = (): ChildProcess =>
      spawn(process.execPath, [join(root, 'test/support/bot-itself.js'), positions], {
        cwd: root,
        env: { ...process.env, PARLEY_URL: app.url, PARLEY_TOKEN: token },
        stdio: ['ignore', 'ignore', 'ignore'],
      });
    let child = start();
    await until(() => existsSync(positions));
    const seconds = atLength(3, 8);
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
    };
    const kill = async () => {
      while (kills < atLength(1, 3)) {
        // Real time: the bot is killed after some work.
        await sleep(2_000);
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
        kills += 1;
        child = start();
      }
    };
    await Promise.all([talk(), kill()]);
    const answers = async () => (await all()).filter(({ authorId }) => authorId === botId);
    try {
      await until(async () => (await answers()).length >= commands.length);
      // A duplicate answer would arrive before the answer to the last command.
      const last = '!the last';
      commands.push(last);
      await say(last);
      await until(async () => bodies(await answers()).includes(`answer to ${last}`));
    } finally {
      child.kill('SIGKILL');
    }
    const said = bodies(await answers());
    expect(kills).to.equal(atLength(1, 3));
    expect(said).to.have.length(commands.length);
    expect(new Set(said)).to.deep.equal(new Set(commands.map((body) => `answer to ${body}`)));
  });
});
