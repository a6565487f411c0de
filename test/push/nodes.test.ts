import { once } from 'node:events';
import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { claim, restPlace } from '../../server/push/claim-store.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { isBlocked, withTableLock } from '../support/table-lock.ts';
import { startNode } from '../support/node.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import type { PushDevice } from '../support/push-device.ts';
import { hurryPushes } from '../support/push-queue.ts';
import { openPushService, type FakePushService } from '../support/push-service.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';

describe('push messages that are due', () => {
  let service: FakePushService;
  let stuck: FakePushService;
  let app: TestApp;
  let settings: Record<string, string>;
  let ann: Person;
  let ben: Person;
  let phone: PushDevice;
  let place: Awaited<ReturnType<typeof openPlace>>;

  beforeEach(async () => {
    [service, stuck] = await Promise.all([openPushService(), openPushService()]);
    stuck.hang();
    settings = {
      REDIS_URL: (await sharedRedis()).url,
      PARLEY_REDIS_PREFIX: freshPrefix(),
      PARLEY_LOBBY: 'off',
      PARLEY_PUSH_SERVICES: `${service.origin},${stuck.origin}`,
    };
    app = await startApp(settings);
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
    phone = await subscribed(ben, service.device());
  });
  afterEach(async () => {
    await app.close();
    await Promise.all([service.close(), stuck.close()]);
    expect([...service.complaints, ...stuck.complaints]).to.deep.equal([]);
  });

  const subscribed = async (person: Person, device: PushDevice) => {
    await person.send('push:subscribe', { ...device, hidesText: false });
    await person.send('presence:update', { active: false });
    return device;
  };
  const say = async (text: string, ...people: Person[]) => sayIn(place.channelId, text, ...people);
  const sayIn = async (timelineId: string, text: string, ...people: Person[]) => {
    const body = [...people.map(({ id }) => mentionOf(id)), text].join(' ');
    return (await ann.send('message:send', { timelineId, body })).message;
  };
  /** The messages that pushes to the phone brought or counted. */
  const brought = () =>
    service
      .sentTo(phone)
      .flatMap(({ timelineId, position, others }) =>
        [position, ...others].map((one) => `${timelineId} ${one}`),
      );
  const newChannels = (many: number) =>
    Promise.all(
      Array.from({ length: many }, async (_, i) => {
        const { serverId } = place;
        return (await ann.send('channel:create', { serverId, name: `channel-${i}` })).channel.id;
      }),
    );
  const join = (person: Person) => person.send('server:join', { code: place.code });
  const remove = ({ id: userId }: Person) =>
    ann.send('member:remove', { serverId: place.serverId, userId });
  const count = async (of: string) => {
    const [row] = await query<{ count: number }>(app.db, `select count(*) as count ${of}`);
    return row?.count ?? 0;
  };
  const isSettled = async () =>
    (await count('from push_queue')) + (await count('from pushes')) === 0;
  /** Advances the held clock of the node until `holds` is true. */
  const passing = (holds: () => boolean | Promise<boolean>) =>
    until(() => {
      app.pass(1_000);
      return holds();
    });
  /** Also takes pushes from a node that has ended, or is sending them. */
  const hurry = async () => {
    await query(app.db, 'update push_paces set free_at = now(), leased_until = now()');
    await query(app.db, 'update pushes set due_at = now()');
  };

  it('are sent by the other node when one is killed with them under way, each once', async () => {
    app.hold();
    const other = await startNode({ settings, where: app.where });
    service.hang();
    const timelines = await newChannels(3);
    for (const timelineId of timelines) await sayIn(timelineId, 'one', ben);
    await until(() => service.requestsTo(phone) === 3);
    await sayIn(timelines[0]!, 'two', ben);
    await say('three', ben);
    other.process.kill('SIGKILL');
    await once(other.process, 'exit');
    expect(service.sentTo(phone)).to.deep.equal([]);
    service.answer(201);
    await hurry();
    await passing(async () => {
      await hurryPushes(app.db);
      return isSettled();
    });
    const [first, ...rest] = timelines;
    expect(brought()).to.have.members([
      ...[`${first} 1`, `${first} 2`, `${place.channelId} 1`],
      ...rest.map((timelineId) => `${timelineId} 1`),
    ]);
  });

  it('are sent once, however many nodes look for them', async () => {
    const others = await Promise.all([1, 2].map(() => startApp(settings, app.where)));
    const timelines = await newChannels(8);
    for (const text of ['one', 'two', 'three'])
      await Promise.all(timelines.map((timelineId) => sayIn(timelineId, text, ben)));
    await until(async () => {
      await hurryPushes(app.db);
      return isSettled();
    });
    await Promise.all(others.map((other) => other.close()));
    expect(brought()).to.have.members(timelines.flatMap((id) => [`${id} 1`, `${id} 2`, `${id} 3`]));
  });

  it('are claimed by one of two nodes that look at the same moment', async () => {
    app.hold();
    await say('one', ben);
    const { id } = await say('two', ben);
    await passing(async () => (await count('from pushes')) === 2);
    await query(app.db, `update pushes set due_at = now() + interval '1 hour'`);
    const makeDue = (condition: string, db = app.db) =>
      query(db, `update pushes set due_at = now() where message_id ${condition} $1`, [id]);
    const { first, second } = await transaction(app.db, async (db) => {
      await makeDue('<>', db);
      const first = await claim(db, 16, 60_000);
      // The other node finds a message that has become due meanwhile.
      await makeDue('=');
      const second = claim(app.db, 16, 60_000);
      await until(() => isBlocked(app.db));
      return { first, second };
    });
    expect(first.map(({ messageIds }) => messageIds.length)).to.deep.equal([1]);
    expect(await second).to.deep.equal([]);
  });

  it('keep the claim of a node when one whose claim has expired is done', async () => {
    app.hold();
    await say('one', ben);
    await passing(async () => (await count('from pushes')) === 1);
    const claimed = await transaction(app.db, async (db) => {
      await query(db, 'update pushes set due_at = now()');
      const [slow] = await claim(db, 16, 0);
      await query(db, 'update pushes set due_at = now()');
      const [other] = await claim(db, 16, 60_000);
      await restPlace(db, slow!, 0);
      expect(await claim(db, 16, 60_000)).to.deep.equal([]);
      await restPlace(db, other!, 0);
      return claim(db, 16, 60_000);
    });
    expect(claimed.map(({ messageIds }) => messageIds.length)).to.deep.equal([1]);
  });

  it('can be claimed again although one of them is locked, such as by a sign-out', async () => {
    app.hold();
    await say('one', ben);
    await passing(async () => (await count('from pushes')) === 1);
    const [claimed] = await transaction(app.db, async (db) => {
      await query(db, 'update pushes set due_at = now()');
      return claim(db, 16, 60_000);
    });
    await transaction(app.db, async (db) => {
      await query(db, 'select from pushes for update');
      await restPlace(app.db, claimed!, 0);
    });
    expect(await count('from push_paces where leased_until > now()')).to.equal(0);
  });

  it('are not sent to members who leave or are removed before they are sent or tried again', async () => {
    const people = [ben, ...(await Promise.all([1, 2, 3, 4].map((n) => app.person(`P${n}`))))];
    await Promise.all(people.slice(1).map(join));
    const devices = await Promise.all(people.map((one) => subscribed(one, service.device())));
    service.answer(503, { 'retry-after': '120' });
    app.hold();
    await say('all', ...people);
    const [removed, left, tried, ...stay] = people as [Person, Person, Person, ...Person[]];
    await remove(removed);
    await left.send('server:leave', { serverId: place.serverId });
    const isPostponed = `from pushes where due_at > now() + interval '61 seconds'`;
    await passing(async () => (await count(isPostponed)) === 1 + stay.length);
    await remove(tried);
    service.answer(201);
    await hurry();
    await passing(isSettled);
    expect(devices.map((device) => service.requestsTo(device))).to.deep.equal([0, 0, 1, 2, 2]);
  });

  it('are not sent to a member removed while a node is about to send them', async () => {
    app.hold();
    await say('about to', ben);
    await passing(async () => (await count('from pushes')) === 1);
    await withTableLock(app.where, 'reads', 'access exclusive', async (blocked) => {
      await hurry();
      app.pass(1_000);
      await blocked();
      await remove(ben);
    });
    await passing(isSettled);
    expect(service.requestsTo(phone)).to.equal(0);
  });

  it('don’t wait for a push service that hangs, which is tried again later', async () => {
    const cleo = await app.person('Cleo');
    await join(cleo);
    const tablet = await subscribed(cleo, stuck.device());
    await say('both', cleo, ben);
    await until(() => stuck.requestsTo(tablet) === 1);
    await service.expectSent(phone, '@Cleo @Ben both');
    // The service has ten seconds to answer. The first retry waits for five, the second for thirty.
    const isPostponed = () =>
      count(`from pushes where attempts = ${stuck.requestsTo(tablet)}
        and due_at between now() and now() + interval '31 seconds'`);
    await until(async () => (await isPostponed()) === 1);
    stuck.answer(201);
    await hurry();
    await stuck.expectSent(tablet, '@Cleo @Ben both');
    await until(isSettled);
  });
});
