import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { insertQueued, spread } from '../../server/push/queue-store.ts';
import { openPushScene, type PushScene } from '../support/push-scene.ts';
import { isBlocked } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

describe('push messages', () => {
  let scene: PushScene;
  let { app, service, subscribed, settled, allJudged, isQueueEmpty, holdPace } = {} as PushScene;
  let { ann, ben, place, phone, say, forBen } = {} as Awaited<ReturnType<PushScene['begin']>>;

  before(async () => {
    scene = await openPushScene();
    ({ app, service, subscribed, settled, allJudged, isQueueEmpty, holdPace } = scene);
  });
  after(() => scene.close());
  beforeEach(async () => void ({ ann, ben, place, phone, say, forBen } = await scene.begin()));
  afterEach(() => {
    expect(service.complaints).to.deep.equal([]);
  });

  /** The positions that pushes to the phone brought or counted. */
  const counted = () =>
    service.sentTo(phone).flatMap(({ position, others }) => [position, ...others]);
  const pair = async () =>
    (await ann.send('conversation:create', { userIds: [ben.id] })).conversation.id;

  it('bring a mention, signed, and encrypted for the device', async () => {
    const message = await say(forBen('**tea**?'));
    await service.expectSent(phone, '@Ben tea?');
    const [sent] = service.sentTo(phone);
    expect(sent).to.deep.equal({
      timelineId: place.channelId,
      position: message.position,
      others: [],
      read: 0,
      path: `/s/${place.serverId}/${place.channelId}/${message.position}`,
      title: 'Ann (#general, Place)',
      body: '@Ben tea?',
      replyAs: ben.id,
    });
    await settled();
    expect(service.requestsTo(phone)).to.equal(1);
  });

  it('follow levels, mutes and keywords, as the page does', async () => {
    await say('not for Ben');
    await settled();
    await ben.send('notification:set', { targetId: place.serverId, level: 'all' });
    await say('all of it');
    await service.expectSent(phone, 'all of it');
    await settled();
    await ben.send('notification:set', { targetId: place.channelId, muted: {} });
    await say(forBen('muted'));
    await settled();
    await ben.send('notification:set', {
      targetId: place.channelId,
      muted: null,
      level: 'mentions',
    });
    await ben.send('notification:set', { targetId: ben.id, keywords: ['oolong'] });
    await say('black');
    await say('Oolong!');
    await settled();
    await service.expectSent(phone, 'all of it', 'Oolong!');
    await ben.send('presence:set', { status: 'dnd' });
    await say(forBen('quiet'));
    await settled();
    await service.expectSent(phone, 'all of it', 'Oolong!');
  });

  it('are not sent for messages that were read or deleted, or are no longer visible', async () => {
    const read = await say(forBen('read'));
    await ben.send('read:update', { timelineId: place.channelId, position: read.position });
    const deleted = await say(forBen('deleted'));
    await ann.send('message:delete', { messageId: deleted.id });
    await settled();
    expect(service.requestsTo(phone)).to.equal(0);
    await say(forBen('out'));
    await ann.send('member:remove', { serverId: place.serverId, userId: ben.id });
    await settled();
    expect(service.requestsTo(phone)).to.equal(0);
  });

  it('are sent to each device but to none that is signed out or turned off', async () => {
    const tablet = await subscribed(await app.person('Cleo'));
    await ben.send('push:unsubscribe', {});
    await say(forBen('off'));
    await settled();
    const again = await subscribed(ben);
    await say(forBen('on'));
    await service.expectSent(again, '@Ben on');
    await say(forBen('out'));
    await ben.send('session:logout', {});
    await settled();
    for (const device of [tablet, phone]) expect(service.requestsTo(device)).to.equal(0);
    expect(service.requestsTo(again)).to.equal(1);
  });

  it('are not due for a device that unsubscribes at the same moment', async () => {
    const { id } = await say(forBen('off'));
    await settled();
    const { due } = await transaction(app.db, async (db) => {
      await query(db, 'delete from push_subscriptions where user_id = $1', [ben.id]);
      // Queues and spreads in one transaction, so that the node itself does not process it.
      const due = transaction(app.db, async (other) => {
        await insertQueued(other, [id]);
        return spread(other, { limit: 1, graceMs: 0, perTimeline: 1 });
      }).catch((error: unknown) => error);
      await until(() => isBlocked(app.db));
      return { due };
    });
    expect(await due).to.deep.equal({ taken: 1, sessionIds: [] });
  });

  it('hide the text on a device that asks for it', async () => {
    await subscribed(ben, false);
    const hiding = await subscribed(ben, true);
    await say(forBen('a secret'));
    await service.expectSent(hiding, 'New message');
    expect(JSON.stringify(service.sentTo(hiding))).not.to.include('secret');
  });

  it('offer a reply only where the person may send messages', async () => {
    await ann.send('channel:update', { channelId: place.channelId, announcements: true });
    await say(forBen('news'));
    const timelineId = await pair();
    await ben.send('conversation:accept', { conversationId: timelineId });
    await say('lunch?', timelineId);
    await settled();
    const offers = service.sentTo(phone).map(({ body, replyAs }) => ({ body, replyAs }));
    expect(offers).to.have.deep.members([
      { body: '@Ben news', replyAs: undefined },
      { body: 'lunch?', replyAs: ben.id },
    ]);
  });

  it('end for a device that its service no longer knows', async () => {
    for (const status of [404, 410]) {
      const device = await subscribed(ben);
      service.answer(status);
      await say(forBen('gone'));
      await settled();
      expect(service.requestsTo(device)).to.equal(1);
      expect((await ben.send('push:list', {})).sessionIds).to.deep.equal([]);
    }
  });

  it('follow no redirect, and are not tried again where they are refused', async () => {
    for (const [status, headers] of [
      [302, { location: `${service.origin}/elsewhere` }],
      [400, {}],
      [413, {}],
    ] as const) {
      const device = await subscribed(ben);
      service.answer(status, headers);
      await say(forBen('redirected'));
      await settled();
      expect(service.requestsTo(device)).to.equal(1);
    }
  });

  it('bring the newest of many messages and count the others, also of conversations', async () => {
    const timelineId = await pair();
    await ben.send('conversation:accept', { conversationId: timelineId });
    await Promise.all(Array.from({ length: 8 }, (_, i) => say(`number ${i}`, timelineId)));
    await settled();
    const sent = service.sentTo(phone);
    expect(sent.length).to.be.at.most(3);
    for (const { position, others } of sent)
      for (const other of others) expect(other).to.be.below(position);
    expect(counted()).to.have.members([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(sent[0]).to.include({ title: 'Ann' });
    expect(sent[0]?.path).to.match(new RegExp(`^/direct/${timelineId}/\\d+$`));
  });

  it('do not count messages that are unwanted, read or deleted', async () => {
    await ben.send('notification:set', { targetId: ben.id, keywords: ['oolong'] });
    await ben.send('presence:update', { active: true });
    const [read, deleted] = [await say(forBen('read')), await say(forBen('deleted'))];
    await say('nothing for Ben');
    const wanted = await say(forBen('wanted'));
    await say(forBen('newest'));
    await ben.send('read:update', { timelineId: place.channelId, position: read.position });
    await ann.send('message:delete', { messageId: deleted.id });
    await allJudged();
    await ben.send('presence:update', { active: false });
    await settled();
    await service.expectSent(phone, '@Ben newest');
    expect(service.sentTo(phone)[0]?.others).to.deep.equal([wanted.position]);
  });

  it('are dropped with the messages of a channel that is deleted', async () => {
    await say(forBen('first'));
    await service.expectSent(phone, '@Ben first');
    await until(async () => (await query(app.db, 'select from pushes')).length === 0);
    await holdPace(place.channelId);
    await say(forBen('gone'));
    await until(isQueueEmpty);
    await query(app.db, 'delete from messages where timeline_id = $1', [place.channelId]);
    await settled();
    expect(service.requestsTo(phone)).to.equal(1);
    await ben.send('presence:update', { active: true });
    const { channel } = await ann.send('channel:create', {
      serverId: place.serverId,
      name: 'short-lived',
    });
    await say(forBen('gone too'), channel.id);
    await until(async () => (await query(app.db, 'select from pushes where judged')).length === 1);
    await query(app.db, 'delete from messages where timeline_id = $1', [channel.id]);
    await settled();
  });

  it('are not sent for a stranger’s message request or a blocked person', async () => {
    const timelineId = await pair();
    await say('a stranger', timelineId);
    await settled();
    await ben.send('conversation:accept', { conversationId: timelineId });
    await ben.send('block:create', { userId: ann.id });
    await say(forBen('blocked'));
    await settled();
    expect(service.requestsTo(phone)).to.equal(0);
  });

  it('are not sent across a block in either direction, also for @everyone', async () => {
    const [cleo, dora] = await Promise.all([app.person('Cleo'), app.person('Dora')]);
    const phones = [phone];
    for (const one of [cleo, dora]) {
      await one.send('server:join', { code: place.code });
      phones.push(await subscribed(one));
      await one.send('presence:update', { active: false });
    }
    await ben.send('block:create', { userId: ann.id });
    await ann.send('block:create', { userId: cleo.id });
    await say('@everyone, tea');
    await settled();
    for (const one of [ben, cleo, dora])
      await one.send('notification:set', { targetId: place.serverId, level: 'all' });
    await say('plain');
    await settled();
    await service.expectSent(phones[2]!, '@everyone, tea', 'plain');
    expect(phones.map((one) => service.requestsTo(one))).to.deep.equal([0, 0, 2]);
  });
});
