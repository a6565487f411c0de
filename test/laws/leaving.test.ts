/**
 * After leaving and re-entering in quick succession, a client is in exactly the timelines it wanted last. A `sync`
 * under way can re-enter a timeline after the leave; the first message received from it makes the client leave again.
 * Commands overtake each other on the server, as when they wait in queues for different times.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { RoomStore } from '../../client/sync/room-store.ts';
import { SyncClient } from '../../client/sync/sync-client.ts';
import { splitRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { atLength } from '../support/length.ts';
import { PersonLink } from '../support/person-link.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { until } from '../support/time.ts';
import { describeTopologies, type Topology } from '../support/topologies.ts';

const keepsNothing: RoomStore = {
  replace: () => undefined,
  apply: () => undefined,
  drop: () => undefined,
};

async function openTimelines(topology: Topology) {
  const [ann, ben] = [await topology.person('Ann'), await topology.person('Ben')];
  const { server } = await ann.send('server:create', { name: 'To and fro' });
  const { invite } = await ann.send('invite:create', { serverId: server.id });
  await ben.send('server:join', { code: invite.code });
  const ids = [server.defaultChannelId];
  for (const name of ['hall', 'yard', 'attic']) {
    const { channel } = await ann.send('channel:create', { serverId: server.id, name });
    ids.push(channel.id);
  }
  const sayInAll = () =>
    Promise.all(ids.map((timelineId) => ann.send('message:send', { timelineId, body: 'Tea?' })));
  return { ben, rooms: ids.map(timelineRoom), sayInAll };
}

describeTopologies(`leaving and coming back, with LAW_SEED=${lawSeed}`, (topology) => {
  it('ends in the last wanted timelines, and in no other', async () => {
    const random = lawRandom();
    const { ben, rooms, sayInAll } = await openTimelines(topology());
    const link = new PersonLink(ben);
    const driver = new SyncClient(link, keepsNothing);
    driver.onReady(ben.ready);
    link.use(ben);
    const { sockets, queues } = topology().nodes.find(({ url }) => url === ben.url)!.node;
    const run = queues.run.bind(queues);
    queues.run = async (...command) => {
      if (random.chance(0.3)) await sleep(random.int(0, 5));
      return run(...command);
    };
    const isIn = (room: Room) => sockets.in(room).some(({ id }) => id === ben.socket.id);
    const wanted = new Set<Room>();
    for (let round = 0; round < atLength(20, 200); round += 1) {
      for (let step = 0; step < 8; step += 1) {
        const room = random.pick(rooms);
        if (wanted.delete(room)) driver.leave(room);
        else {
          wanted.add(room);
          if (random.chance(0.5)) driver.enterAll([room]);
          else void driver.enter(room);
        }
        if (random.chance(0.2)) driver.syncAll();
        if (random.chance(0.3)) await sleep(random.int(0, 4));
      }
      await link.idle();
      const names = () => rooms.filter(isIn).map((room) => splitRoom(room).id);
      const wantedNames = [...wanted].map((room) => splitRoom(room).id);
      expect(names(), `round ${round}`).to.include.members(wantedNames);
      await sayInAll();
      await until(() => names().length === wanted.size);
      expect(names(), `round ${round}`).to.have.members(wantedNames);
    }
    driver.stop();
    queues.run = run;
  });
});
