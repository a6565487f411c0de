import { v7 } from 'uuid';
import { serverRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import type { Proxy } from '../support/proxy.ts';
import { retryUntilAnswered } from '../replay/retry.ts';
import { signIn, type Signed } from '../replay/sign-in.ts';
import { Client, type Recorder } from './client.ts';
import type { Holding } from './history.ts';
import type { TestCluster } from './place.ts';

export interface ClientDevice {
  client: Client;
  wire: Proxy;
}

export interface Participant {
  userId: string;
  devices: ClientDevice[];
  /** Not a member now, as far as the client knows. */
  isOut: boolean;
  isBanned: boolean;
  isMoving: boolean;
}

export interface Crowd {
  /** Owns the server, and is never removed. */
  host: Participant;
  guests: Participant[];
  /** Three silent guests that disconnect and return; the load balancer puts one on each node. */
  visitors: Participant[];
  /** Silent; at times stops reading, alone in the timeline flooded then. Bypasses the load balancer, which buffers. */
  sleeper: Participant;
  everybody: Participant[];
  devices: ClientDevice[];
  /** Wires that faults can break: all but the sleeper’s. */
  wires: Proxy[];
  username: string;
  serverId: string;
  /** The busiest first. */
  timelineIds: string[];
  floodId: string;
  invite: string;
  rooms: Room[];
  holdings(): Holding[];
  present(): string[];
  comeElsewhere(): Promise<ClientDevice>;
  close(): void;
}

export async function gather(
  place: TestCluster,
  guests: number,
  recorder: Recorder,
): Promise<Crowd> {
  // Guests cannot make invites, so the host registers.
  const credentials = { username: `host-${v7().slice(-12)}`, password: v7() };
  const asHost = await signIn(place.origin, 'register', credentials);
  const come = async (name: string, devices = 1, to?: TestCluster['nodes'][0]) => {
    const signed = await signIn(place.origin, 'guest', { displayName: name });
    return openParticipant(place, recorder, signed, { name, devices, to });
  };
  const host = await openParticipant(place, recorder, asHost, { name: 'host', devices: 1 });
  const [{ client: home } = missing('host')] = host.devices;
  const { server } = await home.ask('server:create', { name: 'Chaos', id: v7() });
  const serverId = server.id;
  const open = async (name: string) =>
    (await home.ask('channel:create', { serverId, name, id: v7() })).channel.id;
  const { invite } = await home.ask('invite:create', { serverId });
  const timelineIds = [server.defaultChannelId, await open('seldom'), await open('hardly-ever')];
  const floodId = await open('flood');
  const others: Participant[] = [];
  for (let i = 1; i <= guests; i += 1) others.push(await come(`guest ${i}`, i % 3 === 0 ? 2 : 1));
  const visitors: Participant[] = [];
  for (let i = 1; i <= 3; i += 1) visitors.push(await come(`visitor ${i}`));
  const sleeper = await come('sleeper', 1, place.nodes[0]);
  const everybody = [host, ...others, ...visitors, sleeper];
  const devices = everybody.flatMap((person) => person.devices);
  const elsewhere: ClientDevice[] = [];
  const crowd: Crowd = {
    ...{ host, guests: others, visitors, sleeper, everybody, devices },
    ...{ username: credentials.username, serverId, timelineIds, floodId, invite: invite.code },
    wires: devices.filter((device) => !sleeper.devices.includes(device)).map(({ wire }) => wire),
    rooms: [serverRoom(serverId), ...timelineIds.map(timelineRoom)],
    holdings: () => devices.map(({ client }) => client.holding(serverId, timelineIds)),
    present: () =>
      everybody
        .filter((person) => person.devices.some(({ client }) => client.isReady))
        .map(({ userId }) => userId),
    async comeElsewhere() {
      const signedIn = await signIn(
        place.origin,
        'login',
        credentials,
        addressOf(elsewhere.length),
      );
      const name = `host, session ${elsewhere.length + 2}`;
      const device = await connect(place, recorder, signedIn, { name, isHidden: true });
      elsewhere.push(device);
      return device;
    },
    close() {
      for (const { client } of [...devices, ...elsewhere]) client.close();
    },
  };
  for (const person of everybody) {
    const [{ client } = missing('device')] = person.devices;
    if (person !== host) await client.ask('server:join', { code: invite.code });
    await enterAll(crowd, person);
    if (person === sleeper) await client.enter(timelineRoom(floodId));
  }
  return crowd;
}

/** A new client address each time; used only by nodes that trust more than the load balancer (TRUST_PROXY). */
const addressOf = (time: number) => `172.16.${Math.floor(time / 250)}.${(time % 250) + 1}`;

function missing(what: string): never {
  throw new Error(`There is no ${what}.`);
}

/** Enters all rooms on all devices. @throws the errors of `Client.enter` */
export async function enterAll({ rooms }: Crowd, { devices }: Participant): Promise<void> {
  for (const { client } of devices)
    for (const room of rooms) if (!client.isIn(room)) await client.enter(room);
}

export const isSwitchedOff = ({ devices }: Participant): boolean =>
  devices.every(({ client }) => client.isAway);

async function openParticipant(
  place: TestCluster,
  recorder: Recorder,
  signed: Signed,
  {
    name,
    devices,
    to,
  }: { name: string; devices: number; to?: TestCluster['nodes'][0] | undefined },
): Promise<Participant> {
  const person: Participant = {
    userId: signed.user.id,
    devices: [],
    isOut: false,
    isBanned: false,
    isMoving: false,
  };
  for (let number = 1; number <= devices; number += 1) {
    const who = number === 1 ? name : `${name}, device ${number}`;
    const isHidden = number > 1 || name.startsWith('visitor');
    person.devices.push(await connect(place, recorder, signed, { name: who, isHidden, to }));
  }
  return person;
}

async function connect(
  place: TestCluster,
  recorder: Recorder,
  { user, cookie }: Signed,
  { to, ...who }: { name: string; isHidden: boolean; to?: TestCluster['nodes'][0] | undefined },
): Promise<ClientDevice> {
  const wire = await place.wire(to);
  const entrance = { url: `http://127.0.0.1:${wire.port}`, origin: place.origin, cookie };
  const client = new Client({ ...who, userId: user.id }, entrance, recorder);
  client.comeBack();
  await retryUntilAnswered(() => client.ask('server:list', {}));
  return { client, wire };
}
