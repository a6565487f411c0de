import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { claim } from '../../server/push/claim-store.ts';
import {
  deleteSurplusPushes,
  insertQueued,
  postponeAll,
  spread,
} from '../../server/push/queue-store.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { fillTimelines } from '../support/full.ts';
import { openPushScene, type PushScene } from '../support/push-scene.ts';
import { until } from '../support/time.ts';

describe('queued push messages', () => {
  let scene: PushScene;
  let { app, service, subscribed, hurry, settled, allJudged, isQueueEmpty, holdPace } =
    {} as PushScene;
  let { ann, ben, place, phone, say, forBen } = {} as Awaited<ReturnType<PushScene['begin']>>;

  before(async () => {
    scene = await openPushScene();
    ({ app, service, subscribed, hurry, settled, allJudged, isQueueEmpty, holdPace } = scene);
  });
  after(() => scene.close());
  beforeEach(async () => void ({ ann, ben, place, phone, say, forBen } = await scene.begin()));
  afterEach(() => {
    expect(service.complaints).to.deep.equal([]);
  });

  const isTried = (times: number) =>
    until(async () => {
      const tried = `select from pushes where attempts = $1 and due_at > now()
        and not exists (select from push_paces where leased_until > now())`;
      return (await query(app.db, tried, [times])).length === 1;
    });

  it('wait while a device is in use, and come when it no longer is', async () => {
    await ben.send('presence:update', { active: true });
    await say(forBen('later'));
    await until(async () => {
      const [row] = await query<{ due: boolean }>(
        app.db,
        `select due_at > now() + interval '5 seconds' as due from pushes`,
      );
      return row?.due === true;
    });
    expect(service.sentTo(phone)).to.deep.equal([]);
    await ben.send('presence:update', { active: false });
    await hurry();
    await service.expectSent(phone, '@Ben later');
  });

  it('are deleted once the message is read, also while a device is in use', async () => {
    await ben.send('presence:update', { active: true });
    const { position } = await say(forBen('seen'));
    await until(async () => (await query(app.db, 'select from pushes')).length === 1);
    await ben.send('read:update', { timelineId: place.channelId, position });
    await until(async () => {
      await hurry();
      return (await query(app.db, 'select from pushes')).length === 0;
    });
    expect(service.requestsTo(phone)).to.equal(0);
  });

  it('are postponed together while a device is in use, so that they delay nobody else', async () => {
    const { serverId } = place;
    const timelineIds = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, i) =>
          (await ann.send('channel:create', { serverId, name: `full-${i}` })).channel.id,
      ),
    );
    await fillTimelines(app, timelineIds, { authorId: ann.id, body: 'Hello', many: 50 });
    // In one transaction, so that the node itself sees none of them.
    const postponed = await transaction(app.db, async (db) => {
      await query(
        db,
        `insert into pushes (session_id, message_id, queued_at, due_at, judged)
         select session_id, messages.id, now(), now(), true
         from push_subscriptions, messages where user_id = $1 and timeline_id = any($2::uuid[])`,
        [ben.id, timelineIds],
      );
      const claimed = await claim(db, 2, 60_000);
      expect(claimed).to.have.lengthOf.within(1, 2);
      await postponeAll(db, claimed, 10_000);
      const rows = await query(
        db,
        `select from pushes
         where attempts = 0 and due_at between now() + interval '5 seconds' and now() + interval '15 seconds'`,
      );
      await query(db, 'delete from pushes');
      await query(db, 'delete from push_paces');
      return rows.length;
    });
    expect(postponed).to.equal(timelineIds.length * 50);
  });

  it('wait for a mention while a device is in use, however much else is said', async () => {
    await ben.send('notification:set', { targetId: ben.id, keywords: ['oolong'] });
    await ben.send('presence:update', { active: true });
    await say(forBen('kept'));
    await until(async () => (await query(app.db, 'select from pushes where judged')).length === 1);
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ann.send('channel:create', { serverId: place.serverId, name: `other-${i}` }),
      ),
    );
    await Promise.all(
      others.flatMap(({ channel }) => ['one', 'two', 'three'].map((text) => say(text, channel.id))),
    );
    await allJudged();
    // Each new push drops the surplus of its device.
    await say('four', others[0]!.channel.id);
    await allJudged();
    await ben.send('presence:update', { active: false });
    await hurry();
    await service.expectSent(phone, '@Ben kept');
  });

  it('go to every device once before any gets a second', async () => {
    const cleo = await app.person('Cleo');
    await cleo.send('server:join', { code: place.code });
    await subscribed(cleo);
    await cleo.send('presence:update', { active: false });
    const { serverId } = place;
    const many = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const { channel } = await ann.send('channel:create', { serverId, name });
        return say(forBen('hello'), channel.id);
      }),
    );
    const later = await say(`${mentionOf(cleo.id)} hello`);
    await settled();
    // In one transaction, so that the node itself sees none of them.
    const claimed = await transaction(app.db, async (db) => {
      await query(db, 'delete from push_paces');
      for (const messages of [many, [later]]) {
        await insertQueued(
          db,
          messages.map(({ id }) => id),
        );
        await spread(db, { limit: 10, graceMs: 0, perTimeline: 3 });
      }
      const claimed = await claim(db, 2, 60_000);
      await query(db, 'delete from pushes');
      return claimed;
    });
    expect(claimed.map(({ userId }) => userId)).to.have.members([ben.id, cleo.id]);
  });

  it('take the first turn when all earlier messages of their round are dropped', async () => {
    const messages = [
      await say(forBen('one')),
      await say(forBen('two')),
      await say(forBen('three')),
    ];
    await settled();
    const turns = await transaction(app.db, async (db) => {
      await insertQueued(
        db,
        messages.map(({ id }) => id),
      );
      await spread(db, { limit: 10, graceMs: 0, perTimeline: 1 });
      const turns = await query<{ turn: number }>(db, 'select turn from pushes');
      await query(db, 'delete from pushes');
      return turns;
    });
    expect(turns).to.deep.equal([{ turn: 0 }]);
  });

  it('are tried again after growing waits, a limited number of times, and not before the service says', async () => {
    service.answer(503, { 'retry-after': '120' });
    await say(forBen('again'));
    for (let tries = 1; tries <= 4; tries += 1) {
      await until(() => service.requestsTo(phone) === tries);
      await until(async () => {
        const [row] = await query<{ seconds: number }>(
          app.db,
          `select extract(epoch from due_at - now())::int as seconds from pushes
           where due_at > now() + interval '61 seconds'`,
        );
        return row !== undefined && row.seconds > 61;
      });
      await hurry();
    }
    service.answer(201);
    await service.expectSent(phone, '@Ben again');
    await settled();
    service.answer(500, { 'retry-after': '60' });
    const lost = await subscribed(ben);
    await say(forBen('never'));
    for (let times = 1; times <= 4; times += 1) {
      await isTried(times);
      await hurry();
    }
    // The place rests only as long as the service says, although the fifth wait is ten minutes.
    const rests = `select from push_paces
      where timeline_id = $1 and free_at between now() and now() + interval '60 seconds'`;
    await until(async () => (await query(app.db, rests, [place.channelId])).length === 1);
    expect(service.requestsTo(lost)).to.equal(5);
    await settled();
    expect((await ben.send('push:list', {})).sessionIds).to.have.lengthOf(1);
  });

  it('are sent at once to a new address of a device whose former one is to be tried later', async () => {
    service.answer(429, { 'retry-after': '1000' });
    await say(forBen('late'));
    const isPostponed = async () => {
      const rests = `select from push_paces where timeline_id = $1 and free_at > now() + interval '900 seconds'`;
      return (await query(app.db, rests, [place.channelId])).length === 1;
    };
    await until(isPostponed);
    await ben.send('push:subscribe', { ...phone, hidesText: true });
    expect(await isPostponed()).to.equal(true);
    service.answer(201);
    const moved = await subscribed(ben);
    await service.expectSent(moved, '@Ben late');
    await say(forBen('soon'));
    await settled();
    await service.expectSent(moved, '@Ben late', '@Ben soon');
  });

  it('come from one place at most every ten seconds, and from others meanwhile', async () => {
    const [began] = await query<{ at: Date }>(app.db, 'select now() as at');
    await say(forBen('first'));
    await service.expectSent(phone, '@Ben first');
    await until(async () => (await query(app.db, 'select from pushes')).length === 0);
    const paced = `select from push_paces where timeline_id = $1
      and free_at between $2::timestamptz + interval '10 seconds' and now() + interval '10 seconds'`;
    await until(
      async () => (await query(app.db, paced, [place.channelId, began!.at])).length === 1,
    );
    await holdPace(place.channelId);
    const { channel } = await ann.send('channel:create', {
      serverId: place.serverId,
      name: 'elsewhere',
    });
    for (const text of ['second', 'third']) await say(forBen(text));
    await say(forBen('other'), channel.id);
    await service.expectSent(phone, '@Ben first', '@Ben other');
    const waiting = `select from pushes join push_paces using (session_id)
      where timeline_id = $1 and due_at = free_at`;
    expect(await query(app.db, waiting, [place.channelId])).to.have.lengthOf(2);
    await settled();
    await service.expectSent(phone, '@Ben first', '@Ben other', '@Ben third');
    expect(service.sentTo(phone).at(-1)?.others).to.deep.equal([2]);
  });

  it('bring a mention that waits for the pace of its place, however much else is said there', async () => {
    await ben.send('notification:set', { targetId: ben.id, keywords: ['oolong'] });
    await say(forBen('first'));
    await service.expectSent(phone, '@Ben first');
    await until(async () => (await query(app.db, 'select from pushes')).length === 0);
    await holdPace(place.channelId);
    await say(forBen('kept'));
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => say('noise')));
      await until(isQueueEmpty);
    }
    await settled();
    await service.expectSent(phone, '@Ben first', '@Ben kept');
  });

  it('have attempts of their own, when they join earlier ones that are tried again', async () => {
    service.answer(503, { 'retry-after': '60' });
    await say(forBen('old'));
    for (let times = 1; times <= 4; times += 1) {
      await isTried(times);
      if (times < 4) await hurry();
    }
    await say(forBen('new'));
    await until(async () => (await query(app.db, 'select from pushes')).length === 2);
    await query(app.db, 'update pushes set due_at = now()');
    await hurry();
    await until(async () => (await query(app.db, 'select from pushes')).length === 1);
    await isTried(1);
    service.answer(201);
    await settled();
    await service.expectSent(phone, '@Ben new');
    expect(service.sentTo(phone)[0]?.others).to.deep.equal([]);
  });

  it('do not push out those from other timelines, however many are due in one', async () => {
    const { serverId } = place;
    const [loud, quiet] = await Promise.all(
      ['loud', 'quiet'].map(
        async (name) => (await ann.send('channel:create', { serverId, name })).channel.id,
      ),
    );
    const fill = (timelineId: string, many: number) =>
      fillTimelines(app, [timelineId], { authorId: ann.id, body: 'Hello', many });
    await fill(quiet!, 2);
    await fill(loud!, 60);
    const left = await transaction(app.db, async (db) => {
      const [device] = await query<{ id: string }>(
        db,
        'select session_id as id from push_subscriptions where user_id = $1',
        [ben.id],
      );
      await query(
        db,
        `insert into pushes (session_id, message_id, queued_at, due_at)
         select $1, id, now() + position * interval '1 ms', now()
         from messages where timeline_id = any($2::uuid[])`,
        [device!.id, [loud, quiet]],
      );
      await deleteSurplusPushes(db, [device!.id], 50);
      const left = await query(
        db,
        `select timeline_id as "timelineId", count(*)::int as many from pushes
         join messages on messages.id = message_id group by timeline_id`,
      );
      await query(db, 'delete from pushes');
      return left;
    });
    expect(left).to.have.deep.members([
      { timelineId: loud, many: 48 },
      { timelineId: quiet, many: 2 },
    ]);
  });
});
