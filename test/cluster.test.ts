/** What nodes share: the same of both implementations, then what only several can do, and what no outage may. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { Server } from 'socket.io';
import type { Status } from '../shared/presence.ts';
import { rates } from '../shared/limits.ts';
import type { Io } from '../server/app.ts';
import { openCluster, type Cluster } from '../server/cluster/cluster.ts';
import { usualRhythm, type Rhythm } from '../server/cluster/leases.ts';
import { readConfig } from '../server/config.ts';
import { openLog } from '../server/log.ts';
import { startApp, type TestApp } from './support/app.ts';
import { alive, dead, opens } from './support/entering.ts';
import { startNode } from './support/node.ts';
import { connectAs, enterAs, post } from './support/person.ts';
import { freshPrefix, inside, ownRedis, sharedRedis, type TestRedis } from './support/redis.ts';

const quick: Rhythm = { beat: 300, life: 1_500, parting: 500 };

interface OpenNode extends Cluster {
  end(): Promise<void>;
}

/** One node’s share in the cluster, without the rest of it. */
async function openNode(settings: Record<string, string>, rhythm = quick): Promise<OpenNode> {
  const { config } = readConfig({ LOG_LEVEL: 'fatal', ...settings });
  const io: Io = new Server();
  const cluster = await openCluster(config, io, openLog(config), rhythm);
  const node: OpenNode = {
    ...cluster,
    async end() {
      open.delete(node);
      await cluster.close();
    },
  };
  open.add(node);
  return node;
}
const open = new Set<OpenNode>();
const endAll = async () => {
  for (const node of [...open]) await node.end();
};

/** Waits until this is so. */
async function until(holds: () => boolean | Promise<boolean>, patience = 10_000): Promise<number> {
  const began = Date.now();
  while (!(await holds())) {
    if (Date.now() - began > patience)
      throw new Error(`not so after ${patience} ms: ${String(holds)}`);
    await sleep(20);
  }
  return Date.now() - began;
}

/**
 * Has a person on each of the two, seen by the other. What is returned collects what either says of the
 * other’s: which of them is the first to notice something is chance.
 */
async function oneEach(ann: Cluster, ben: Cluster): Promise<() => Status[]> {
  ann.leases.set('of-ann', 'online');
  ben.leases.set('of-ben', 'online');
  await until(() => ben.leases.status('of-ann') === 'online');
  await until(() => ann.leases.status('of-ben') === 'online');
  const seen = [follow(ben, 'of-ann'), follow(ann, 'of-ben')];
  return () => seen.flat();
}

/** All that a node’s leases said of one person. */
function follow(node: Cluster, userId: string): Status[] {
  const seen: Status[] = [];
  node.leases.onChange((ids) => {
    if (ids.includes(userId)) seen.push(node.leases.status(userId));
  });
  return seen;
}

const redisSettings = async (prefix = freshPrefix()) => ({
  REDIS_URL: (await sharedRedis()).url,
  PARLEY_REDIS_PREFIX: prefix,
});

