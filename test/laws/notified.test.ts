/**
 * Each person is notified exactly once of each message that a plain model selects, and notifications of read messages
 * are closed: for any messages, reads, choices and clocks, on two nodes of which one is killed.
 */
import type { ChildProcess } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { NotifiedMessage } from '../../client/notifications/notifier.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { everyDay } from '../../shared/notification-rules.ts';
import type { QuietHours } from '../../shared/notifications.ts';
import type { Badge } from '../../shared/reads.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import { startNode } from '../support/node.ts';
import {
  allIn,
  choose,
  modelled,
  openNotifiedPlace,
  readSome,
  talk,
  type Place,
} from '../support/notification-scene.ts';
import { NotifyingDevice, openDevices } from '../support/notifying-device.ts';
import { connectAs, type Person } from '../support/person.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { until } from '../support/time.ts';

describe(`the choice of notifications, with LAW_SEED=${lawSeed}`, () => {
  let here: TestApp;
  let there: { url: string; process: ChildProcess };

  before(async () => {
    const settings = {
      REDIS_URL: (await sharedRedis()).url,
      PARLEY_REDIS_PREFIX: freshPrefix(),
      PARLEY_RATE_SCALE: '100000',
    };
    here = await startApp(settings);
    there = await startNode({ settings, where: here.where });
  });
  after(async () => {
    there.process.kill('SIGKILL');
    await here.close();
  });

  it('matches a plain model, once per message, even if a node is killed and clocks are set', async () => {
    const random = lawRandom();
    const people = await Promise.all(Array.from({ length: 4 }, () => here.person()));
    const place = await openNotifiedPlace(people);
    const devices = await openDevices(people, place, [there.url, here.url]);
    const rounds = atLength(12, 60);
    const counted = { notified: 0, closed: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const [i, person] of people.entries())
        await chooseSome(random, person, devices[i]!, { place, people });
      const said = await talk(random, people, place, () => {
        if (round === Math.floor(rounds / 2)) there.process.kill('SIGKILL');
      });
      await readSome(random, people, place);
      if (there.process.killed)
        for (const [i, device] of devices.entries())
          if (device.person.url === there.url)
            device.comeBack(await connectAs(here.url, people[i]!.cookie));
      const unread = await settle(here, devices);
      for (const [i, device] of devices.entries()) {
        const before = device.notified.length;
        await device.pass();
        const isRead = ({ timelineId, position }: NotifiedMessage) =>
          position <= (unread[i]![timelineId]?.read ?? Infinity);
        const expected = said
          .filter((message) => !isRead(message) && message.timelineId !== device.lookedAt)
          .filter((message) => modelled(device, message, place, people[0]!) === 'notification');
        const newest = allIn(place).flatMap((id) =>
          expected.filter(({ timelineId }) => timelineId === id).slice(-3),
        );
        expect(device.notified.slice(before).sort(), `${round} ${i}`).to.deep.equal(
          newest.map(({ id }) => id).sort(),
        );
        expect(device.open.filter(isRead), 'read, and still there').to.deep.equal([]);
        counted.notified += newest.length;
        counted.closed = counted.notified - device.open.length;
      }
    }
    for (const { notified } of devices)
      expect(new Set(notified).size, 'each once').to.equal(notified.length);
    expect(counted.notified, 'somebody is told').to.be.above(10);
    expect(counted.closed, 'something is taken away').to.be.above(0);
  });

  describe('a person with the level “all”', () => {
    let ann: Person;
    let device: NotifyingDevice;
    let timelineId: string;
    beforeEach(async () => {
      const people = [await here.person(), await here.person()];
      ann = people[0]!;
      const place = await openNotifiedPlace(people);
      timelineId = place.channelIds[0]!;
      device = new NotifyingDevice(await connectAs(here.url, people[1]!.cookie), place);
      await choose(device, { targetId: device.person.id, level: 'all' });
    });

    const say = async (body: string) =>
      (await ann.send('message:send', { timelineId, body })).message;

    const sayAll = async (...bodies: string[]) => {
      const ids: string[] = [];
      for (const body of bodies) ids.push((await say(body)).id);
      return ids;
    };

    it('is notified once, though an edit mentions them afterwards', async () => {
      const { id } = await say('x');
      await settle(here, [device]);
      await device.pass();
      expect(device.notified).to.deep.equal([id]);
      await ann.send('message:edit', { messageId: id, body: mentionOf(device.person.id) });
      const other = await say('y');
      await settle(here, [device]);
      await device.pass();
      expect(device.notified).to.deep.equal([id, other.id]);
    });

    it('is not notified in a channel that they have hidden', async () => {
      await choose(device, { targetId: timelineId, hidden: true });
      await sayAll('x', mentionOf(device.person.id));
      await settle(here, [device]);
      await device.pass();
      expect(device.notified).to.deep.equal([]);
      await choose(device, { targetId: timelineId, hidden: false });
      const { id } = await say('y');
      await settle(here, [device]);
      await device.pass();
      expect(device.notified).to.deep.equal([id]);
    });

    it('is notified once of each message, in order, if the browser shows it after a few failures', async () => {
      const [, second, third, fourth] = await sayAll('u', 'x', 'y', 'z');
      await settle(here, [device]);
      device.refuses = 1;
      await device.pass();
      expect(device.notified).to.deep.equal([]);
      await device.pass();
      // The first one was too old: there are at most three at a time.
      expect(device.notified).to.deep.equal([second, third, fourth]);
      device.refuses = Infinity;
      await say('never shown');
      await settle(here, [device]);
      for (let i = 0; i < 9; i += 1) await device.pass();
      device.refuses = 0;
      await device.pass();
      const last = await say('shown');
      await settle(here, [device]);
      await device.pass();
      expect(device.notified.slice(3)).to.deep.equal([last.id]);
    });

    it('is not notified of a message that they read during the check', async () => {
      const [first, second] = [await say('x'), await say('y')];
      await settle(here, [device]);
      device.answering = (async () => {
        const { position } = first;
        await device.person.send('read:update', { timelineId, position });
        await settle(here, [device]);
      })();
      await device.pass();
      expect(device.notified).to.deep.equal([second.id]);
    });
  });
});

