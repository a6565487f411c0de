/** Who loses access hears nothing of what is committed afterwards, on any node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import {
  connectAs,
  cookieOf,
  openSocket,
  post,
  type ClientSocket,
  type Person,
} from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { deaf, describeWorlds, type World } from '../support/worlds.ts';

interface Place {
  owner: Person;
  serverId: string;
  code: string;
  timelineId: string;
}

async function openPlace(world: World): Promise<Place> {
  const owner = await world.person('Owner');
  const { server } = await owner.send('server:create', { name: 'Guarded' });
  const { invite } = await owner.send('invite:create', { serverId: server.id });
  return { owner, serverId: server.id, code: invite.code, timelineId: server.defaultChannelId };
}

/** Positions of a timeline that this person has heard of, by changes or by badges. */
const heardOf = (person: Person, timelineId: string): number[] => [
  ...person
    .heard('changes')
    .flatMap(({ changes }) => changes)
    .flatMap((change) => ('message' in change ? [change.message] : []))
    .filter((message) => message.timelineId === timelineId)
    .map(({ position }) => position),
  ...person.heard('activity').map(({ timelines }) => timelines[timelineId]?.last ?? 0),
];

/** Writes about two hundred a second until it is stopped; answers with the last position. */
function writeOn({ owner, timelineId }: Place) {
  const acks: Promise<number>[] = [];
  const say = () =>
    acks.push(
      owner.send('message:send', { timelineId, body: 'x' }).then(
        ({ message }) => message.position,
        () => 0,
      ),
    );
  const writing = setInterval(say, 5);
  return async () => {
    clearInterval(writing);
    return Math.max(...(await Promise.all(acks)));
  };
}

const ways: Record<string, (place: Place, person: Person) => Promise<unknown>> = {
  'a kick': ({ owner, serverId }, { id }) => owner.send('member:remove', { serverId, userId: id }),
  'a ban': ({ owner, serverId }, { id }) => owner.send('ban:create', { serverId, userId: id }),
  leaving: ({ serverId }, person) => person.send('server:leave', { serverId }),
};

describeWorlds(
  `losing access, with LAW_SEED=${lawSeed}`,
  (world) => {
    for (const [name, lose] of Object.entries(ways))
      it(`by ${name} at two hundred messages a second ends it, ten times of ten`, async () => {
        const place = await openPlace(world());
        for (let round = 0; round < 10; round += 1) {
          const person = await world().person();
          await person.send('server:join', { code: place.code });
          await person.send('channel:join', { channelId: place.timelineId });
          const watcher = await world().elsewhere(person);
          const stop = writeOn(place);
          await sleep(60);
          await lose(place, person);
          // Everything said from here on is committed after the ack.
          const { message } = await place.owner.send('message:send', {
            timelineId: place.timelineId,
            body: 'after',
          });
          await sleep(60);
          const last = await stop();
          await sleep(100);
          await Promise.all([person, watcher].map((one) => one.send('session:list', {})));
          expect(last).to.be.above(message.position);
          for (const one of [person, watcher]) {
            const late = heardOf(one, place.timelineId).filter((at) => at >= message.position);
            expect(late).to.deep.equal([]);
          }
          watcher.close();
          person.close();
        }
      });

    it('by the end of a channel: its room is empty on every node', async () => {
      const place = await openPlace(world());
      const person = await world().person();
      await person.send('server:join', { code: place.code });
      const { channel } = await place.owner.send('channel:create', {
        serverId: place.serverId,
        name: 'brief',
      });
      await person.send('channel:join', { channelId: channel.id });
      await place.owner.send('channel:delete', { channelId: channel.id });
      await person.hears(
        'head',
        ({ room, version }) => room === timelineRoom(channel.id) && version === null,
      );
      const failure = await person.fails('channel:join', { channelId: channel.id });
      expect(failure.code).to.equal('not_found');
    });

    it('while a room is being entered: a hundred races, and nobody who is out hears anything', async () => {
      const random = lawRandom();
      const place = await openPlace(world());
      const { timelineId, serverId } = place;
      const person = await world().person();
      const enter = [
        () => person.send('channel:join', { channelId: timelineId }),
        () => person.send('server:open', { serverId }),
        () =>
          person.send('sync', {
            epoch: person.ready.epoch,
            rooms: { [timelineRoom(timelineId)]: 0, [serverRoom(serverId)]: 0 } as never,
          }),
      ];
      for (let race = 0; race < 100; race += 1) {
        await person.send('server:join', { code: place.code });
        const entering = Promise.all(enter.map((way) => way().catch(() => undefined)));
        await sleep(random.int(0, 12));
        await place.owner.send('member:remove', { serverId, userId: person.id });
        const { message } = await place.owner.send('message:send', { timelineId, body: 'after' });
        await entering;
        await place.owner.send('message:send', { timelineId, body: 'later' });
        if (race % 10 === 9) await sleep(60);
        await person.send('session:list', {});
        expect(heardOf(person, timelineId).filter((at) => at >= message.position)).to.deep.equal(
          [],
        );
        const { rooms } = world()
          .nodes.map(({ app }) => app.io.of('/').sockets.get(person.socket.id ?? ''))
          .find((socket) => socket !== undefined)!;
        expect(
          [...rooms].filter((room) => room.includes(serverId) || room.includes(timelineId)),
        ).to.deep.equal([]);
        await person.send('server:join', { code: place.code });
        await person.send('read:update', { timelineId, position: message.position + 1 });
        await person.send('server:leave', { serverId });
        // Its badges of this moment are no leak; from here on only what comes later counts.
        person.heard('changes').length = 0;
        person.heard('activity').length = 0;
      }
    });

    it('while a socket comes in: none of an ended session stays open', async () => {
      const random = lawRandom();
      for (let race = 0; race < 60; race += 1) {
        const person = await world().person();
        const sockets = [world().nodes[0], world().nodes[1]].map(({ url }) =>
          openSocket(url, person.cookie),
        );
        const ended = sockets.map(ends);
        await sleep(random.int(0, 15));
        const { sessions } = await person.send('session:list', {});
        await person.send('session:revoke', { sessionId: sessions[0]!.id });
        let over = false;
        void Promise.all(ended).then(() => (over = true));
        await within2s(() => over);
        for (const socket of sockets) socket.disconnect();
      }
    });
  },
  120_000,
);

/** Refused, or closed again. */
const ends = (socket: ClientSocket) =>
  new Promise<void>((resolve) => {
    socket.once('connect_error', () => resolve());
    socket.once('disconnect', () => resolve());
  });

async function within2s(fits: () => boolean): Promise<void> {
  const end = Date.now() + 2_500;
  while (!fits() && Date.now() < end) await sleep(10);
  expect(fits()).to.equal(true);
}

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

function sessionLaws(world: () => World) {
  for (const [name, end] of Object.entries(endings))
    it(`ends by ${name} on every node within two seconds`, async () => {
      const person = await world().person();
      const password = `the password of ${person.user.username}`;
      const login = await post(person.url, '/api/auth/login', {
        username: person.user.username,
        password,
      });
      const other = await connectAs(person.url, cookieOf(login));
      const elsewhere = await world().elsewhere(person);
      await end(person, other);
      await within2s(() => !person.socket.connected && !elsewhere.socket.connected);
      expect(elsewhere.heard('closing')).to.have.length(1);
      expect(other.socket.connected).to.equal(true);
    });
}

describeWorlds('a session', sessionLaws);

describe('a session, on nodes that never hear each other', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await deaf();
  });
  after(() => world.close());
  sessionLaws(() => world);
});
