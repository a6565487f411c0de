import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { query, readTransaction, transaction, type Db } from '../../server/database/database.ts';
import { openShares } from '../../server/database/shares.ts';
import { limits } from '../../shared/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { withTableLock } from '../support/table-lock.ts';
import { newForm } from '../support/auth.ts';
import { connectBot, openSocket, post, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const guests = 50;

describe('the connections to the database', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  const as = (who: string) => ({ ...app.db, share: app.node.shares.of(who) });
  const asStranger = () => ({ ...app.db, share: app.node.shares.strangers });
  const slowly = (who: string) => query(as(who), 'select pg_sleep(0.02)');

  it('are lent to a quiet person at once, while fifty others ask for all of them', async () => {
    let done = 0;
    let over = false;
    const asking = Array.from({ length: guests }, (_, i) =>
      Promise.all(
        Array.from({ length: 4 }, async () => {
          while (!over) {
            // On a slow machine, some wait too long and are refused.
            await slowly(`guest ${i}`).catch((error: unknown) => {
              expect(error).to.include({ code: 'busy' });
            });
            done += 1;
          }
        }),
      ),
    );
    await until(() => done >= 12 * guests);
    const between: number[] = [];
    // Counts the requests until a connection is lent; later delays depend on the machine only.
    const ask = async (who: Db) => {
      const before = done;
      await readTransaction(who, (db) => {
        between.push(done - before);
        return query(db, 'select 1');
      });
    };
    for (let i = 0; i < 30; i += 1) {
      await ask(as('quiet'));
      await ask(asStranger());
      // Seldom, as a quiet person sends requests.
      await sleep(5);
    }
    over = true;
    await Promise.all(asking);
    // 200 requests were waiting before.
    expect(Math.max(...between), between.join()).to.be.at.most(8);
  });

  it('come from the share of strangers for every request without an account, and for no command', async () => {
    const owner = await app.owner();
    const { server } = await owner.send('server:create', { name: 'Open' });
    const { invite } = await owner.send('invite:create', { serverId: server.id });
    const { strangers } = app.node.shares;
    const { enter } = strangers;
    let entered = 0;
    const uses = async (ask: () => Promise<unknown>) => {
      entered = 0;
      await ask();
      return entered > 0;
    };
    const counting = () => {
      entered += 1;
      return enter();
    };
    Object.assign(strangers, { enter: counting });
    const form = newForm();
    const entry = (path: string, body: object) => () => post(app.url, `/api/auth/${path}`, body);
    const requests: Record<string, () => Promise<unknown>> = {
      username: entry('username', { username: form.username }),
      register: entry('register', form),
      login: entry('login', form),
      guest: entry('guest', { displayName: 'Visitor' }),
      reset: entry('reset', { secret: 'x'.repeat(43), password: form.password }),
      cookie: () => fetch(`${app.url}/api/servers`, { headers: { cookie: owner.cookie } }),
      token: () => fetch(`${app.url}/api/servers`, { headers: { authorization: 'Bearer pbot_x' } }),
      icon: () => fetch(`${app.url}/files/${randomUUID()}/icon?invite=${invite.code}`),
      preview: () =>
        new Promise<void>((refused) => {
          const socket = openSocket(app.url, undefined, { invite: invite.code });
          socket.once('connect_error', () => {
            socket.disconnect();
            refused();
          });
        }),
    };
    try {
      for (const [name, ask] of Object.entries(requests))
        expect(await uses(ask), name).to.equal(true);
      expect(await uses(() => owner.send('invite:get', { code: invite.code }))).to.equal(false);
    } finally {
      Object.assign(strangers, { enter });
    }
  });

  it('are lent in the order of the requests to accounts with equal use', async () => {
    const shares = openShares({ account: 2, accounts: 2, busy: 2, strangers: 0 });
    const holding = [await shares.of('first').enter(), await shares.of('second').enter()];
    const order: string[] = [];
    const asked = ['third', 'first'].map(async (who) => {
      const leave = await shares.of(who).enter();
      order.push(who);
      leave();
    });
    holding[1]?.();
    await Promise.all(asked);
    expect(order).to.deep.equal(['third', 'first']);
  });

  it('report no success of a transaction in which an error was swallowed', async () => {
    const failing = (throws: boolean) =>
      transaction(app.db, async (db) => {
        await query(db, throws ? 'select 1 / 0' : 'select 1').catch(() => undefined);
        return 'stored';
      });
    expect(await failing(false)).to.equal('stored');
    const error = await failing(true).catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.nested.property('cause.code', '22012');
  });

  it('are at most three per account', async () => {
    let [running, peak] = [0, 0];
    const one = () =>
      readTransaction(as('one'), async (db) => {
        peak = Math.max(peak, (running += 1));
        await query(db, 'select pg_sleep(0.01)');
        running -= 1;
      });
    await Promise.all(Array.from({ length: 20 }, one));
    expect(peak).to.equal(3);
  });

  it('are at most three per person with bots', async () => {
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    // Stops the background work of the node, such as the search index, which also waits for messages.
    app.hold();
    const { server } = await ann.send('server:create', { name: 'Workshop' });
    const timelineId = server.defaultChannelId;
    const bots = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { bot, token } = await ann.send('bot:create', { name: 'Echo' });
        await ann.send('bot:add', { botId: bot.id, serverId: server.id });
        return connectBot(app.url, token);
      }),
    );
    const waiting = async () => {
      const sql = `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and relation = 'messages'::regclass and not granted`;
      return (await query(app.db, sql)).length;
    };
    let isOver = false;
    // Nobody waits longer than two seconds for a lock: then the request is refused as busy, and is sent again.
    const insist = async (bot: Person) => {
      while (!isOver)
        await bot
          .send('message:list', { timelineId })
          .catch((error: unknown) => expect(error).to.include({ code: 'busy' }));
    };
    const { all, seen } = await withTableLock(
      app.where,
      'messages',
      'access exclusive',
      async () => {
        const all = Promise.all(bots.flatMap((bot) => [insist(bot), insist(bot), insist(bot)]));
        await until(async () => (await waiting()) >= 2);
        // Long enough for more to wait, if they could.
        for (let i = 0; i < 10; i += 1) await ben.send('server:list', {});
        const seen = await waiting();
        isOver = true;
        return { all, seen };
      },
    );
    await all;
    for (const bot of bots) bot.close();
    expect(seen).to.be.at.most(3);
  });

  it('come back when a statement fails', async () => {
    for (let i = 0; i < 10; i += 1) {
      const error: unknown = await query(as('clumsy'), 'select nothing').catch(
        (error: unknown) => error,
      );
      expect(error).to.be.an('error');
    }
    expect(await query(as('clumsy'), 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('are never all taken by guests who sync rooms that do not exist', async () => {
    const ben = await app.person('Ben');
    // Stops the background work of the node, which waits for no share.
    app.hold();
    const eves = await Promise.all(Array.from({ length: 12 }, () => app.guest()));
    const { pool } = app.db.sequelize.connectionManager as unknown as {
      pool: { using: number; waiting: number };
    };
    let over = false;
    let peak = 0;
    const rooms = () =>
      Object.fromEntries(
        Array.from({ length: limits.roomsPerSync }, () => [`timeline:${randomUUID()}`, 0]),
      );
    const attack = async ({ socket, ready }: Person) => {
      while (!over)
        await (socket as Socket)
          .timeout(5_000)
          .emitWithAck('sync', { epoch: ready.epoch, rooms: rooms() })
          .catch(() => undefined);
    };
    const attacks = eves.flatMap((eve) => [attack(eve), attack(eve), attack(eve), attack(eve)]);
    const watch = setInterval(() => (peak = Math.max(peak, pool.using + pool.waiting)), 1);
    // For a second, only the attackers send requests.
    await sleep(1_000);
    for (let i = 0; i < 20; i += 1) await ben.send('server:list', {});
    over = true;
    clearInterval(watch);
    for (const eve of eves) eve.close();
    await Promise.all(attacks);
    expect(peak).to.be.within(1, 14);
  });
});
