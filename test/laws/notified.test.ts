/**
 * Each person is notified exactly once of each message that a plain model selects, and notifications of read messages
 * are closed: for any messages, reads, choices and clocks, on two nodes of which one is killed.
 */
import type { ChildProcess } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { Notifier, type NotifiedMessage } from '../../client/notifications/notifier.ts';
import { mentionOf } from '../../shared/mentions.ts';
import type { Message } from '../../shared/messages.ts';
import { canNotify, decideNotification, everyDay } from '../../shared/notification-rules.ts';
import type { NotificationSetting, QuietHours } from '../../shared/notifications.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Badge } from '../../shared/reads.ts';
import type { ChosenStatus } from '../../shared/presence.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { BadgeDevice } from '../support/badge-device.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import { startNode } from '../support/node.ts';
import { isQuietAt, modelOf } from '../support/notification-model.ts';
import { connectAs, type Person } from '../support/person.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { until } from '../support/time.ts';

/** A device that shows notifications, with a record of all that it showed. */
class NotifyingDevice {
  readonly settings = new Map<string, NotificationSetting>();
  status: ChosenStatus = 'online';
  readonly notified: string[] = [];
  open: (NotifiedMessage & { id: string })[] = [];
  lookedAt: string | undefined;
  now = new Date();
  /** Answers of `message:list` are withheld until this resolves. */
  answering: Promise<unknown> = Promise.resolve();
  /** How many notifications the browser will refuse to show. */
  refuses = 0;
  readonly badges: BadgeDevice;
  readonly #place: Place;
  readonly #notifier: Notifier;
  #due: (() => void)[] = [];
  #pending: Promise<unknown>[] = [];

  constructor(person: Person, place: Place) {
    this.#place = place;
    this.#notifier = new Notifier({
      list: (timelineId, after, limit) => this.#list(timelineId, after, limit),
      badge: (id) => this.badges.known.get(id),
      canNotify: (timelineId, isMentioned) =>
        canNotify(this.#me, this.#targetOf(timelineId), { isMentioned }, this.now),
      notifies: (message, isMentioned) => {
        const target = { ...message, ...this.#targetOf(message.timelineId) };
        return decideNotification(this.#me, target, { isMentioned }, this.now) === 'notification';
      },
      isNotifying: (timelineId) => Promise.resolve(this.lookedAt !== timelineId),
      show: ({ id, timelineId, position }) => {
        if (this.refuses > 0) {
          this.refuses -= 1;
          return Promise.reject(new Error('not shown'));
        }
        this.notified.push(id);
        this.open.push({ id, timelineId, position });
        return Promise.resolve();
      },
      closeRead: (isRead) => void (this.open = this.open.filter((notified) => !isRead(notified))),
      after: (_ms, callback) => void this.#due.push(callback),
    });
    this.badges = new BadgeDevice(person, () => {
      // The first badges arrive before `badges` is assigned.
      queueMicrotask(() => {
        this.#notifier.look(this.badges.known);
      });
    });
    this.#listen(person);
  }

  get person(): Person {
    return this.badges.person;
  }

  comeBack(person: Person): void {
    this.badges.begin(person);
    this.#listen(person);
  }

  #listen({ ready, socket }: Person): void {
    const { state } = ready as unknown as {
      state: { notificationSettings: NotificationSetting[] };
    };
    this.settings.clear();
    for (const one of state.notificationSettings) this.settings.set(one.targetId, one);
    this.status = ready.seenAs;
    socket.on('seenAs', ({ status }) => void (this.status = status));
    socket.on('changes', ({ changes }) => {
      for (const change of changes) {
        if (change.type === 'notificationSetting:updated')
          this.settings.set(change.setting.targetId, change.setting);
        if (change.type === 'notificationSetting:deleted') this.settings.delete(change.targetId);
      }
    });
  }