for (const [name, settings] of Object.entries({
  'a node alone': async () => ({}),
  'a node with Redis': () => redisSettings(),
})) {
  describe(`${name}: what it offers`, () => {
    let node: OpenNode;
    before(async () => void (node = await openNode(await settings())));
    after(endAll);

    it('counts, and says how long to wait', async () => {
      const { points, seconds } = rates.create;
      for (let i = 0; i < points; i += 1) await node.limits.take('create', 'ann');
      // The one too many is known to be so without asking, and asked.
      for (let i = 0; i < 3; i += 1) {
        const refused = await node.limits.take('create', 'ann').catch((error: unknown) => error);
        expect(refused).to.include({ code: 'rate_limited' });
        const { retryAfterMs } = (refused as { detail: { retryAfterMs: number } }).detail;
        expect(retryAfterMs).to.be.within(1, seconds * 1_000);
      }
      await node.limits.take('create', 'ben');
      await node.limits.take('write', 'ann');
    });

    it('says how people are, and tells when it changes', () => {
      const seen = follow(node, 'ann');
      expect(node.leases.status('ann')).to.equal('offline');
      node.leases.set('ann', 'online');
      node.leases.set('ann', 'online');
      expect(node.leases.status('ann')).to.equal('online');
      node.leases.set('ann', 'dnd');
      node.leases.set('ann', undefined);
      node.leases.set('ann', undefined);
      expect(node.leases.status('ann')).to.equal('offline');
      expect(seen).to.deep.equal(['online', 'dnd', 'offline']);
    });

    it('shows nobody who does not want to be seen', () => {
      const seen = follow(node, 'eve');
      node.leases.set('eve', 'invisible');
      expect(node.leases.status('eve')).to.equal('offline');
      node.leases.set('eve', 'online');
      node.leases.set('eve', 'invisible');
      node.leases.set('eve', undefined);
      expect(seen).to.deep.equal(['online', 'offline']);
    });

    it('tells, and hears nothing of what it told itself', async () => {
      const heard: unknown[] = [];
      node.onTold((parcel) => heard.push(parcel));
      node.tell({ hello: 1 });
      const cycle: { self?: unknown } = {};
      cycle.self = cycle;
      node.tell(cycle);
      await sleep(200);
      expect(heard).to.deep.equal([]);
    });

    it('is healthy', async () => {
      expect(await node.healthy()).to.deep.equal({ publish: true, subscribe: true });
    });

    it('keeps sessions or forgets them, and throws at nobody', async () => {
      const data = { userId: 'u', sessionId: 's' } as Parameters<Cluster['sessions']['set']>[1];
      await node.sessions.set('hash', data);
      expect((await node.sessions.get('hash')) ?? data).to.deep.equal(data);
      await node.sessions.forget(['s', 'unknown']);
      expect(await node.sessions.get('hash')).to.equal(undefined);
      await node.sessions.forget([]);
    });
  });
}

