/**
 * Each phone gets every message that a plain model selects exactly once, alone or counted by another, unless it was read
 * first: for any messages, choices and reads, on two nodes of which one is killed.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import { startNode } from '../support/node.ts';
import {
  allIn,
  choose,
  modelled,
  openNotifiedPlace,
  talk,
  type Place,
} from '../support/notification-scene.ts';
import type { NotifyingDevice } from '../support/notifying-device.ts';
import { openDevices } from '../support/notifying-device.ts';
import { connectAs, type Person } from '../support/person.ts';
import type { PushDevice } from '../support/push-device.ts';
import { hurryPushes } from '../support/push-queue.ts';
import { openPushService, type FakePushService } from '../support/push-service.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { until } from '../support/time.ts';

describe(`push messages, with LAW_SEED=${lawSeed}`, () => {
  let service: FakePushService;
  let here: TestApp;
  let there: { url: string; process: ChildProcess };

  before(async () => {
    service = await openPushService();
    const settings = {
      REDIS_URL: (await sharedRedis()).url,
      PARLEY_REDIS_PREFIX: freshPrefix(),
      PARLEY_RATE_SCALE: '100000',
      PARLEY_PUSH_SERVICES: service.origin,
    };
    here = await startApp(settings);
    there = await startNode({ settings, where: here.where });
  });
  after(async () => {
    there.process.kill('SIGKILL');
    await here.close();
    await service.close();
    expect(service.complaints).to.deep.equal([]);
  });

  const places = (phone: PushDevice) =>
    service
      .sentTo(phone)
      .flatMap(({ timelineId, position, others }) =>
        [position, ...others].map((one) => `${timelineId} ${one}`),
      );
  /** True once no node has anything left to send. Ends the waits for attempts, for paces and for people who read. */
  const isSettled = async () => {
    await hurryPushes(here.db, 0);
    const [left] = await query<{ count: number }>(
      here.db,
      'select (select count(*) from push_queue) + (select count(*) from pushes) as count',
    );
    return left?.count === 0;
  };

  const killWhileSending = async (phones: PushDevice[]) => {
    const requests = () => phones.reduce((sum, one) => sum + service.requestsTo(one), 0);
    const before = requests();
    await until(async () => (await isSettled()) || requests() > before);
    there.process.kill('SIGKILL');
    await once(there.process, 'exit');
    // Its leases would last for a minute.
    await query(here.db, 'update push_paces set leased_until = now() where leased_until > now()');
  };

  it('match a plain model, once per message, even if a node is killed', async () => {
    const random = lawRandom();
    const people = await Promise.all(Array.from({ length: 4 }, () => here.person()));
    const place = await openNotifiedPlace(people);
    const devices = await openDevices(people, place, [there.url, here.url]);
    const phones = await Promise.all(
      people.map(async (person) => {
        const phone = service.device();
        await person.send('push:subscribe', { ...phone, hidesText: false });
        return phone;
      }),
    );
    for (const device of devices)
      await choose(device, { targetId: device.person.id, level: 'all' });
    for (const person of [...people, ...devices.map(({ person }) => person)])
      await person.send('presence:update', { active: false });
    const rounds = atLength(6, 40);
    let sent = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const [i, person] of people.entries())
        await chooseSome(random, person, devices[i]!, { place, people });
      const before = phones.map((phone) => places(phone).length);
      const isKilling = round === Math.floor(rounds / 2);
      const said = await talk(random, people, place);
      const read = await readSome(random, people, place);
      if (isKilling) await killWhileSending(phones);
      if (there.process.killed)
        for (const [i, device] of devices.entries()) {
          if (device.person.url !== there.url) continue;
          const again = await connectAs(here.url, people[i]!.cookie);
          await again.send('presence:update', { active: false });
          device.comeBack(again);
        }
      await until(isSettled);
      for (const [i, device] of devices.entries()) {
        device.now = new Date();
        const wanted = said.filter(
          (message) => modelled(device, message, place, people[0]!) === 'notification',
        );
        const came = places(phones[i]!).slice(before[i]);
        const keyOf = (message: (typeof said)[number]) =>
          `${message.timelineId} ${message.position}`;
        // Sending a message marks everything before it as read.
        const own = said.filter(({ authorId }) => authorId === device.person.id);
        const isRead = ({ timelineId, position }: (typeof said)[number]) =>
          position <= (read[i]!.get(timelineId) ?? 0) ||
          own.some((other) => other.timelineId === timelineId && other.position > position);
        expect(wanted.map(keyOf), `${round} ${i}`).to.include.members(came);
        // A push that the killed node had sent and not noted is sent again. The device shows it once.
        if (!isKilling)
          expect(new Set(came).size, `${round} ${i}, each once`).to.equal(came.length);
        expect(came, `${round} ${i}`).to.include.members(
          wanted.filter((message) => !isRead(message)).map(keyOf),
        );
        sent += came.length;
      }
      for (const person of people) await readAll(person, place);
    }
    expect(sent).to.be.above(rounds);
  });
});

/** Chooses no quiet hours and no mutes that end, because the nodes use the real clock. */
async function chooseSome(
  random: Random,
  person: Person,
  device: NotifyingDevice,
  { place, people }: { place: Place; people: Person[] },
) {
  if (random.chance(0.3)) {
    const status = random.pick(['online', 'online', 'dnd'] as const);
    await person.send('presence:set', { status });
    await until(() => device.status === status);
  }
  if (random.chance(0.3)) {
    const others = people.filter((one) => one !== person);
    await choose(device, { targetId: random.pick(others).id, exempt: random.chance(0.3) });
  }
  if (random.chance(0.6)) {
    const targetId = random.pick([person.id, place.serverId, ...allIn(place)]);
    await choose(device, {
      targetId,
      level: random.pick(['all', 'all', 'all', 'mentions', 'nothing', null]),
      muted: random.chance(0.2) ? {} : null,
      exempt: random.chance(0.1),
      ...(targetId === person.id && { keywords: random.pick([['tea'], null]) }),
    });
  }
}

/** Some people read one timeline to some position. Returns the positions, for each person. */
async function readSome(random: Random, people: Person[], place: Place) {
  const read: Map<string, number>[] = [];
  for (const person of people) {
    const positions = new Map<string, number>();
    read.push(positions);
    if (random.chance(0.5)) continue;
    const timelineId = random.pick(allIn(place));
    const { messages } = await person.send('message:list', { timelineId, limit: 10 });
    const position = messages.length === 0 ? 0 : random.pick(messages).position;
    if (position === 0) continue;
    await person.send('read:update', { timelineId, position });
    positions.set(timelineId, position);
  }
  return read;
}

async function readAll(person: Person, place: Place) {
  for (const timelineId of allIn(place)) {
    const { messages } = await person.send('message:list', { timelineId, limit: 1 });
    const { position = 0 } = messages.at(-1) ?? {};
    if (position > 0) await person.send('read:update', { timelineId, position });
  }
}
