/** Connecting amid changes: `ready` is the first event, and no change after its versions is missing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { receiveNews } from '../../client/reads/badges.ts';
import type { RoomSnapshot } from '../../client/sync/room-replica.ts';
import { userRoom } from '../../shared/rooms.ts';
import { BadgeDevice } from '../support/badge-device.ts';
import { until } from '../support/time.ts';
import { atLength } from '../support/length.ts';
import { freshState } from '../support/fresh-state.ts';
import { Mirror } from '../support/mirror.ts';
import { openPerson, openSocket, type Person } from '../support/person.ts';
import { befriend } from '../support/relationships.ts';
import { describeTopologies, type Topology } from '../support/topologies.ts';

const handshakes = atLength(15, 40);

async function busy(topology: Topology) {
  const ann = await topology.person('Ann');
  const [ben, cat, dan] = [
    await topology.person(),
    await topology.person(),
    await topology.person(),
  ];
  const { id: friendshipId } = await befriend(ben, ann);
  for (const friend of [ann, ben]) await befriend(dan, friend);
  const { conversation } = await dan.send('conversation:create', { userIds: [ann.id] });
  const timelineId = conversation.id;
  let round = 0;
  const operations = [
    async () => {
      const { friendRequests } = await cat.send('friendRequest:list', {});
      for (const { id: requestId } of friendRequests)
        await cat.send('friendRequest:delete', { requestId });
      if (friendRequests.length === 0) await cat.send('friendRequest:create', { userId: ann.id });
    },
    () => dan.send('conversation:create', { userIds: [ann.id, ben.id], name: `${(round += 1)}` }),
    async () => {
      const { message } = await dan.send('message:send', { timelineId, body: 'hello' });
      await ann.send('read:update', { timelineId, position: message.position });
    },
    () => ben.send('presence:set', { status: (round += 1) % 2 === 0 ? 'dnd' : 'online' }),
  ];
  let isOver = false;
  const under = operations.map(async (deed) => {
    while (!isOver) {
      await deed();
      await sleep(1);
    }
  });
  const calm = async () => {
    isOver = true;
    await Promise.all(under);
  };
  return { ann, ben, friendshipId, calm };
}

/** Opens another socket of this person, and records the names of its events in order. */
async function arrive({ url, cookie }: Person) {
  const socket = openSocket(url, cookie);
  const order: string[] = [];
  socket.onAny((event: string) => order.push(event));
  return { person: await openPerson(socket, url, cookie), order };
}

/** Expects the changes of the person's own room to continue from `ready` without a gap. */
function expectNoGap(person: Person): void {
  let { version } = person.ready as RoomSnapshot;
  for (const { room, from, to } of person.received('changes')) {
    if (room !== userRoom(person.id)) continue;
    expect(from, 'nothing is missing before this').to.be.at.most(version);
    version = Math.max(version, to);
  }
}

const seen = (person: Person, { id }: Person) =>
  person
    .received('presence')
    .reduce(
      (status, { users }) => users[id] ?? status,
      (person.ready as RoomSnapshot).presence?.[id],
    );

/** How often a device connects while `activity` of a message that was already read is still delayed. */
const lateActivities = atLength(15, 40);

describeTopologies('a handshake amid changes', (topology) => {
  it(`is complete at once, ${handshakes} times`, async () => {
    const { ann, ben, friendshipId, calm } = await busy(topology());
    const arrived: Awaited<ReturnType<typeof arrive>>[] = [];
    for (let i = 0; i < handshakes; i += 1) {
      const { url } = topology().nodes[i % 2]!;
      arrived.push(await arrive({ ...ann, url }));
    }
    await calm();
    const mirrors = arrived.map(({ person }) => new Mirror(person));
    await ann.send('friendship:update', { friendshipId, nickname: 'the last' });
    const fresh = await freshState(await ann.newTab(), userRoom(ann.id));
    for (const [i, { person, order }] of arrived.entries()) {
      await person.waitFor('changes', ({ changes }) =>
        JSON.stringify(changes).includes('the last'),
      );
      expect(order[0]).to.equal('ready');
      expectNoGap(person);
      expect(person.received('head')).to.deep.equal([]);
      expect(mirrors[i]!.state(userRoom(ann.id))).to.deep.equal(fresh);
      await until(() => seen(person, ben) === seen(ann, ben));
      person.close();
    }
  });

  it(`shows no read message as unread, though its activity arrives meanwhile, ${lateActivities} times`, async () => {
    const [ann, dan] = [await topology().person('Ann'), await topology().person('Dan')];
    const { server } = await dan.send('server:create', { name: 'Place' });
    const { invite } = await dan.send('invite:create', { serverId: server.id });
    await ann.send('server:join', { code: invite.code });
    // `activity` of a private channel is sent to the person's own room, which a socket joins first.
    const { channel } = await dan.send('channel:create', {
      ...{ serverId: server.id, name: 'few', private: true, userIds: [ann.id] },
    });
    const { id: timelineId } = channel;
    const { url } = topology().nodes.find((node) => node.url !== ann.url) ?? topology().nodes[0];
    for (let i = 0; i < lateActivities; i += 1) {
      // The second message within a second is announced at the end of that second: here, while the device connects.
      const say = () => dan.send('message:send', { timelineId, body: 'hello' });
      await say();
      const { message } = await say();
      await ann.send('read:update', { timelineId, position: message.position });
      const arriving = arrive({ ...ann, url });
      await sleep(i % 20);
      topology().pass(1_000);
      const { person } = await arriving;
      const device = new BadgeDevice(person);
      topology().pass(1_000);
      // A round trip, so that all earlier events have arrived.
      await person.send('session:list', {});
      for (const { timelines } of person.received('activity'))
        for (const [id, activity] of Object.entries(timelines))
          if (activity !== null)
            receiveNews(device.known, { id, came: activity.last, ...activity });
      expect(device.unread).to.deep.equal({});
      person.close();
    }
  });
});