describe('several nodes', () => {
  let ann: OpenNode;
  let ben: OpenNode;
  let settings: Record<string, string>;
  const redis = <T>(work: (redis: Redis) => Promise<T>) => inside(settings.REDIS_URL ?? '', work);
  const key = (name: string) => `${settings.PARLEY_REDIS_PREFIX}${name}`;

  beforeEach(async () => {
    settings = await redisSettings();
    ann = await openNode(settings);
    ben = await openNode(settings);
  });
  afterEach(endAll);

  it('count together', async () => {
    const { points } = rates.create;
    for (let i = 0; i < points; i += 1) await [ann, ben][i % 2]?.limits.take('create', 'eve');
    for (const node of [ann, ben]) {
      const refused = await node.limits.take('create', 'eve').catch((error: unknown) => error);
      expect(refused).to.include({ code: 'rate_limited' });
    }
  });

  it('hear each other, each every other once, and a listener that throws harms nobody', async () => {
    const eve = await openNode(settings);
    const heard: unknown[] = [];
    for (const node of [ann, ben, eve])
      node.onTold((parcel) => {
        heard.push(parcel);
        throw new Error('from the test');
      });
    ann.tell({ deep: { list: [1, 'two', null] } });
    await until(() => heard.length === 2);
    await sleep(100);
    expect(heard).to.deep.equal(Array(2).fill({ deep: { list: [1, 'two', null] } }));
  });

  it('know who is online elsewhere, also those who came before them', async () => {
    const seen = follow(ben, 'p');
    ann.leases.set('p', 'online');
    expect(await until(() => ben.leases.status('p') === 'online')).to.be.below(1_000);
    const late = await openNode(settings);
    expect(late.leases.status('p')).to.equal('online');
    ann.leases.set('p', undefined);
    await until(() => late.leases.status('p') === 'offline');
    await until(() => ben.leases.status('p') === 'offline');
    expect(seen).to.deep.equal(['online', 'offline']);
  });

  it('have a person online as long as any of them has', async () => {
    const seen = follow(ben, 'p');
    ann.leases.set('p', 'idle');
    await until(() => ben.leases.status('p') === 'idle');
    ben.leases.set('p', 'online');
    ann.leases.set('p', undefined);
    await sleep(300);
    expect(ben.leases.status('p')).to.equal('online');
    await until(() => ann.leases.status('p') === 'online');
    ben.leases.set('p', undefined);
    await until(() => ann.leases.status('p') === 'offline');
    expect(seen).to.deep.equal(['idle', 'online', 'offline']);
  });

  it('tell of thousands, and of the last word on each', async () => {
    const people = Array.from({ length: 3_000 }, (_, i) => `p${i}`);
    for (const id of people) ann.leases.set(id, 'online');
    for (const id of people.slice(0, 1_000)) ann.leases.set(id, undefined);
    const online = () => people.filter((id) => ben.leases.status(id) === 'online');
    await until(() => online().length === 2_000);
    const late = await openNode(settings);
    expect(people.filter((id) => late.leases.status(id) === 'online')).to.have.length(2_000);
  });

  it('keep the people of one that leaves for a moment: they are on their way to another', async () => {
    ann.leases.set('stays', 'online');
    ann.leases.set('goes', 'online');
    const stays = follow(ben, 'stays');
    await until(() => ben.leases.status('goes') === 'online');
    await ann.end();
    await sleep(200);
    ben.leases.set('stays', 'online');
    expect(ben.leases.status('goes')).to.equal('online');
    const took = await until(() => ben.leases.status('goes') === 'offline');
    expect(took).to.be.below(quick.parting + 500);
    expect(ben.leases.status('stays')).to.equal('online');
    expect(stays).to.deep.equal(['online']);
  });

  it('come back under a new id after losing a lease, and nobody blinks', async () => {
    const seen = await oneEach(ann, ben);
    const nodes = () => redis((asked) => asked.zrange(key('nodes'), '0', '-1'));
    const before = await nodes();
    await redis((asked) => asked.del(key('nodes')));
    await until(async () => (await nodes()).length === 2);
    const after = await nodes();
    expect(after.filter((id) => before.includes(id))).to.deep.equal([]);
    await sleep(quick.beat * 4);
    expect(seen()).to.deep.equal([]);
    ann.leases.set('of-ann', undefined);
    await until(() => ben.leases.status('of-ann') === 'offline');
  });

  it('go by no clock that somebody may set ahead, and back', async () => {
    const said = await oneEach(ann, ben);
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
    await sleep(2 * quick.beat);
    Date.now = now;
    await sleep(quick.life + 2 * quick.beat);
    expect(said()).to.deep.equal([]);
    // Who comes now sees those alone whose leases were renewed meanwhile.
    const eve = await openNode(settings);
    for (const id of ['of-ann', 'of-ben']) await until(() => eve.leases.status(id) === 'online');
  });

  it('that have a new id are no longer believed under the old one', async () => {
    const apart = { ...settings, PARLEY_REDIS_PREFIX: freshPrefix() };
    const slow: Rhythm = { beat: 1_500, life: 6_000, parting: 500 };
    const [one, two] = [await openNode(apart, slow), await openNode(apart, slow)];
    await oneEach(one, two);
    const nodes = `${apart.PARLEY_REDIS_PREFIX}nodes`;
    await redis((asked) => asked.del(nodes));
    await until(async () => (await redis((asked) => asked.zcard(nodes))) === 2);
    one.leases.set('of-ann', undefined);
    // Sooner than those are dropped of whom nothing is heard.
    const took = await until(() => two.leases.status('of-ann') === 'offline');
    expect(took).to.be.below(slow.beat);
  });

  it('read what they did not hear', async () => {
    ann.leases.set('p', 'online');
    await until(() => ben.leases.status('p') === 'online');
    // Written, and never said.
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

  it('are found again when the subscribers were cut off', async () => {
    let recovered = 0;
    ben.onRecovered(() => (recovered += 1));
    await redis((asked) => asked.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
    ann.leases.set('p', 'online');
    await until(() => ben.leases.status('p') === 'online');
    await until(() => recovered === 1);
    const heard: unknown[] = [];
    ben.onTold((parcel) => heard.push(parcel));
    ann.tell('again');
    await until(() => heard.length === 1);
  });
});

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
      await ann.sessions.get('hash');
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
    await Promise.all([
      ann.limits.take('read', 'k'),
      ann.sessions.get('hash'),
      ann.sessions.forget(['s']),
    ]);
    expect(Date.now() - began).to.be.below(7_000);
    const again = Date.now();
    await ann.limits.take('read', 'k');
    await ann.sessions.get('hash');
    expect(Date.now() - again).to.be.below(200);
    expect(await ann.healthy()).to.deep.equal({ publish: false, subscribe: false });
    redis.thaw();
    await until(async () => (await ann.healthy()).subscribe);
  });

  it('write again what may not have arrived', async () => {
    // The leases outlast this: nothing else makes them write.
    const long: Rhythm = { beat: 300, life: 20_000, parting: 500 };
    const [ann, ben] = [await openNode(settings, long), await openNode(settings, long)];
    await inside(redis.url, (asked) => asked.call('CLIENT', 'PAUSE', '3000', 'WRITE'));
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

describe('two nodes of one Parley', () => {
  let redis: TestRedis;
  let here: TestApp;
  let there: TestApp;
  let settings: Record<string, string>;
  // Time enough for a loaded machine: nobody may be missed who is there.
  const rhythm: Rhythm = { beat: 700, life: 4_000, parting: 1_000 };

  before(async () => {
    redis = await ownRedis();
    settings = { REDIS_URL: redis.url, PARLEY_REDIS_PREFIX: freshPrefix() };
    here = await startApp(settings, undefined, rhythm);
    there = await startApp(settings, here.where, rhythm);
  });
  after(async () => {
    await here.close();
    await there.close();
    await redis.stop();
  });

  /** Someone in Lobby on `there`. */
  async function watching() {
    const ann = await there.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    const entry = await ann.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    return { ann, serverId, presence: entry.presence };
  }

  it('see each other’s people within three seconds', async () => {
    const early = await here.guest('Early');
    await until(() => there.app.presence.statuses([early.id])[early.id] === 'online');
    const { ann, presence } = await watching();
    expect(presence).to.include({ [early.id]: 'online', [ann.id]: 'online' });
    const ben = await here.guest('Ben');
    const began = Date.now();
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    expect(Date.now() - began).to.be.below(3_000);
  });

  it('have who signs out on one offline on both, at once', async () => {
    const { ann } = await watching();
    const ben = await here.guest('Ben');
    await connectAs(there.url, ben.cookie);
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const began = Date.now();
    await ben.send('session:logout', {});
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
    expect(Date.now() - began).to.be.below(3_000);
  });

  it('have a person online whose other device is on the other node', async () => {
    const { ann } = await watching();
    const ben = await here.guest('Ben');
    const other = await connectAs(there.url, ben.cookie);
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    ben.close();
    await sleep(7_000);
    const wentOff = () => ann.heard('presence').some(({ users }) => users[ben.id] === 'offline');
    expect(wentOff()).to.equal(false);
    other.close();
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
  });

  it('limit together', async () => {
    const slow = { ...settings, PARLEY_RATE_SCALE: '0.1', PARLEY_REDIS_PREFIX: freshPrefix() };
    const nodes = [await startApp(slow, here.where), await startApp(slow, here.where)];
    const enter = async (i: number) => {
      const url = nodes[i % 2]?.url ?? '';
      return (await post(url, '/api/auth/guest', { displayName: 'G' })).status;
    };
    const allowed = rates.guestPerAddress.points / 10;
    for (let i = 0; i < allowed; i += 1) expect(await enter(i)).to.equal(201);
    for (let i = 0; i < 2; i += 1) expect(await enter(i)).to.equal(429);
    for (const node of nodes) await node.close();
  });

  it('know each other’s sessions, with Redis emptied too', async () => {
    const ben = await here.guest('Ben');
    expect(await opens(there.url, ben.cookie)).to.deep.equal(alive);
    await inside(redis.url, async (asked) => {
      expect(await asked.keys('*session:*')).to.not.deep.equal([]);
      await asked.flushall();
    });
    for (const node of [here, there])
      expect(await opens(node.url, ben.cookie)).to.deep.equal(alive);
    await ben.send('server:list', {});
  });

  it('keep no session that has ended, and believe in none', async () => {
    const ben = await here.guest('Ben');
    const tab = await here.guest('Tab');
    await opens(there.url, ben.cookie);
    const entries = () =>
      inside(redis.url, async (asked) => {
        const keys = await asked.keys('*session:*');
        const found = await Promise.all(keys.map(async (key) => [key, await asked.get(key)]));
        return found.filter(([, text]) => text?.includes(ben.id)) as [string, string][];
      });
    await until(async () => (await entries()).length === 1);
    const [[name, text] = ['', '']] = await entries();
    expect(name).to.not.include(ben.cookie.slice(ben.cookie.indexOf('s%3A') + 4, -50));
    await ben.send('session:logout', {});
    await until(async () => (await entries()).length === 0);
    await inside(redis.url, (asked) => asked.set(name, text));
    for (const node of [here, there]) expect(await opens(node.url, ben.cookie)).to.deep.equal(dead);
    expect(await opens(there.url, tab.cookie)).to.deep.equal(alive);
  });

  it('miss one that is frozen or killed, and no one else', async () => {
    const { ann } = await watching();
    const third = await startNode({ settings, where: here.where, rhythm });
    const stays = await here.guest('Stays');
    await connectAs(third.url, stays.cookie);
    const ben = await enterAs(third.url, 'guest', { displayName: 'Ben' });
    /** How long it takes from now until Ann hears this of Ben. */
    const hears = async (status: Status) => {
      const [began, before] = [Date.now(), ann.heard('presence').length];
      await until(() =>
        ann
          .heard('presence')
          .slice(before)
          .some(({ users }) => users[ben.id] === status),
      );
      return Date.now() - began;
    };
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const soon = rhythm.life + rhythm.beat + 2_500;
    third.process.kill('SIGSTOP');
    expect(await hears('offline')).to.be.within(rhythm.life - rhythm.beat - 500, soon);
    third.process.kill('SIGCONT');
    expect(await hears('online')).to.be.below(4_000);
    await sleep(rhythm.beat * 3);
    third.process.kill('SIGKILL');
    await once(third.process, 'exit');
    expect(await hears('offline')).to.be.below(soon);
    const heardOfStays = ann.heard('presence').map(({ users }) => users[stays.id]);
    expect(heardOfStays).to.not.include('offline');
  });

  it('would miss it within thirty seconds in their usual rhythm', () => {
    const { beat, life } = usualRhythm;
    expect(life + beat + 1_000).to.be.below(30_000);
  });

  it('live through a Redis that stops and starts again', async () => {
    const { ann, serverId } = await watching();
    const ben = await here.person('Ben');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const readiness = async () => {
      const response = await fetch(`${here.url}/readyz`);
      const { reasons } = (await response.json()) as { reasons: string[] };
      return { status: response.status, reasons };
    };
    expect(await readiness()).to.deep.equal({ status: 200, reasons: [] });
    await redis.stop();
    const unready = await readiness();
    expect(unready.status).to.equal(503);
    expect(unready.reasons.join()).to.match(/^redis: .*,redis: /);
    const { server } = await ben.send('server:create', { name: 'Without Redis' });
    await ben.send('server:open', { serverId: server.id });
    const cut = await here.guest('Cut');
    expect(await opens(there.url, cut.cookie)).to.deep.equal(alive);
    await sleep(3_000);
    expect(ann.heard('presence').some(({ users }) => users[ben.id] === 'offline')).to.equal(false);
    await redis.start();
    await until(async () => (await readiness()).status === 200);
    await ann.hears('presence', ({ users }) => users[cut.id] === 'online');
    const late = await here.guest('Late');
    await ann.hears('presence', ({ users }) => users[late.id] === 'online');
    expect(ann.heard('presence').some(({ users }) => users[ben.id] === 'offline')).to.equal(false);
    await ann.send('server:open', { serverId });
  });
});
