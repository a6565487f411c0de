import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { serverRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import {
  connectAs,
  cookieOf,
  openSocket,
  post,
  type ClientSocket,
  type Person,
} from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { partitioned, describeTopologies, type Topology } from '../support/topologies.ts';
import { atLength } from '../support/length.ts';
import { until } from '../support/time.ts';

interface Guarded {
  owner: Person;
  /** The scope of its rows in `revocations`. */
  scope: string;
  timelineId: string;
}

interface Place extends Guarded {
  serverId: string;
  code: string;
}

async function openPlace(topology: Topology): Promise<Place> {
  const owner = await topology.person('Owner');
  const { server } = await owner.send('server:create', { name: 'Guarded' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  const { channel } = await owner.send('channel:create', { serverId: server.id, name: 'side' });
  const { id: serverId } = server;
  return { owner, scope: serverId, serverId, code: invite.code, timelineId: channel.id };
}

async function openGroup(topology: Topology): Promise<Guarded> {
  const owner = await topology.person('Founder');
  const userIds = [(await topology.person()).id, (await topology.person()).id];
  const { conversation } = await owner.send('conversation:create', { userIds });
  return { owner, scope: conversation.id, timelineId: conversation.id };
}

const positionsReceived = (person: Person, timelineId: string): number[] => [
  ...person
    .received('changes')
    .flatMap(({ changes }) => changes)
    .flatMap((change) => ('message' in change ? [change.message] : []))
    .filter((message) => message.timelineId === timelineId)
    .map(({ position }) => position),
  ...person.received('activity').map(({ timelines }) => timelines[timelineId]?.last ?? 0),
];

/**
 * Messages committed after the person's access ended, and those of them that reached the person anyway. Both times come
 * from the database, each taken under the lock that makes one transaction wait for the other.
 */
async function leaks(topology: Topology, { owner, scope, timelineId }: Guarded, person: Person) {
  const [ended] = await query<{ at: Date }>(
    topology.nodes[0].db,
    'select max(at) as at from revocations where scope = $1 and (user_id = $2 or user_id is null)',
    [scope, person.id],
  );
  const { messages } = await owner.send('message:list', { timelineId, limit: 100 });
  const late = messages.filter(({ createdAt }) => Date.parse(createdAt) > ended!.at.getTime());
  const received = new Set(positionsReceived(person, timelineId));
  return { late: late.length, leaked: late.filter(({ position }) => received.has(position)) };
}

/** Runs `work` while a message is sent every `everyMs` milliseconds, from two sockets in turn. */
async function amidWriting(
  topology: Topology,
  { owner, timelineId }: Guarded,
  everyMs: number,
  work: () => Promise<void>,
) {
  const writers = [owner, await topology.elsewhere(owner)];
  const writing = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    const [writer] = writers.reverse();
    const said = writer!.send('message:send', { timelineId, body: 'x' }).catch(() => undefined);
    writing.add(said);
    void said.then(() => writing.delete(said));
  }, everyMs);
  await work().finally(() => clearInterval(timer));
  await Promise.all(writing);
  writers.find((writer) => writer !== owner)?.close();
}

interface Way {
  come: (place: Place, person: Person) => Promise<unknown>;
  lose: (place: Place, person: Person) => Promise<unknown>;
}

const join = ({ code }: Place, person: Person) => person.send('server:join', { code });

const joinPrivate = async (place: Place, person: Person) => {
  const { owner, timelineId: channelId } = place;
  await owner.send('channel:update', { channelId, private: true });
  await join(place, person);
  await owner.send('channel:addMember', { channelId, userId: person.id });
};

const joinPublic = async (place: Place, person: Person) => {
  await join(place, person);
  await place.owner.send('channel:update', { channelId: place.timelineId, private: false });
};

const kick = ({ owner, serverId }: Place, { id }: Person) =>
  owner.send('member:remove', { serverId, userId: id });

const takeOut = ({ owner, timelineId: channelId }: Place, { id }: Person) =>
  owner.send('channel:removeMember', { channelId, userId: id });

const makePrivate = ({ owner, timelineId: channelId }: Place) =>
  owner.send('channel:update', { channelId, private: true });

const ways: Record<string, Way> = {
  'a kick': { come: join, lose: kick },
  'a ban': {
    come: join,
    lose: async ({ owner, serverId }, { id }) => {
      await owner.send('ban:create', { serverId, userId: id });
      await owner.send('ban:delete', { serverId, userId: id });
    },
  },
  leaving: {
    come: join,
    lose: ({ serverId }, person) => person.send('server:leave', { serverId }),
  },
  'a kick, of a private channel too': { come: joinPrivate, lose: kick },
  'being taken out of a private channel': { come: joinPrivate, lose: takeOut },
  'leaving a private channel': {
    come: joinPrivate,
    lose: ({ timelineId: channelId }, person) =>
      person.send('channel:removeMember', { channelId, userId: person.id }),
  },
  'the channel becoming private': { come: joinPublic, lose: makePrivate },
};

/** Losses that race against gaining access. `loses` lists the ids whose rooms must be left. */
const races: Record<string, Way & { loses: (place: Place) => string[] }> = {
  'a kick': {
    come: join,
    lose: kick,
    loses: ({ serverId, timelineId }) => [serverId, timelineId],
  },
  'being taken out of a private channel': {
    come: joinPrivate,
    lose: takeOut,
    loses: ({ timelineId }) => [timelineId],
  },
  'the channel becoming private': {
    come: joinPublic,
    lose: makePrivate,
    loses: ({ timelineId }) => [timelineId],
  },
};

const out = ({ owner, scope }: Guarded, { id }: Person) =>
  owner.send('conversation:update', { conversationId: scope, removeUserIds: [id] });

const waysOutOfGroups: Record<string, (group: Guarded, person: Person) => Promise<unknown>> = {
  removal: out,
  leaving: ({ scope }, person) => person.send('conversation:delete', { conversationId: scope }),
};

function groupLaws(topology: () => Topology) {
  for (const [name, lose] of Object.entries(waysOutOfGroups))
    it(`by ${name} stops delivery each time, at two hundred messages a second`, async () => {
      const group = await openGroup(topology());
      const { owner, scope: conversationId, timelineId } = group;
      await amidWriting(topology(), group, 5, async () => {
        for (let round = 0; round < atLength(1, 7); round += 1) {
          const person = await topology().person();
          await owner.send('conversation:update', { conversationId, addUserIds: [person.id] });
          const watcher = await topology().elsewhere(person);
          await watcher.send('conversation:open', { conversationId });
          await watcher.waitFor('changes', ({ room }) => room === timelineRoom(timelineId));
          await lose(group, person);
          await owner.send('message:send', { timelineId, body: 'late' });
          // Late messages would have arrived by then.
          await sleep(150);
          // `person` has not opened it, and receives at most `activity`.
          for (const one of [person, watcher]) {
            const { late, leaked } = await leaks(topology(), group, one);
            expect(leaked).to.deep.equal([]);
            expect(late).to.be.above(0);
            one.close();
          }
        }
      });
    });

  it('while writing to it leaves no message sent after the removal, race after race', async () => {
    const random = lawRandom();
    const group = await openGroup(topology());
    const { owner, scope: conversationId, timelineId } = group;
    const person = await topology().person();
    const devices = [person, await topology().elsewhere(person)];
    for (let race = 0; race < atLength(4, 30); race += 1) {
      await owner.send('conversation:update', { conversationId, addUserIds: [person.id] });
      const writing = devices.map(async (device) => {
        for (;;) {
          const said = { timelineId, body: `${race}` };
          const done = await device.send('message:send', said).catch((error: unknown) => error);
          if (done instanceof Error) return (done as Error & { code: string }).code;
        }
      });
      await sleep(random.int(0, 15));
      await out(group, person);
      const { message: after } = await owner.send('message:send', { timelineId, body: 'after' });
      expect(await Promise.all(writing)).to.deep.equal(['not_found', 'not_found']);
      const { messages } = await owner.send('message:list', { timelineId, after: after.position });
      expect(messages).to.deep.equal([]);
    }
  });
}

function accessLaws(topology: () => Topology) {
  for (const [name, { come, lose }] of Object.entries(ways))
    it(`by ${name} stops delivery each time, at two hundred messages a second`, async () => {
      const place = await openPlace(topology());
      await amidWriting(topology(), place, 5, async () => {
        for (let round = 0; round < atLength(1, 7); round += 1) {
          const person = await topology().person();
          await come(place, person);
          const watcher = await topology().elsewhere(person);
          for (const one of [person, watcher])
            await one.send('channel:join', { channelId: place.timelineId });
          await sleep(50);
          await lose(place, person);
          await place.owner.send('message:send', { timelineId: place.timelineId, body: 'late' });
          // Late messages would have arrived by then.
          await sleep(150);
          for (const one of [person, watcher]) {
            const { late, leaked } = await leaks(topology(), place, one);
            expect(leaked).to.deep.equal([]);
            expect(late).to.be.above(0);
            one.close();
          }
        }
      });
    });

  it('by the deletion of a channel takes everyone out of its room', async () => {
    const place = await openPlace(topology());
    const person = await topology().person();
    await person.send('server:join', { code: place.code });
    const { serverId } = place;
    const { channel } = await place.owner.send('channel:create', { serverId, name: 'brief' });
    await person.send('channel:join', { channelId: channel.id });
    await place.owner.send('channel:delete', { channelId: channel.id });
    const room = timelineRoom(channel.id);
    await person.waitFor('head', (head) => head.room === room && head.version === null);
    const failure = await person.expectError('channel:join', { channelId: channel.id });
    expect(failure.code).to.equal('not_found');
  });

  for (const [name, { come, lose, loses }] of Object.entries(races))
    it(`while entering rooms, in races with ${name}, stops delivery and ends the subscriptions`, async () => {
      const random = lawRandom();
      const place = await openPlace(topology());
      const { timelineId, serverId } = place;
      const person = await topology().person();
      await join(place, person);
      const socket = topology()
        .nodes.map(({ node }) => node.io.of('/').sockets.get(person.socket.id ?? ''))
        .find((one) => one !== undefined);
      const stays = () =>
        [...(socket?.rooms ?? [])].some((room) => loses(place).some((id) => room.includes(id)));
      const held = { [timelineRoom(timelineId)]: 0, [serverRoom(serverId)]: 0 } as Record<
        Room,
        number
      >;
      const enter = [
        () => person.send('channel:join', { channelId: timelineId }),
        () => person.send('server:open', { serverId }),
        () => person.send('sync', { epoch: person.ready.epoch, rooms: held, badges: true }),
      ];
      await amidWriting(topology(), place, 2, async () => {
        for (let race = 0; race < atLength(4, 30); race += 1) {
          await come(place, person);
          const entering = Promise.all(enter.map((way) => way().catch(() => undefined)));
          await sleep(random.int(0, 12));
          await lose(place, person);
          await entering;
          // Late messages would have arrived by then.
          await sleep(10);
          expect((await leaks(topology(), place, person)).leaked).to.deep.equal([]);
          // A node that misses the revocation checks once a second.
          await until(() => !stays());
        }
      });
    });
}

describeTopologies(`losing access, with LAW_SEED=${lawSeed}`, accessLaws);
describeTopologies(`losing access to a group, with LAW_SEED=${lawSeed}`, groupLaws);

describeTopologies(`connecting, with LAW_SEED=${lawSeed}`, (topology) => {
  it('with a session that ends meanwhile leaves no socket open', async () => {
    const random = lawRandom();
    for (let race = 0; race < atLength(5, 40); race += 1) {
      const person = await topology().person();
      const sockets = topology().nodes.map(({ url }) => openSocket(url, person.cookie));
      const ended = Promise.all(sockets.map(ends));
      await sleep(random.int(0, 15));
      const { sessions } = await person.send('session:list', {});
      await person.send('session:revoke', { sessionId: sessions[0]!.id });
      let over = false;
      void ended.then(() => (over = true));
      await until(() => over);
      for (const socket of sockets) socket.disconnect();
    }
  });
});

const ends = (socket: ClientSocket) =>
  new Promise<void>((resolve) => {
    socket.once('connect_error', () => resolve());
    socket.once('disconnect', () => resolve());
  });

const endings: Record<string, (person: Person, other: Person) => Promise<unknown>> = {
  'signing out': (person) => person.send('session:logout', {}),
  'being revoked': async (_person, other) => {
    const { sessions } = await other.send('session:list', {});
    const theirs = sessions.find(({ current }) => !current);
    return other.send('session:revoke', { sessionId: theirs!.id });
  },
  'a new password': (person, other) =>
    other.send('user:changePassword', {
      current: `the password of ${person.user.username}`,
      next: 'another long password',
    }),
  'signing in again': (person) =>
    post(
      person.url,
      '/api/auth/login',
      { username: person.user.username, password: `the password of ${person.user.username}` },
      { cookie: person.cookie },
    ),
};

function sessionLaws(topology: () => Topology) {
  for (const [name, end] of Object.entries(endings))
    it(`ends by ${name} on every node within two seconds`, async () => {
      const person = await topology().person();
      const password = `the password of ${person.user.username}`;
      const login = await post(person.url, '/api/auth/login', {
        username: person.user.username,
        password,
      });
      const other = await connectAs(person.url, cookieOf(login));
      const elsewhere = await topology().elsewhere(person);
      await end(person, other);
      await until(() => !person.socket.connected && !elsewhere.socket.connected);
      expect(elsewhere.received('closing')).to.have.length(1);
      expect(other.socket.connected).to.equal(true);
    });
}

describeTopologies('a session', sessionLaws);

describe('nodes that receive nothing from each other', () => {
  let topology: Topology;
  before(async () => {
    topology = await partitioned();
  });
  after(() => topology.close());
  describe('losing access', () => {
    accessLaws(() => topology);
  });
  describe('losing access to a group', () => groupLaws(() => topology));
  describe('a session', () => sessionLaws(() => topology));
});