/** Waits until each device has the current badges. Returns them, for each device. */
async function settle(here: TestApp, devices: NotifyingDevice[]) {
  return Promise.all(
    devices.map(async ({ badges }) => {
      let truth = badges.person.ready.timelines;
      await until(async () => {
        // Delayed `activity` is sent now.
        here.pass(1_000);
        const fresh = await connectAs(here.url, badges.person.cookie);
        fresh.close();
        truth = fresh.ready.timelines;
        return isDeepStrictEqual(unreadOf(Object.entries(truth)), unreadOf(badges.known));
      });
      await turn();
      return truth;
    }),
  );
}

const unreadOf = (badges: Iterable<[string, Badge]>): Record<string, object> =>
  Object.fromEntries(
    [...badges]
      .filter(([, { last, read }]) => last > read)
      .map(([id, { last, read, mentions }]): [string, object] => [
        id,
        { last, read, mentions: mentions.toSorted((a, b) => a - b) },
      ])
      .sort(),
  );

/** Changes some settings of a person at random, and waits until the device has received them. */
async function chooseSome(
  random: Random,
  person: Person,
  device: NotifyingDevice,
  { place, people }: { place: Place; people: Person[] },
) {
  device.lookedAt = random.chance(0.2) ? random.pick(allIn(place)) : undefined;
  device.now = new Date(random.pick(moments) + random.int(-26 * 60, 26 * 60) * 60_000);
  if (random.chance(0.6)) {
    const status = random.pick(['online', 'online', 'online', 'dnd'] as const);
    await person.send('presence:set', { status });
    await until(() => device.status === status);
  }
  if (random.chance(0.3)) {
    const others = people.filter((one) => one !== person);
    await choose(device, { targetId: random.pick(others).id, exempt: random.chance(0.3) });
  }
  if (random.chance(0.5)) {
    const hours = random.chance(0.8) ? quietHours(random, device.now) : null;
    await choose(device, { targetId: person.id, quietHours: hours });
  }
  for (let i = random.int(0, 2); i > 0; i -= 1) {
    const targetId = random.pick([person.id, place.serverId, ...allIn(place)]);
    const isAll = targetId === person.id;
    await choose(device, {
      targetId,
      level: random.pick(['all', 'mentions', 'nothing', null]),
      muted: random.chance(0.3) ? random.pick([{}, { until: near(random, device.now) }]) : null,
      exempt: random.chance(0.1),
      ...(place.channelIds.includes(targetId) && { hidden: random.chance(0.4) }),
      ...(isAll && { keywords: random.pick([['tea'], null]) }),
    });
  }
}

/** Moments at which the clocks change in one of the zones, or a year begins. */
const moments = [
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-11-01T06:00Z',
  '2027-01-01T00:00Z',
].map((at) => Date.parse(at));
const timeZones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati'];

const near = (random: Random, now: Date) =>
  new Date(now.getTime() + random.int(-90, 90) * 60_000).toISOString();

/** Returns quiet hours that often include `now`, ignoring the day of the week. */
function quietHours(random: Random, now: Date): QuietHours {
  const timeZone = random.pick(timeZones);
  const [hour = 0, minute = 0] = now
    .toLocaleTimeString('sv-SE', { timeZone })
    .split(':')
    .map(Number);
  const from = (hour * 60 + minute + random.int(-600, 120) + 1_440) % 1_440;
  const days = everyDay.filter(() => random.chance(0.7));
  return {
    from,
    to: (from + random.int(60, 1_380)) % 1_440,
    timeZone,
    ...(days.length > 0 && { days }),
  };
}
