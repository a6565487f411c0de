/** Coming in amid changes: `ready` comes first, and from its versions on nothing is missing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Snapshot } from '../../client/sync/room-replica.ts';
import { userRoom } from '../../shared/rooms.ts';
import { until } from '../support/time.ts';
import { freshState } from '../support/fresh-state.ts';
import { Mirror } from '../support/mirror.ts';
import { comeIn, openSocket, type Person } from '../support/person.ts';
import { befriend } from '../support/ties.ts';
import { describeWorlds, type World } from '../support/worlds.ts';

const handshakes = 40;

/** Somebody to whom everything happens, and what makes it happen. */
async function busy(world: World) {
  const ann = await world.person('Ann');
  const [ben, cat, dan] = [await world.person(), await world.person(), await world.person()];
  const { id: friendshipId } = await befriend(ben, ann);
  await befriend(dan, ann);
  const { conversation } = await dan.send('conversation:create', { userIds: [ann.id] });
  const timelineId = conversation.id;
  let round = 0;
  const deeds = [
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
  const under = deeds.map(async (deed) => {
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

/** A new socket of somebody, with all that it heard, by name and in order. */
async function arrive({ url, cookie }: Person) {
  const socket = openSocket(url, cookie);
  const order: string[] = [];
  socket.onAny((event: string) => order.push(event));
  return { person: await comeIn(socket, url, cookie), order };
}

/** From `ready` on, the changes of somebody's own room follow each other. */
function expectNoGap(person: Person): void {
  let { version } = person.ready as Snapshot;
  for (const { room, from, to } of person.heard('changes')) {
    if (room !== userRoom(person.id)) continue;
    expect(from, 'nothing is missing before this').to.be.at.most(version);
    version = Math.max(version, to);
  }
}

/** How a friend is, by all that was heard of it. */
const seen = (person: Person, { id }: Person) =>
  person
    .heard('presence')
    .reduce((status, { users }) => users[id] ?? status, (person.ready as Snapshot).presence?.[id]);

describeWorlds('a handshake amid changes', (world) => {
  it(`is complete at once, ${handshakes} times`, async () => {
    const { ann, ben, friendshipId, calm } = await busy(world());
    const arrived: Awaited<ReturnType<typeof arrive>>[] = [];
    for (let i = 0; i < handshakes; i += 1) {
      const { url } = world().nodes[i % 2]!;
      arrived.push(await arrive({ ...ann, url }));
    }
    await calm();
    const mirrors = arrived.map(({ person }) => new Mirror(person));
    await ann.send('friendship:update', { friendshipId, nickname: 'the last' });
    const fresh = await freshState(await ann.again(), userRoom(ann.id));
    for (const [i, { person, order }] of arrived.entries()) {
      await person.hears('changes', ({ changes }) => JSON.stringify(changes).includes('the last'));
      expect(order[0]).to.equal('ready');
      expectNoGap(person);
      expect(person.heard('head')).to.deep.equal([]);
      expect(mirrors[i]!.state(userRoom(ann.id))).to.deep.equal(fresh);
      await until(() => seen(person, ben) === seen(ann, ben));
      person.close();
    }
  });
});
