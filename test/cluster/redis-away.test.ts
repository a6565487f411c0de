import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { rates } from '../../shared/limits.ts';
import type { LeaseTiming } from '../../server/cluster/leases.ts';
import { withRedis, ownRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';
import { endAll, oneEach, openNode, quick } from './nodes.ts';

/** A returning node counts as gone only if the other returned two beats earlier. */
const slow: LeaseTiming = { beat: 2_000, life: 20_000, leaveTtl: 500 };

describe('nodes whose Redis goes away', () => {
  let redis: TestRedis;
  let settings: Record<string, string>;
  beforeEach(async () => {
    redis = await ownRedis();
    settings = { REDIS_URL: redis.url };
  });
  afterEach(async () => {
    redis.thaw();
    await endAll();
    await redis.stop();
  });

  it('keep running, report it, and reconnect by themselves', async () => {
    const [ann, ben] = [await openNode(settings, slow), await openNode(settings, slow)];
    let recovered = 0;
    const received: unknown[] = [];
    ben.onResubscribed(() => (recovered += 1));
    ben.onMessage((message) => received.push(message));
    const seen = await oneEach(ann, ben);
    // A node that does not return. When its person is offline, so is the person of any late node.
    const eve = await openNode(settings, slow);
    eve.leases.set('of-eve', 'online');
    for (const { leases } of [ann, ben]) await until(() => leases.status('of-eve') === 'online');
    await redis.stop();
    await eve.end();
    for (let i = 0; i < 20; i += 1) {
      ann.broadcast('lost');
      await ann.limits.take('read', `k${i}`);
    }
    ann.leases.set('q', 'online');
    expect(await ann.healthy()).to.deep.equal({ publish: false, subscribe: false });
    expect(ben.leases.status('of-ann')).to.equal('online');
    await redis.start();
    await until(() => ben.leases.status('q') === 'online');
    await until(async () => (await ben.healthy()).subscribe);
    await until(() => recovered === 1);
    ann.broadcast('found');
    await until(() => received.includes('found'));
    expect(received).to.deep.equal(['found']);
    for (const { leases } of [ann, ben]) await until(() => leases.status('of-eve') === 'offline');
    expect(seen(), 'nobody else was taken for offline').to.deep.equal([]);
  });

  it('count limits locally meanwhile', async () => {
    const ann = await openNode(settings);
    await redis.stop();
    for (let i = 0; i < rates.create.points; i += 1) await ann.limits.take('create', 'eve');
    const refused = await ann.limits.take('create', 'eve').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'rate_limited' });
  });

  it('wait for a frozen Redis only once', async () => {
    const ann = await openNode(settings);
    redis.freeze();
    await ann.limits.take('read', 'k');
    for (let i = 0; i < 20; i += 1) await ann.limits.take('read', `k${i}`);
    expect(await ann.healthy()).to.deep.equal({ publish: false, subscribe: false });
    redis.thaw();
    await until(async () => (await ann.healthy()).subscribe);
  });

  it('repeat a write that may not have arrived', async () => {
    // The leases outlast this test, so nothing else makes the nodes write.
    const long: LeaseTiming = { beat: 300, life: 20_000, leaveTtl: 500 };
    const [ann, ben] = [await openNode(settings, long), await openNode(settings, long)];
    await withRedis(redis.url, (asked) => asked.call('CLIENT', 'PAUSE', '30000', 'WRITE'));
    ann.leases.set('p', 'online');
    // Real time: longer than a node waits for Redis.
    await sleep(2_500);
    expect(ben.leases.status('p')).to.equal('offline');
    await withRedis(redis.url, (asked) => asked.call('CLIENT', 'UNPAUSE'));
    await until(() => ben.leases.status('p') === 'online');
  });

  it('start without it, and find it later', async () => {
    await redis.stop();
    const ann = await openNode(settings);
    ann.leases.set('p', 'online');
    expect(ann.leases.status('p')).to.equal('online');
    await redis.start();
    const ben = await openNode(settings);
    await until(() => ben.leases.status('p') === 'online');
  });

  it('show nobody as offline when Redis loses all data', async () => {
    const [ann, ben] = [await openNode(settings), await openNode(settings)];
    const seen = await oneEach(ann, ben);
    await withRedis(redis.url, (asked) => asked.flushall());
    // Real time: nobody counts as offline for two beats; a lost person does with the next one.
    await sleep(quick.beat * 5);
    expect(seen()).to.deep.equal([]);
    const late = await openNode(settings);
    expect(late.leases.status('of-ann')).to.equal('online');
  });
});