  get #me() {
    return { userId: this.person.id, settings: this.settings, status: this.status };
  }

  #targetOf(timelineId: string) {
    const isChannel = this.#place.channelIds.includes(timelineId);
    return { timelineId, serverId: isChannel ? this.#place.serverId : undefined };
  }

  #list(timelineId: string, after: number, limit: number): Promise<Message[]> {
    const asked = this.person.send('message:list', { timelineId, after, limit });
    const answered = asked.then(async ({ messages }) => {
      await this.answering;
      return messages;
    });
    this.#pending.push(answered);
    return answered;
  }

  /** Ends the time that people are given to read, and waits for the notifications that follow. */
  async pass(): Promise<void> {
    for (const due of this.#due.splice(0)) due();
    // The check whether this tab notifies comes first, and is asynchronous.
    await turn();
    await Promise.all(this.#pending.splice(0));
    await turn();
  }
}

interface Place {
  serverId: string;
  channelIds: string[];
  conversationIds: string[];
}

const all = ({ channelIds, conversationIds }: Place) => [...channelIds, ...conversationIds];

async function openPlace([owner, ...others]: Person[]): Promise<Place> {
  const { server } = await owner!.send('server:create', { name: 'Noticed' });
  const serverId = server.id;
  const { invite } = await owner!.send('invite:create', { serverId });
  for (const other of others) await other.send('server:join', { code: invite.code });
  const { channel } = await owner!.send('channel:create', { serverId, name: 'more' });
  const userIds = others.map(({ id }) => id);
  const { conversation } = await owner!.send('conversation:create', { userIds });
  return {
    serverId,
    channelIds: [server.defaultChannelId, channel.id],
    conversationIds: [conversation.id],
  };
}

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
    const place = await openPlace(people);
    const devices = await Promise.all(
      people.map(async (person, i) => {
        const url = i % 2 === 0 ? there.url : here.url;
        return new NotifyingDevice(await connectAs(url, person.cookie), place);
      }),
    );
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
        const newest = all(place).flatMap((id) =>
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
      const place = await openPlace(people);
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

/** Changes some settings of a person at random, and waits until the device has received them. */
async function chooseSome(
  random: Random,
  person: Person,
  device: NotifyingDevice,
  { place, people }: { place: Place; people: Person[] },
) {
  device.lookedAt = random.chance(0.2) ? random.pick(all(place)) : undefined;
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
    const targetId = random.pick([person.id, place.serverId, ...all(place)]);
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

async function choose(device: NotifyingDevice, chosen: Input<'notification:set'>) {
  const { setting } = await device.person.send('notification:set', chosen);
  await until(() => device.settings.get(chosen.targetId)?.version === setting?.version);
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

async function talk(
  random: Random,
  people: Person[],
  place: Place,
  halfway: () => void,
): Promise<Message[]> {
  const said: Message[] = [];
  const count = random.int(2, 10);
  for (let i = 0; i < count; i += 1) {
    if (i === Math.floor(count / 2)) halfway();
    const author = random.pick(people);
    const body = random.pick([
      'x',
      'Tea?',
      mentionOf(random.pick(people).id),
      ...(author === people[0] ? ['@everyone'] : []),
    ]);
    const timelineId = random.pick(all(place));
    said.push((await author.send('message:send', { timelineId, body })).message);
  }
  return said;
}

async function readSome(random: Random, people: Person[], place: Place): Promise<void> {
  for (const person of people) {
    if (random.chance(0.5)) continue;
    const timelineId = random.pick(all(place));
    const { messages } = await person.send('message:list', { timelineId, limit: 10 });
    if (messages.length === 0) continue;
    const { position } = random.pick(messages);
    await person.send('read:update', { timelineId, position });
  }
}

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

function modelled(
  { person, settings, status, now }: NotifyingDevice,
  message: Message,
  place: Place,
  owner: Person,
) {
  const { id } = person;
  const all = settings.get(id);
  const isInServer = place.channelIds.includes(message.timelineId);
  const server = isInServer ? settings.get(place.serverId) : 'in no server';
  const timeline = settings.get(message.timelineId);
  const places: (Partial<NotificationSetting> | undefined)[] = [
    ...[all, timeline],
    ...(server === 'in no server' ? [] : [server]),
  ];
  const { body, authorId } = message;
  return modelOf(
    {
      isMine: authorId === id,
      isMentioned: body === mentionOf(id) || (body === '@everyone' && authorId === owner.id),
      hasKeyword: all?.keywords !== undefined && body === 'Tea?',
    },
    {
      ...{ all, server, timeline, author: settings.get(authorId) },
      isMuted: places.some(({ muted, hidden } = {}) => hidden ?? (muted && isMutedAt(muted, now))),
      isQuiet:
        status === 'dnd' || (all?.quietHours !== undefined && isQuietAt(all.quietHours, now)),
    },
  );
}

const isMutedAt = ({ until }: { until?: string | undefined }, now: Date) =>
  until === undefined || new Date(until) > now;
