/** Who takes part: a host, guests on one device or two, and some who go home when it gets rough. */
import { v7 } from 'uuid';
import { serverRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import type { Proxy } from '../../test/support/proxy.ts';
import { patiently } from '../replay/patience.ts';
import { signIn, type Signed } from '../replay/sign-in.ts';
import { Client, type Diary } from './client.ts';
import type { Holding } from './history.ts';
import type { Place } from './place.ts';

export interface Device {
  client: Client;
  wire: Proxy;
}

export interface Person {
  userId: string;
  devices: Device[];
  /** Not in the server at present, as far as they know. */
  isOut: boolean;
  isBanned: boolean;
  /** On the way in or out. */
  isMoving: boolean;
}

export interface Crowd {
  /** Who owns the server, and is never sent away. */
  host: Person;
  guests: Person[];
  /** They say nothing, and are not there now and then; one on each node, as the load balancer spreads them. */
  visitors: Person[];
  everybody: Person[];
  devices: Device[];
  serverId: string;
  /** The busiest first. */
  timelineIds: string[];
  invite: string;
  /** All that one holds who is in. */
  rooms: Room[];
  holdings(): Holding[];
  /** Who is connected now. */
  present(): string[];
  close(): void;
}

export async function gather(place: Place, guests: number, diary: Diary): Promise<Crowd> {
  const come = (name: string, devices: number, isHost = false) =>
    comeIn(place, diary, { name, devices, isHost });
  const host = await come('host', 1, true);
  const asHost = host.devices[0]?.client.connection;
  if (asHost === undefined) throw new Error('There is no host.');
  const { server } = await asHost.ask('server:create', { name: 'Chaos', id: v7() });
  const serverId = server.id;
  const { invite } = await asHost.ask('invite:create', { serverId });
  const timelineIds = [server.defaultChannelId];
  for (const name of ['seldom', 'hardly-ever'])
    timelineIds.push((await asHost.ask('channel:create', { serverId, name, id: v7() })).channel.id);
  const others: Person[] = [];
  // Every third has two devices.
  for (let i = 1; i <= guests; i += 1) others.push(await come(`guest ${i}`, i % 3 === 0 ? 2 : 1));
  const visitors: Person[] = [];
  for (let i = 1; i <= 3; i += 1) visitors.push(await come(`visitor ${i}`, 1));
  const everybody = [host, ...others, ...visitors];
  const devices = everybody.flatMap((person) => person.devices);
  const crowd: Crowd = {
    ...{ host, guests: others, visitors, everybody, devices },
    ...{ serverId, timelineIds, invite: invite.code },
    rooms: [serverRoom(serverId), ...timelineIds.map(timelineRoom)],
    holdings: () => devices.map(({ client }) => client.holding(serverId, timelineIds)),
    present: () =>
      everybody
        .filter((person) => person.devices.some(({ client }) => client.connection.isOpen))
        .map(({ userId }) => userId),
    close() {
      for (const { client } of devices) client.close();
    },
  };
  for (const person of everybody) {
    const { connection } = person.devices[0]?.client ?? {};
    if (person !== host) await connection?.ask('server:join', { code: invite.code });
    await enterAll(crowd, person);
  }
  return crowd;
}

/** Opens on each device what is not open there. @throws what `Client.enter` does */
export async function enterAll({ rooms }: Crowd, { devices }: Person): Promise<void> {
  for (const { client } of devices)
    for (const room of rooms) if (!client.isIn(room)) await client.enter(room);
}

/** At home, with everything switched off. */
export const isAway = ({ devices }: Person): boolean =>
  devices.every(({ client }) => !client.connection.isWanted);

interface Coming {
  name: string;
  devices: number;
  isHost: boolean;
}

async function comeIn(
  place: Place,
  diary: Diary,
  { name, devices, isHost }: Coming,
): Promise<Person> {
  const { user, cookie } = await door(place.origin, name, isHost);
  const person: Person = {
    userId: user.id,
    devices: [],
    isOut: false,
    isBanned: false,
    isMoving: false,
  };
  for (let number = 1; number <= devices; number += 1) {
    const wire = await place.wire();
    const entrance = { url: `http://127.0.0.1:${wire.port}`, origin: place.origin, cookie };
    const who = number === 1 ? name : `${name}, device ${number}`;
    // The second device, and those of visitors, lie in a bag.
    const isHidden = number > 1 || name.startsWith('visitor');
    const client = new Client({ name: who, userId: user.id, isHidden }, entrance, diary);
    client.connection.open();
    await patiently(() => client.connection.ask('server:list', {}));
    person.devices.push({ client, wire });
  }
  return person;
}

/** Guests cannot make invites, so the host registers. */
const door = (url: string, name: string, isHost: boolean): Promise<Signed> =>
  isHost
    ? signIn(url, 'register', { username: `host-${v7().slice(-12)}`, password: v7() })
    : signIn(url, 'guest', { displayName: name });
