import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Status } from '../../shared/presence.ts';
import { rates } from '../../shared/limits.ts';
import { defaultTiming, type LeaseTiming } from '../../server/cluster/leases.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openWorkshop } from '../support/bots.ts';
import { alive, dead, opens } from '../support/auth.ts';
import { startNode } from '../support/node.ts';
import { connectAs, enterAs, post } from '../support/person.ts';
import { freshPrefix, withRedis, ownRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';

describe('two nodes of one Parley', () => {
  let redis: TestRedis;
  let here: TestApp;
  let there: TestApp;
  let settings: Record<string, string>;
  // Long enough for a loaded machine: no connected person can count as offline.
  const timing: LeaseTiming = { beat: 1_000, life: 8_000, leaveTtl: 1_000 };

  before(async () => {
    redis = await ownRedis();
    settings = { REDIS_URL: redis.url, PARLEY_REDIS_PREFIX: freshPrefix() };
    here = await startApp(settings, undefined, timing);
    there = await startApp(settings, here.where, timing);
  });
  after(async () => {
    await here.close();
    await there.close();
    await redis.stop();
  });

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
    await until(() => there.node.presence.statuses([early.id])[early.id] === 'online');
    const { ann, presence } = await watching();
    expect(presence).to.include({ [early.id]: 'online', [ann.id]: 'online' });
    const ben = await here.guest('Ben');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
  });

  it('show a person offline on both after a sign-out on one', async () => {
    const { ann } = await watching();
    const ben = await here.guest('Ben');
    await connectAs(there.url, ben.cookie);
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    await ben.send('session:logout', {});
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
  });

  it('show a person online whose other device is on the other node', async () => {
    const { ann } = await watching();
    const ben = await here.guest('Ben');
    const other = await connectAs(there.url, ben.cookie);
    const later = await here.guest('Later');
    await ann.waitFor('presence', ({ users }) => users[later.id] === 'online');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    ben.close();
    // This socket is dropped first, after the same five seconds.
    later.close();
    await ann.waitFor('presence', ({ users }) => users[later.id] === 'offline');
    const isOffline = () =>
      ann.received('presence').some(({ users }) => users[ben.id] === 'offline');
    expect(isOffline()).to.equal(false);
    other.close();
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
  });

  it('share limits', async () => {
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

  it('share sessions, even with Redis emptied', async () => {
    const ben = await here.guest('Ben');
    expect(await opens(there.url, ben.cookie)).to.deep.equal(alive);
    await withRedis(redis.url, (asked) => asked.flushall());
    for (const node of [here, there])
      expect(await opens(node.url, ben.cookie)).to.deep.equal(alive);
    await ben.send('session:logout', {});
    for (const node of [here, there]) expect(await opens(node.url, ben.cookie)).to.deep.equal(dead);
  });

  it('do not trust Redis about the account of a cookie', async () => {
    const victim = await here.person('Victim');
    const attacker = await here.guest('Attacker');
    const { sessions } = await victim.send('session:list', {});
    const [, sid = ''] = /s%3A([\w-]+)/.exec(attacker.cookie) ?? [];
    const tokenHash = createHash('sha256').update(sid).digest('hex');
    const forged = JSON.stringify({
      cookie: { originalMaxAge: null, path: '/' },
      userId: victim.id,
      sessionId: sessions[0]?.id,
    });
    await withRedis(redis.url, async (asked) => {
      const key = `${settings.PARLEY_REDIS_PREFIX ?? ''}session:${tokenHash}`;
      expect(await asked.exists(key), 'this is where it is looked up').to.equal(1);
      await asked.set(key, forged);
    });
    for (const { url } of [here, there]) {
      const tab = await connectAs(url, attacker.cookie);
      expect(tab.id).to.equal(attacker.id);
      expect((await tab.send('session:list', {})).sessions).to.not.deep.equal(sessions);
      tab.close();
    }
    // Signing in ends the session of the cookie, and no other.
    await enterAs(here.url, 'guest', { displayName: 'Again' }, attacker.cookie);
    await victim.send('session:list', {});
    expect(victim.received('closing')).to.deep.equal([]);
    expect(await opens(here.url, attacker.cookie)).to.deep.equal(dead);
  });

  it('admit a token that either has accepted recently, even while strangers are refused', async () => {
    const limited = { ...settings, PARLEY_RATE_SCALE: '1', PARLEY_REDIS_PREFIX: freshPrefix() };
    const one = await startApp(limited, here.where);
    const other = await startApp(limited, here.where);
    const { token } = await openWorkshop(one);
    const list = async (url: string, token: string) =>
      (await fetch(`${url}/api/servers`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await list(one.url, token)).to.equal(200);
    const { points } = rates.unknownPerAddress;
    for (let i = 0; i < points + 20; i += 20)
      await Promise.all(Array.from({ length: 20 }, (_, j) => list(other.url, `pbot_${i + j}`)));
    expect(await list(other.url, 'pbot_one-more')).to.equal(429);
    expect(await list(other.url, token)).to.equal(200);
    await one.close();
    await other.close();
  });

  it('show the people of a frozen or killed node offline, and no one else', async () => {
    const { ann } = await watching();
    const third = await startNode({ settings, where: here.where, timing });
    const stays = await here.guest('Stays');
    await connectAs(third.url, stays.cookie);
    const ben = await enterAs(third.url, 'guest', { displayName: 'Ben' });
    const waitForStatus = async (status: Status) => {
      const before = ann.received('presence').length;
      await until(() =>
        ann
          .received('presence')
          .slice(before)
          .some(({ users }) => users[ben.id] === status),
      );
    };
    const living = () =>
      withRedis(redis.url, (asked) => asked.zcard(`${settings.PARLEY_REDIS_PREFIX}nodes`));
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    expect(await living()).to.equal(3);
    third.process.kill('SIGSTOP');
    await waitForStatus('offline');
    expect(await living(), 'when its lease was out').to.equal(2);
    third.process.kill('SIGCONT');
    await waitForStatus('online');
    third.process.kill('SIGKILL');
    await once(third.process, 'exit');
    await waitForStatus('offline');
    const statusesOfStays = ann.received('presence').map(({ users }) => users[stays.id]);
    expect(statusesOfStays).to.not.include('offline');
  });

  it('notice a killed node within thirty seconds with the default timing', () => {
    const { beat, life } = defaultTiming;
    expect(life + beat + 1_000).to.be.below(30_000);
  });

  it('survive a restart of Redis', async () => {
    const { ann, serverId } = await watching();
    const ben = await here.person('Ben');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    const readiness = async () => {
      const response = await fetch(`${here.url}/readyz`);
      const { reasons } = (await response.json()) as { reasons: string[] };
      return { status: response.status, reasons };
    };
    expect(await readiness()).to.deep.equal({ status: 200, reasons: [] });
    await redis.stop();
    // A node caches its health for a second.
    await until(async () => (await readiness()).status === 503);
    const unready = await readiness();
    expect(unready.reasons.join()).to.match(/^redis: .*,redis: /);
    const { server } = await ben.send('server:create', { name: 'Without Redis' });
    await ben.send('server:open', { serverId: server.id });
    const cut = await here.guest('Cut');
    expect(await opens(there.url, cut.cookie)).to.deep.equal(alive);
    await redis.start();
    await until(async () => (await readiness()).status === 200);
    await ann.waitFor('presence', ({ users }) => users[cut.id] === 'online');
    const late = await here.guest('Late');
    await ann.waitFor('presence', ({ users }) => users[late.id] === 'online');
    // Real time: nobody counts as offline for two beats; a lost person does with the next one.
    await sleep(4 * timing.beat);
    expect(ann.received('presence').some(({ users }) => users[ben.id] === 'offline')).to.equal(
      false,
    );
    await ann.send('server:open', { serverId });
  });
});
