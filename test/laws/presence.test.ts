/**
 * Presence is not part of the state, and its events can be lost, so a wrong status would stay: an answer must never
 * contain an older status than an event sent before it. So the server reads presence when it sends the answer
 * (server/realtime/subscribe.ts). A client only joins the parts of a snapshot, each read at another moment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RoomStore } from '../../client/sync/room-store.ts';
import { SyncClient } from '../../client/sync/sync-client.ts';
import type { ChosenStatus, PresenceMap } from '../../shared/presence.ts';
import { serverRoom, type Room } from '../../shared/rooms.ts';
import { atLength } from '../support/length.ts';
import { PersonLink } from '../support/person-link.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { until } from '../support/time.ts';
import { allTopologies, describeTopologies, parted, type Topology } from '../support/topologies.ts';

/** The presence that the client's own driver derives from what it receives. */
function watch(person: Person) {
  const seen = new Map<Room, PresenceMap>();
  const link = new PersonLink(person);
  const store: RoomStore = {
    replace: () => undefined,
    apply: () => undefined,
    drop: (room) => void seen.delete(room),
    ephemeral: (room, users) => void seen.set(room, users),
  };
  const driver = new SyncClient(link, store);
  link.on('presence', ({ room, users }) => seen.set(room, { ...seen.get(room), ...users }));
  driver.onReady(person.ready);
  link.use(person);
  return { seen, driver, link };
}

/** Creates servers with the same members. Reading all of them takes a while, in which statuses change. */
async function openServers(topology: Topology, many: number) {
  const owner = await topology.person('Owner');
  const others = await Promise.all(Array.from({ length: 5 }, () => topology.person()));
  const watcher = await topology.person('Watcher');
  const rooms: Room[] = [];
  const codes: string[] = [];
  for (let i = 0; i < many; i += 1) {
    const { server } = await owner.send('server:create', { name: `Watched ${i}` });
    const { invite } = await owner.send('invite:create', { serverId: server.id });
    for (const one of [...others, watcher]) await one.send('server:join', { code: invite.code });
    rooms.push(serverRoom(server.id));
    codes.push(invite.code);
  }
  return { others, watcher, rooms, codes };
}

const statuses: ChosenStatus[] = ['online', 'dnd', 'invisible'];
const seenAs = (status: ChosenStatus) => (status === 'invisible' ? 'offline' : status);

describeTopologies(
  `presence, with LAW_SEED=${lawSeed}`,
  (topology) => {
    it('ends at the current statuses, regardless of answers during changes', async () => {
      const random = lawRandom();
      const { others, watcher, rooms, codes } = await openServers(topology(), 8);
      const { seen, driver, link } = watch(watcher);
      const chosen = new Map<string, ChosenStatus>();
      const change = async (person: Person) => {
        const status = random.pick(statuses);
        chosen.set(person.id, status);
        await person.send('presence:set', { status });
        await sleep(1);
        topology().pass(1_000);
      };
      // Connected long before, so that only their joining shows them as online.
      const newcomers = await Promise.all(Array.from({ length: 6 }, () => topology().person()));
      const join = async (person: Person) => {
        for (const code of codes) await person.send('server:join', { code });
        chosen.set(person.id, 'online');
      };
      topology().pass(1_000);
      for (let round = 0; round < atLength(5, 12); round += 1) {
        for (const room of rooms) driver.drop(room);
        driver.enterAll(rooms);
        await sleep(random.int(0, 10));
        await Promise.all([...others.map(change), ...newcomers.splice(0, 1).map(join)]);
        await link.idle();
        // Nothing more is requested: this state is final, apart from events still on their way.
        await until(
          () => {
            topology().pass(1_000);
            return rooms.every((room) =>
              [...chosen].every(
                ([id, status]) => (seen.get(room)?.[id] ?? 'offline') === seenAs(status),
              ),
            );
          },
          () => JSON.stringify({ chosen: [...chosen], seen: [...seen] }),
          5_000,
        );
      }
      driver.stop();
    });
  },
  { ...allTopologies, 'in answers that bring a row or two': parted },
);
