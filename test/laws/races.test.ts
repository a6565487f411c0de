/**
 * Removes people while actions of theirs are under way. The moments that chance hits once in a thousand are stretched
 * by a database that is far away or busy, and by nodes that receive nothing from each other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import type { Change } from '../../shared/changes.ts';
import type { Entry, SyncEntry } from '../../shared/entry.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Output, Result } from '../../shared/protocol.ts';
import { serverRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { withTableLock } from '../support/table-lock.ts';
import { atLength } from '../support/length.ts';
import { connectAs, type Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import {
  partitioned,
  describeTopologies,
  far,
  farAndPartitioned,
  joined,
  type FarTopology,
  type Topology,
} from '../support/topologies.ts';
import { until } from '../support/time.ts';

interface Place {
  /** Connected to the first node. `local` is a member on the second. */
  owner: Person;
  local: Person;
  serverId: string;
  code: string;
  timelineId: string;
}

async function openPlace(topology: Topology): Promise<Place> {
  const [here, there] = topology.nodes;
  const owner = await here.person('Owner');
  const { server } = await owner.send('server:create', { name: 'Contested' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  const timelineId = server.defaultChannelId;
  const place = { owner, serverId: server.id, code: invite.code, timelineId };
  const local = await connectAs(there.url, (await newcomer(topology, place)).cookie);
  await local.send('channel:join', { channelId: timelineId });
  return { ...place, local };
}

async function newcomer({ nodes: [here] }: Topology, { code }: Pick<Place, 'code'>) {
  const person = await here.person();
  await person.send('server:join', { code });
  return person;
}

/** The newest position and server version that reached a person, by changes, badges or answers. */
function latestSeen({ timelineId, serverId }: Place, person: Person, entries: SyncEntry[] = []) {
  const seen = { positions: [0], serverVersions: [0] };
  const take = (room: Room, to: number, changes: Change[]) => {
    if (room === serverRoom(serverId)) seen.serverVersions.push(to);
    for (const change of changes)
      if ('message' in change && change.message.timelineId === timelineId)
        seen.positions.push(change.message.position);
  };
  for (const { room, to, changes } of person.received('changes')) take(room, to, changes);
  for (const { timelines } of person.received('activity'))
    seen.positions.push(timelines[timelineId]?.last ?? 0);
  for (const entry of entries) {
    if (entry.status === 'changes') take(entry.room, entry.version, entry.changes);
    if (entry.status === 'current') take(entry.room, entry.version, []);
    if (entry.status !== 'snapshot') continue;
    take(entry.room, entry.version, []);
    if ('messages' in entry.state)
      seen.positions.push(...entry.state.messages.map(({ position }) => position));
  }
  return { position: Math.max(...seen.positions), version: Math.max(...seen.serverVersions) };
}

/** Removes a person, sends a message, changes the server. The person must never receive the returned numbers. */
async function remove({ owner, serverId, timelineId }: Place, { id }: Person) {
  await owner.send('member:remove', { serverId, userId: id });
  const { message } = await owner.send('message:send', { timelineId, body: 'after' });
  const topic = `${message.position}`;
  const { channel } = await owner.send('channel:update', { channelId: timelineId, topic });
  return { position: message.position, version: channel.version };
}

function talk(person: Person, timelineId: string, everyMs: number) {
  const said: Promise<unknown>[] = [];
  // Repeats a message refused as `busy`, as a client does.
  const say = async (): Promise<void> => {
    const failure = await person.send('message:send', { timelineId, body: 'x' }).then(
      () => undefined,
      (error: unknown) => error as Error & Failure,
    );
    if (failure === undefined) return;
    if (failure.code !== 'busy') throw failure;
    await sleep(failure.retryAfterMs);
    return say();
  };
  const talking = setInterval(() => said.push(say()), everyMs);
  return async () => {
    clearInterval(talking);
    await Promise.all(said);
  };
}

/** Milliseconds in each direction between the second node and the database. */
const latency = 8;

for (const [name, open] of Object.entries({
  'and hears the other': far,
  'and hears nothing of the other': farAndPartitioned,
}))
  describe(`a node that is far from the database, ${name}, with LAW_SEED=${lawSeed}`, () => {
    let topology: FarTopology;
    before(async () => {
      topology = await open();
    });
    after(() => topology.close());

    it('delivers nothing further to a person removed while joining', async () => {
      const random = lawRandom();
      const places: [Place, near: Person, away: Person][] = [];
      for (let i = 0; i < atLength(2, 5); i += 1) {
        const place = await openPlace(topology);
        const near = await newcomer(topology, place);
        places.push([place, near, await connectAs(topology.nodes[1].url, near.cookie)]);
      }
      topology.slow(latency);
      const stops = places.flatMap(([{ owner, local, timelineId }]) => [
        talk(owner, timelineId, 10),
        talk(local, timelineId, 60),
      ]);
      try {
        await Promise.all(
          places.map(async (racers) => {
            for (const asking of askings) await raceIn(racers, asking, random.int(0, 26 * latency));
          }),
        );
      } finally {
        topology.slow(0);
        await Promise.all(stops.map((stop) => stop()));
      }
    });
  });

type Way = 'channel:join' | 'server:open' | 'sync';
const askings: Way[][] = [
  ['channel:join', 'server:open', 'sync'],
  ['channel:join', 'server:open'],
  ['sync'],
];

async function raceIn([place, near, away]: [Place, Person, Person], asking: Way[], delay: number) {
  const { serverId, timelineId } = place;
  await near.send('server:join', { code: place.code });
  const rooms = { [timelineRoom(timelineId)]: 0, [serverRoom(serverId)]: 0 };
  const story = storyOf(away, timelineRoom(timelineId));
  const { epoch } = away.ready;
  const inputs = {
    'channel:join': { channelId: timelineId },
    'server:open': { serverId },
    sync: { epoch, rooms, badges: true },
  };
  const entering = Promise.all(asking.map((way) => story.asks(way, inputs[way])));
  // The delay decides how far they get before the removal.
  await sleep(delay);
  const after = await remove(place, away);
  const entries = (await entering).flat();
  // A round trip, so that all earlier events have arrived.
  await sleep(10 * latency);
  await away.send('session:list', {});
  for (const seen of [latestSeen(place, away, entries), latestSeen(place, near)]) {
    expect(seen.position, 'nothing that was said afterwards').to.be.below(after.position);
    expect(seen.version, 'nothing that changed afterwards').to.be.below(after.version);
  }
  expect(await story.ends(), 'the last they are told of it').to.equal('out');
}

/** Records in which order a person is reported to be in a room and out of it. */
function storyOf({ socket }: Person, room: Room) {
  const seen: ('in' | 'out')[] = [];
  const onHead = (head: { room: Room; version: number | null }) => {
    if (head.room === room && head.version === null) seen.push('out');
  };
  socket.on('head', onHead);
  return {
    asks: (way: Way, input: object) =>
      new Promise<SyncEntry[]>((resolve) => {
        (socket as Socket).emit(way, input, (result: Result<Entry | Output<'sync'>>) => {
          const entries = result.ok ? entriesIn(result.value) : [];
          const entry = entries.find((one) => one.room === room);
          if (entry !== undefined) seen.push(entry.status === 'gone' ? 'out' : 'in');
          else if (!result.ok && way === 'channel:join') seen.push('out');
          resolve(entries);
        });
      }),
    async ends() {
      await until(() => seen.at(-1) !== 'in');
      socket.off('head', onHead);
      return seen.at(-1) ?? 'out';
    },
  };
}

const entriesIn = (answer: Entry | Output<'sync'>): SyncEntry[] =>
  'rooms' in answer ? answer.rooms : [answer];

describe('a node that receives nothing from the others', () => {
  let topology: Topology;
  before(async () => {
    topology = await partitioned();
  });
  after(() => topology.close());

  for (const [when, rounds, forget] of [
    ['from the first moment on', 10, async () => undefined],
    // As the sweep does after an hour. A node can be cut off for longer.
    [
      'though no note of it is left',
      3,
      () => query(topology.nodes[0].db, 'delete from revocations returning scope'),
    ],
  ] as const)
    it(`delivers nothing to a person after their removal on another node, ${when}`, async () => {
      const place = await openPlace(topology);
      for (let round = 0; round < rounds; round += 1)
        await removeElsewhere(topology, place, forget);
    });

  it('evicts a person removed on another node within two seconds, without further changes', async () => {
    const { owner, local, serverId, timelineId } = await openPlace(topology);
    const room = timelineRoom(timelineId);
    await owner.send('member:remove', { serverId, userId: local.id });
    await local.waitFor('head', (head) => head.room === room && head.version === null);
  });
});

async function removeElsewhere(topology: Topology, place: Place, forget: () => Promise<unknown>) {
  const { local, serverId, timelineId } = place;
  const near = await newcomer(topology, place);
  const listener = await connectAs(topology.nodes[1].url, near.cookie);
  const idle = await connectAs(topology.nodes[1].url, near.cookie);
  await listener.send('channel:join', { channelId: timelineId });
  await listener.send('server:open', { serverId });
  const after = await remove(place, near);
  await forget();
  // Sent on the very node that has not received the removal.
  await local.send('message:send', { timelineId, body: 'Are they gone?' });
  await local.send('member:update', { serverId, userId: local.id, nickname: near.id.slice(-8) });
  // Late messages would have arrived by then.
  await sleep(30);
  for (const socket of [listener, idle]) {
    await socket.send('session:list', {});
    const seen = latestSeen(place, socket);
    expect(seen.position).to.be.below(after.position);
    expect(seen.version).to.be.below(after.version);
    socket.close();
  }
  near.close();
}

describeTopologies(
  'a busy database',
  (topology) => {
    it('never lets a removal overtake a message of the removed person', async () => {
      const place = await openPlace(topology());
      const { owner, serverId, timelineId } = place;
      const person = await newcomer(topology(), place);
      const voice = await connectAs(topology().nodes[1].url, person.cookie);
      const newest = async () =>
        (await owner.send('message:list', { timelineId, limit: 1 })).messages[0]?.position ?? 0;
      let heldUp = true;
      const { saying, removing } = await withTableLock(
        topology().nodes[0].where,
        'messages',
        'share',
        async (blocked) => {
          const saying = voice.send('message:send', { timelineId, body: 'a last word' }).then(
            ({ message }) => message.position,
            () => 0,
          );
          await blocked();
          const removing = owner
            .send('member:remove', { serverId, userId: person.id })
            .then(async () => ({ wasHeldUp: heldUp, position: await newest() }));
          // Time enough for the removal to overtake, if it could.
          await sleep(300);
          heldUp = false;
          return { saying, removing };
        },
      );
      const removed = await removing;
      const position = await saying;
      expect(position, 'what was said was in time, or refused').to.be.at.most(removed.position);
      const after = await remove(place, place.local);
      expect(await newest()).to.equal(after.position);
    });

    it('admits nobody by a right that ended after it was read', async () => {
      const place = await openPlace(topology());
      const { owner, local, serverId, timelineId } = place;
      const { where } = topology().nodes[0];
      for (let round = 0; round < 3; round += 1) {
        const near = await newcomer(topology(), place);
        const away = await connectAs(topology().nodes[1].url, near.cookie);
        // The first lock blocks every statement that needs the table; the second, queued behind these, blocks the
        // statements after them. So the first waiter is done when the message sent meanwhile is delivered.
        let next: Promise<unknown> = Promise.resolve();
        const { entering, saying } = await withTableLock(
          where,
          'channels',
          'access exclusive',
          async (blocked) => {
            const entering = away.send('channel:join', { channelId: timelineId }).then(
              (entry) => [entry],
              () => [],
            );
            await blocked();
            await owner.send('member:remove', { serverId, userId: near.id });
            const saying = local.send('message:send', { timelineId, body: 'after' });
            await blocked(2);
            // Held briefly: the first waiters continue, and later statements wait.
            next = withTableLock(where, 'channels', 'access exclusive', () => sleep(200));
            await blocked(3);
            return { entering, saying };
          },
        );
        const { message } = await saying;
        await next;
        const seen = latestSeen(place, away, await entering);
        expect(seen.position).to.be.below(message.position);
        for (const person of [near, away]) person.close();
      }
    });
  },
  { 'on two nodes': joined },
);
