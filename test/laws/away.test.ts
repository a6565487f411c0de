import { expect } from 'chai';
import { v7 } from 'uuid';
import { timelineRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { ownRedis, type TestRedis } from '../support/redis.ts';
import {
  cuttingOff,
  partitioned,
  describeTopologies,
  joinedBy,
  type Topology,
} from '../support/topologies.ts';
import { until } from '../support/time.ts';
import { writerOn } from '../../server/messages/node-writer.ts';

async function openPlace(topology: Topology) {
  const [ann, ben] = [await topology.person('Ann'), await topology.person('Ben')];
  const { server } = await ann.send('server:create', { name: 'Away' });
  const { invite } = await ann.send('invite:create', { serverId: server.id });
  const mirror = new Mirror(ben);
  await ben.send('server:join', { code: invite.code });
  await mirror.open(`server:${server.id}`);
  const timelineId = server.defaultChannelId;
  await mirror.open(timelineRoom(timelineId));
  const say = async (body: string, person: Person = ann) =>
    (await person.send('message:send', { timelineId, body })).message;
  return { ann, ben, mirror, serverId: server.id, timelineId, say };
}

const bodies = (mirror: Mirror, timelineId: string) =>
  (mirror.state(timelineRoom(timelineId))?.messages ?? []).map((row) => 'body' in row && row.body);

describeTopologies('coming back', (topology) => {
  it('brings fifty messages, and edits and deletions of older ones, once and in order', async () => {
    const { ann, ben, mirror, timelineId, say } = await openPlace(topology());
    const old = [await say('old 1'), await say('old 2'), await say('old 3')];
    await mirror.becomesTrue();
    const before = mirror.changes.length;
    ben.close();
    for (let i = 0; i < 50; i += 1) await say(`new ${i}`);
    await ann.send('message:edit', { messageId: old[0]!.id, body: 'old, edited' });
    await ann.send('message:delete', { messageId: old[1]!.id });
    await mirror.comeBack(await topology().elsewhere(ben));
    const missed = mirror.changes.slice(before);
    expect(missed).to.have.length(52);
    expect(missed.map(({ version }) => version)).to.deep.equal(missed.map((_, i) => i + 4));
    await mirror.becomesTrue();
    expect(bodies(mirror, timelineId).slice(0, 4)).to.deep.equal([
      'old, edited',
      '',
      'old 3',
      'new 0',
    ]);
  });

  it('from saved state brings only missing changes, once and in order', async () => {
    const { ann, ben, mirror, timelineId, say } = await openPlace(topology());
    const old = [await say('old 1'), await say('old 2')];
    await mirror.becomesTrue();
    ben.close();
    for (let i = 0; i < 20; i += 1) await say(`new ${i}`);
    await ann.send('message:edit', { messageId: old[0]!.id, body: 'old, edited' });
    const page = new Mirror(await topology().elsewhere(ben), undefined, mirror);
    expect(bodies(page, timelineId)).to.deep.equal(['old 1', 'old 2']);
    await page.open(timelineRoom(timelineId));
    expect(page.changes.map(({ version }) => version)).to.deep.equal(
      Array.from({ length: 21 }, (_, i) => i + 3),
    );
    await page.becomesTrue();
  });

  it('brings messages that were edited or deleted meanwhile in their latest state', async () => {
    const { ann, ben, mirror, timelineId, say } = await openPlace(topology());
    ben.close();
    const [edited, deleted] = [await say('first words'), await say('a slip')];
    await ann.send('message:edit', { messageId: edited.id, body: 'better words' });
    await ann.send('message:delete', { messageId: deleted.id });
    await mirror.comeBack(await topology().elsewhere(ben));
    expect(bodies(mirror, timelineId)).to.deep.equal(['better words', '']);
    expect(mirror.changes.filter(({ type }) => type.startsWith('message'))).to.have.length(2);
    await mirror.becomesTrue();
  });

  it('in the middle of a burst, again and again, leaves no gap', async () => {
    const { ben, mirror, timelineId, say } = await openPlace(topology());
    const burst = (async () => {
      for (let i = 0; i < 150; i += 1) await say(`${i}`);
    })();
    let now = ben;
    for (let i = 0; i < 8; i += 1) {
      now.close();
      await new Promise((resolve) => setTimeout(resolve, 40));
      now = await topology().elsewhere(now);
      await mirror.comeBack(now);
    }
    await burst;
    await mirror.becomesTrue();
    const positions = (mirror.state(timelineRoom(timelineId))?.messages ?? [])
      .map((row) => ('position' in row ? row.position : 0))
      .sort((a, b) => a - b);
    expect(positions).to.deep.equal(Array.from({ length: 150 }, (_, i) => i + 1));
  });

  it('brings a snapshot after more changes than are sent one by one', async () => {
    const { ben, mirror, timelineId } = await openPlace(topology());
    const { node } = topology().nodes[0];
    const { you } = ben.ready;
    ben.close();
    const writes = Array.from({ length: 600 }, (_, i) =>
      writerOn(node).write({ do: 'send', user: you, timelineId, id: v7(), body: `${i}` }),
    );
    await Promise.all(writes);
    await mirror.comeBack(await topology().elsewhere(ben));
    await mirror.becomesTrue();
    expect(bodies(mirror, timelineId)).to.have.length(50);
  });

  it('in another epoch replaces all state, and ignores changes of the former epoch', async () => {
    const { ann, ben, mirror, timelineId, say } = await openPlace(topology());
    const { version } = await say('before');
    await say('after the backup was made');
    await mirror.becomesTrue();
    await restore(topology(), timelineId, 'as it was in the backup');
    for (const person of [ann, ben]) {
      const { code, retry } = await person.waitFor('closing');
      expect({ code, retry }).to.deep.equal({ code: 'drain', retry: true });
    }
    const [back, annAgain] = [await topology().elsewhere(ben), await ann.newTab()];
    expect(back.ready.epoch).not.to.equal(ben.ready.epoch);
    const before = mirror.changes.length;
    const page = new Mirror(await back.newTab(), undefined, mirror);
    await mirror.comeBack(back);
    await page.open(timelineRoom(timelineId));
    expect(mirror.changes).to.have.length(before);
    expect(bodies(mirror, timelineId)).to.deep.equal(['as it was in the backup']);
    expect(bodies(page, timelineId)).to.deep.equal(['as it was in the backup']);
    // A message of the former epoch, which reaches the nodes only after the restore.
    const message = { ...(await say('after', annAgain)), id: v7(), body: 'lost' };
    const late = {
      room: timelineRoom(timelineId),
      from: version + 1,
      to: version + 2,
      changes: [{ type: 'message:created', version: version + 2, message }],
      people: {},
    };
    for (const { node } of topology().nodes)
      node.cluster.broadcast({
        kind: 'news',
        epoch: ben.ready.epoch,
        envelopes: [late],
        departures: [],
        arrivals: [],
      });
    // Late changes would have arrived by then.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await say('once more', annAgain);
    await mirror.becomesTrue();
    expect(bodies(mirror, timelineId)).to.include.members(['after', 'once more']);
  });
});

/** Restores a backup with another history, one message shorter. Waits until both nodes have noticed. */
async function restore({ nodes }: Topology, timelineId: string, body: string) {
  const { db } = nodes[0];
  const statements = [
    'delete from messages where timeline_id = $1 and position > 1 and $2::text is not null',
    'update messages set body = $2 where timeline_id = $1',
    `update rooms set version = 1, last_position = 1 where id = $1 and $2::text is not null`,
  ];
  for (const statement of statements) await query(db, statement, [timelineId, body]);
  const former = nodes.map(({ node }) => node.instance.epoch);
  await query(db, `update settings set value = $1 where key = 'life'`, [v7()]);
  const unchanged = () => nodes.some(({ node }, i) => node.instance.epoch === former[i]);
  await until(() => !unchanged());
}

describe('nodes that lose Redis', () => {
  let redis: TestRedis;
  let topology: Topology;
  before(async () => {
    redis = await ownRedis();
    topology = await joinedBy(redis.url);
  });
  after(async () => {
    await topology.close();
    await redis.stop();
  });

  it('catch up within thirty seconds after the subscriber of one was cut off, and enforce a kick', async () => {
    const { ann, mirror, serverId, say } = await openPlace(topology);
    const eve = await topology.elsewhere(await topology.person('Eve'));
    const { invite } = await ann.send('invite:create', { serverId });
    const kicked = new Mirror(eve);
    await eve.send('server:join', { code: invite.code });
    await kicked.open(`server:${serverId}`);
    await cuttingOff(redis.url, async () => {
      for (let i = 0; i < 20; i += 1) await say(`unheard ${i}`);
      await ann.send('channel:create', { serverId, name: 'unseen' });
      await ann.send('member:remove', { serverId, userId: eve.id });
    });
    await mirror.becomesTrue();
    await kicked.becomesTrue();
    expect(kicked.rooms).to.deep.equal([kicked.userRoom]);
  });

  it('enforce a kick while Redis is down, and converge after it restarts empty', async () => {
    const { ann, mirror, serverId, say } = await openPlace(topology);
    const eve = await topology.elsewhere(await topology.person('Eve'));
    const { invite } = await ann.send('invite:create', { serverId });
    await eve.send('server:join', { code: invite.code });
    const kicked = new Mirror(eve);
    await kicked.open(`server:${serverId}`);
    await redis.stop();
    await say('without Redis');
    await ann.send('member:remove', { serverId, userId: eve.id });
    await eve.waitFor('head', ({ version }) => version === null);
    await say('without Eve');
    await ann.send('channel:create', { serverId, name: 'unseen' });
    await redis.start();
    await say('with Redis');
    await Promise.all([mirror, kicked].map((one) => one.becomesTrue()));
    expect(kicked.rooms).not.to.include(`server:${serverId}`);
  });
});

describe('nodes that receive nothing from each other', () => {
  let topology: Topology;
  before(async () => {
    topology = await partitioned();
  });
  after(() => topology.close());

  it('heal the loss of the last change of a room within thirty seconds, without further changes', async () => {
    const places = await Promise.all(Array.from({ length: 5 }, () => openPlace(topology)));
    // Earlier losses are healed: each change lost now is the last of its room.
    await Promise.all(places.map(({ mirror }) => mirror.becomesTrue()));
    for (const { ann, serverId, say } of places) {
      await say('the last word');
      await ann.send('server:update', { serverId, name: 'Lost' });
    }
    await Promise.all(places.map(({ mirror }) => mirror.becomesTrue()));
  });
});
