import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { rates } from '../../shared/limits.ts';
import type { LeaseTiming } from '../../server/cluster/leases.ts';
import { freshPrefix, ownRedis, withRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';
import { endAll, follow, oneEach, openNode, quick, redisSettings, type OpenNode } from './nodes.ts';

describe('several nodes', () => {
  let ann: OpenNode;
  let ben: OpenNode;
  let settings: Record<string, string>;
  let server: TestRedis;
  const redis = <T>(work: (redis: Redis) => Promise<T>) => withRedis(server.url, work);
  const key = (name: string) => `${settings.PARLEY_REDIS_PREFIX}${name}`;

  before(async () => {
    server = await ownRedis();
  });
  after(() => server.stop());
  beforeEach(async () => {
    settings = await redisSettings(server);
    ann = await openNode(settings);
    ben = await openNode(settings);
  });
  afterEach(endAll);

  it('share the count of a limit', async () => {
    const { points } = rates.create;
    for (let i = 0; i < points; i += 1) await [ann, ben][i % 2]?.limits.take('create', 'eve');
    for (const node of [ann, ben]) {
      const refused = await node.limits.take('create', 'eve').catch((error: unknown) => error);
      expect(refused).to.include({ code: 'rate_limited' });
    }
  });

  it('receive each broadcast of another once, even if a listener throws', async () => {
    const eve = await openNode(settings);
    const received: unknown[] = [];
    for (const node of [ann, ben, eve])
      node.onMessage((message) => {
        received.push(message);
        throw new Error('from the test');
      });
    ann.broadcast({ deep: { list: [1, 'two', null] } });
    ann.broadcast('the last');
    await until(() => received.filter((message) => message === 'the last').length === 2);
    const messages = received.filter((message) => message !== 'the last');
    expect(messages).to.deep.equal(Array(2).fill({ deep: { list: [1, 'two', null] } }));
  });

  it('know which people are online elsewhere, also from before they started', async () => {
    const seen = follow(ben, 'p');
    ann.leases.set('p', 'online');
    await until(() => ben.leases.status('p') === 'online');
    const late = await openNode(settings);
    expect(late.leases.status('p')).to.equal('online');
    ann.leases.set('p', undefined);
    await until(() => late.leases.status('p') === 'offline');
    await until(() => ben.leases.status('p') === 'offline');
    expect(seen).to.deep.equal(['online', 'offline']);
  });

  it('show a person online as long as any of them does', async () => {
    const seen = follow(ben, 'p');
    ann.leases.set('p', 'idle');
    await until(() => ben.leases.status('p') === 'idle');
    ben.leases.set('p', 'online');
    ann.leases.set('p', undefined);
    ann.leases.set('later', 'online');
    await until(() => ben.leases.status('later') === 'online');
    expect(ben.leases.status('p')).to.equal('online');
    await until(() => ann.leases.status('p') === 'online');
    ben.leases.set('p', undefined);
    await until(() => ann.leases.status('p') === 'offline');
    expect(seen).to.deep.equal(['idle', 'online', 'offline']);
  });

  it('share the latest status of thousands of people', async () => {
    const people = Array.from({ length: 3_000 }, (_, i) => `p${i}`);
    for (const id of people) ann.leases.set(id, 'online');
    for (const id of people.slice(0, 1_000)) ann.leases.set(id, undefined);
    const online = () => people.filter((id) => ben.leases.status(id) === 'online');
    await until(() => online().length === 2_000);
    const late = await openNode(settings);
    expect(people.filter((id) => late.leases.status(id) === 'online')).to.have.length(2_000);
  });

  it('keep the people of a stopped node online for a moment, because they move to another', async () => {
    const patient: LeaseTiming = { beat: 300, life: 30_000, leaveTtl: 6_000 };
    const apart = { ...settings, PARLEY_REDIS_PREFIX: freshPrefix() };
    const [one, two] = [await openNode(apart, patient), await openNode(apart, patient)];
    one.leases.set('stays', 'online');
    one.leases.set('goes', 'online');
    const stays = follow(two, 'stays');
    await until(() => two.leases.status('goes') === 'online');
    await one.end();
    // The departure takes a moment to arrive.
    await sleep(200);
    two.leases.set('stays', 'online');
    expect(two.leases.status('goes')).to.equal('online');
    await until(() => two.leases.status('goes') === 'offline');
    expect(two.leases.status('stays')).to.equal('online');
    expect(stays).to.deep.equal(['online']);
  });

  it('come back under a new id after losing a lease, and nobody goes offline', async () => {
    const seen = await oneEach(ann, ben);
    const nodes = () => redis((asked) => asked.zrange(key('nodes'), '0', '-1'));
    const before = await nodes();
    await redis((asked) => asked.del(key('nodes')));
    await until(async () => (await nodes()).length === 2);
    const after = await nodes();
    expect(after.filter((id) => before.includes(id))).to.deep.equal([]);
    // Real time: nobody counts as offline for two beats; a lost person does with the next one.
    await sleep(quick.beat * 4);
    expect(seen()).to.deep.equal([]);
    ann.leases.set('of-ann', undefined);
    await until(() => ben.leases.status('of-ann') === 'offline');
  });

  it('keep people online when the system clock is set ahead and back', async () => {
    const said = await oneEach(ann, ben);
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
    // Leases are in Redis and use its clock. Beats are real time, like everything that goes through Redis.
    await sleep(2 * quick.beat);
    Date.now = now;
    await sleep(quick.life + 2 * quick.beat);
    expect(said()).to.deep.equal([]);
    // A new node sees only people whose leases have been renewed in the meantime.
    const eve = await openNode(settings);
    for (const id of ['of-ann', 'of-ben']) await until(() => eve.leases.status(id) === 'online');
  });

  it('ignore the old id of a node that has a new one', async () => {
    const apart = { ...settings, PARLEY_REDIS_PREFIX: freshPrefix() };
    const slow: LeaseTiming = { beat: 4_000, life: 16_000, leaveTtl: 500 };
    const [one, two] = [await openNode(apart, slow), await openNode(apart, slow)];
    await oneEach(one, two);
    const nodes = `${apart.PARLEY_REDIS_PREFIX}nodes`;
    await redis((asked) => asked.del(nodes));
    await until(async () => (await redis((asked) => asked.zcard(nodes))) === 2);
    one.leases.set('of-ann', undefined);
    // Sooner than the leases of a silent node are dropped.
    await until(() => two.leases.status('of-ann') === 'offline');
  });

  it('read changes of which they were not notified', async () => {
    ann.leases.set('p', 'online');
    await until(() => ben.leases.status('p') === 'online');
    // Written to Redis without a notification.
    await redis(async (asked) => {
      for (const name of await asked.keys(key('node:*')))
        if ((await asked.hget(name, 'p')) !== null)
          await asked
            .multi()
            .hdel(name, 'p')
            .hset(name, 'q', 'idle')
            .hincrby(name, 'seq', 1)
            .exec();
    });
    await until(() => ben.leases.status('q') === 'idle');
    expect(ben.leases.status('p')).to.equal('offline');
  });

  it('subscribe again after their subscriptions were cut off', async () => {
    let recovered = 0;
    ben.onResubscribed(() => (recovered += 1));
    await redis((asked) => asked.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
    ann.leases.set('p', 'online');
    await until(() => ben.leases.status('p') === 'online');
    await until(() => recovered === 1);
    const received: unknown[] = [];
    ben.onMessage((message) => received.push(message));
    ann.broadcast('again');
    await until(() => received.length === 1);
  });
});
