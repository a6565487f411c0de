/** What nodes share, no outage may take from them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { rates } from '../../shared/limits.ts';
import type { Rhythm } from '../../server/cluster/leases.ts';
import { inside, ownRedis, type TestRedis } from '../support/redis.ts';
import { endAll, oneEach, openNode, quick, until } from './nodes.ts';

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

  it('live on, say so, and join again by themselves', async () => {
    const [ann, ben] = [await openNode(settings), await openNode(settings)];
    let recovered = 0;
    const heard: unknown[] = [];
    ben.onRecovered(() => (recovered += 1));
    ben.onTold((parcel) => heard.push(parcel));
    const seen = await oneEach(ann, ben);
    await redis.stop();
    const began = Date.now();
    while (Date.now() - began < 4_000) {
      ann.tell('lost');
      const before = Date.now();
      await ann.limits.take('read', `k${before}`);
      expect(Date.now() - before).to.be.below(500);
      await sleep(50);
    }
    ann.leases.set('q', 'online');
    expect(await ann.healthy()).to.deep.equal({ publish: false, subscribe: false });
    expect(ben.leases.status('of-ann')).to.equal('online');
    await redis.start();
    expect(await until(() => ben.leases.status('q') === 'online')).to.be.below(5_000);
    await until(async () => (await ben.healthy()).subscribe);
    await until(() => recovered === 1);
    ann.tell('found');
    await until(() => heard.includes('found'));
    expect(heard).to.deep.equal(['found']);
    await sleep(quick.beat * 4);
    // Nobody was taken for offline meanwhile.
    expect(seen()).to.deep.equal([]);
  });

  it('count for themselves meanwhile', async () => {
    const ann = await openNode(settings);
    await redis.stop();
    for (let i = 0; i < rates.create.points; i += 1) await ann.limits.take('create', 'eve');
    const refused = await ann.limits.take('create', 'eve').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'rate_limited' });
  });

  it('wait for a frozen one no longer than once', async () => {
    const ann = await openNode(settings);
    redis.freeze();
    const began = Date.now();
    await ann.limits.take('read', 'k');
    expect(Date.now() - began).to.be.below(7_000);
    const again = Date.now();
    await ann.limits.take('read', 'k');
    expect(Date.now() - again).to.be.below(200);
    expect(await ann.healthy()).to.deep.equal({ publish: false, subscribe: false });
    redis.thaw();
    await until(async () => (await ann.healthy()).subscribe);
  });

  it('write again what may not have arrived', async () => {
    // The leases outlast this: nothing else makes them write.
    const long: Rhythm = { beat: 300, life: 20_000, parting: 500 };
    const [ann, ben] = [await openNode(settings, long), await openNode(settings, long)];
    await inside(redis.url, (asked) => asked.call('CLIENT', 'PAUSE', '5000', 'WRITE'));
    ann.leases.set('p', 'online');
    await sleep(2_500);
    expect(ben.leases.status('p')).to.equal('offline');
    await until(() => ben.leases.status('p') === 'online');
  });

  it('start without it, and find it later', async () => {
    await redis.stop();
    const began = Date.now();
    const ann = await openNode(settings);
    expect(Date.now() - began).to.be.below(4_000);
    ann.leases.set('p', 'online');
    expect(ann.leases.status('p')).to.equal('online');
    await redis.start();
    const ben = await openNode(settings);
    await until(() => ben.leases.status('p') === 'online');
  });

  it('miss nobody when it forgets everything', async () => {
    const [ann, ben] = [await openNode(settings), await openNode(settings)];
    const seen = await oneEach(ann, ben);
    await inside(redis.url, (asked) => asked.flushall());
    await sleep(quick.beat * 5);
    expect(seen()).to.deep.equal([]);
    const late = await openNode(settings);
    expect(late.leases.status('of-ann')).to.equal('online');
  });
});
