import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createHttp } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Server as SocketServer } from 'socket.io';
import { createBot, type BotError } from '../../client/bot/bot.ts';
import { ownCodes } from '../../client/bot/failures.ts';
import { failures } from '../../shared/failure.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { BotFixture, openWorkshop } from '../support/bots.ts';
import { openSocket } from '../support/person.ts';
import { answering, root, openBotWorkshop } from './trial.ts';
import { until } from '../support/time.ts';

describe('a bot made with parley/bot', () => {
  let app: TestApp;
  let fixture: BotFixture;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  beforeEach(async () => void (fixture = await BotFixture.open()));
  afterEach(() => fixture.close());

  it('logs one line for an error in a listener, and goes on', async () => {
    const { say, made } = await openBotWorkshop(app, fixture);
    const bot = made();
    const received: string[] = [];
    bot.on('message', ({ body }) => {
      if (body === 'trap') throw new TypeError('a slip\nof the pen');
    });
    answering(bot, received);
    await bot.start();
    await say('trap');
    await say('!after');
    await until(() => received.length === 2);
    const complaint = fixture.lines.find((line) => line.includes('slip'));
    expect(complaint).to.match(
      /^A listener to message failed\. TypeError: a slip of the pen .*botlib/,
    );
    expect(complaint).not.to.include('\n');
  });

  describe('after a failure', () => {
    /** Expects one line: the error, where to fix it, and where it is documented. */
    const line = (error: BotError, code: string, what: RegExp, remedy: RegExp) => {
      expect(error).to.include({ name: 'BotError', code });
      expect(error.message).to.match(what).and.match(remedy).and.not.include('\n');
      // Names the whole address if the bot knows its server, otherwise only the path.
      expect(error.message).to.match(
        new RegExp(`\\((http://[^ ]+)?/docs/bots#${code}( of your Parley)?\\)$`),
      );
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

    it('reports a missing address, a missing token, an unreachable server and a wrong token', async () => {
      const { token, made } = await openBotWorkshop(app, fixture);
      const no = (options: object) =>
        failure(() => createBot({ url: '', token: '', ...options }).start());
      line(await no({}), 'no_address', /Parley’s address is missing/, /Set PARLEY_URL/);
      line(await no({ url: 'localhost:3000' }), 'no_address', /localhost:3000 isn’t/, /PARLEY_URL/);
      line(await no({ url: app.url }), 'no_token', /has no token/, /settings, under Bots/);
      expect((await no({ url: app.url })).message).to.include(`(${app.url}/docs/bots#no_token)`);
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      await once(server.close(), 'close');
      const nobody = await failure(() => made({ url: `http://127.0.0.1:${port}`, token }).start());
      line(nobody, 'unreachable', /ECONNREFUSED/, /Check PARLEY_URL/);
      const wrong = await failure(() => made({ token: 'pbot_wrong' }).start());
      line(wrong, 'unauthenticated', /token isn’t valid/, /settings, under Bots.*PARLEY_TOKEN/);
      expect(fixture.lines).to.deep.equal([]);
    });

    it('reports that it does not speak the server’s version, and does not try again', async () => {
      const { ann, made } = await openBotWorkshop(app, fixture);
      for (const protocol of [2, 0, '1', null]) {
        const refusal = await new Promise<{ data: object }>((resolve) => {
          const socket = openSocket(app.url, ann.cookie, { protocol: protocol as number });
          socket.once('connect_error', (error) => resolve(error as Error & { data: object }));
        });
        const said = { code: 'invalid', field: 'protocol', retryable: false, supported: [1] };
        expect(refusal.data, String(protocol)).to.deep.include(said);
      }
      // A server of a future version.
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
      // Longer than the pause before a retry.
      await sleep(1_500);
      expect(tries).to.equal(1);
      await later.close();
    });

    it('reports who can allow a refused command, and the error of the server', async () => {
      const { channelId, made } = await openBotWorkshop(app, fixture);
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
      line(await failure(() => bot.say(channelId, 'x')), 'not_found', /doesn’t exist/, /added to/);
      const long = await failure(() => bot.say(there, 'x'.repeat(4_001)));
      line(long, 'invalid', /^message:send \(body\): Use at most 4000/, /Correct/);
    });

    it('ends with an error when its token is replaced', async () => {
      const { ann, channelId, botId, made } = await openBotWorkshop(app, fixture);
      const bot = made();
      const ended = new Promise<BotError>((resolve) => bot.on('end', resolve));
      await bot.start();
      await ann.send('bot:rotate', { botId });
      line(await ended, 'unauthenticated', /no longer valid/, /PARLEY_TOKEN/);
      expect(fixture.lines.at(-1)).to.equal((await ended).message);
      expect(await failure(() => bot.say(channelId, 'x'))).to.equal(await ended);
    });

    it('reports that its positions cannot be saved, and goes on', async () => {
      const { say, made } = await openBotWorkshop(app, fixture);
      const bot = made({ positions: fixture.file('no/such/folder') });
      const received: string[] = [];
      answering(bot, received);
      await bot.start();
      await say('!one');
      await until(() => received.length === 1);
      await until(() => fixture.lines.some((one) => one.includes('can’t be saved')));
      expect(fixture.lines.find((one) => one.includes('can’t be saved'))).to.include('#positions');
    });

    it('stops instead of starting over when its positions cannot be read', async () => {
      const { made } = await openBotWorkshop(app, fixture);
      const broken = {
        load: () => Promise.reject(new Error('half a file')),
        save: () => Promise.resolve(),
      };
      const error = await failure(() => made({ positions: broken }).start());
      line(error, 'positions', /can’t be read: half a file/, /positions/);
    });

    it('has a heading in the document for every error code', () => {
      const text = readFileSync(join(root, 'docs/bots.md'), 'utf8');
      for (const code of [...ownCodes, ...Object.keys(failures)])
        expect(text, code).to.match(new RegExp(`^### \`${code}\`$`, 'm'));
    });
  });
});
