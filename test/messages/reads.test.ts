import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { withTableLock } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

describe('reading', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let timelineId: string;

  const write = async (person: Person, count = 1) => {
    for (let i = 0; i < count; i += 1)
      await person.send('message:send', { timelineId, body: `${i}` });
  };
  const badge = async (person: Person) => {
    const { epoch } = person.ready;
    const { timelines } = await person.send('sync', { epoch, rooms: {}, badges: true });
    return timelines?.[timelineId];
  };

  before(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    ann = await app.person('Ann');
    ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Library' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    await write(ann, 2);
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  after(() => app.close());

  it('starts at the end for a new member, and advances when the member sends', async () => {
    expect(await badge(ben)).to.equal(undefined);
    expect(await badge(ann)).to.equal(undefined);
    await write(ann, 3);
    expect(await badge(ben)).to.deep.equal({ last: 5, read: 2, mentions: [], serverId });
    expect((await ben.newTab()).ready.timelines).to.deep.equal({
      [timelineId]: { last: 5, read: 2, mentions: [], serverId },
    });
    expect((await ann.newTab()).ready.timelines).to.deep.equal({});
    await write(ben);
    expect(await badge(ben)).to.equal(undefined);
    expect(await badge(ann)).to.deep.equal({ last: 6, read: 5, mentions: [], serverId });
  });

  it('brings activity in order, even if reading the recipients of the first message is slow', async () => {
    const userIds = [ben.id];
    const { conversation } = await ann.send('conversation:create', { userIds });
    const { audience } = app.node.features.rooms.activity;
    const { conversation: read } = audience;
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let asked = 0;
    audience.conversation = async (...which) => {
      if ((asked += 1) === 1) await held;
      return read(...which);
    };
    try {
      const say = (body: string) => ann.send('message:send', { timelineId: conversation.id, body });
      await say('one');
      await until(() => asked === 1);
      await say('two');
      app.pass(1_000);
      // Long enough for the second notification: its recipients are read within one round trip.
      await ben.send('read:update', { timelineId, position: 1 });
      goOn();
      const received = () =>
        ben
          .received('activity')
          .flatMap(({ timelines }) => timelines[conversation.id] ?? [])
          .map(({ since, last }) => [since, last]);
      await until(() => received().length === 2);
      expect(received()).to.deep.equal([
        [0, 1],
        [1, 2],
      ]);
    } finally {
      audience.conversation = read;
    }
  });

  it('starts at the beginning of a channel created later', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'new' });
    await ann.send('message:send', { timelineId: channel.id, body: 'first' });
    const { timelines } = await ben.newTab().then(({ ready }) => ready);
    expect(timelines).to.deep.equal({ [channel.id]: { last: 1, read: 0, mentions: [], serverId } });
  });

  it('moves forward, never back and never past the end, and is sent to all devices', async () => {
    const tab = await ben.newTab();
    await write(ann, 4);
    const read = (position: number) => ben.send('read:update', { timelineId, position });
    expect(await read(4)).to.deep.equal({ read: { timelineId, position: 4 } });
    await tab.waitFor('read', ({ timelines }) => timelines[timelineId] === 4);
    expect(await read(3)).to.deep.equal({ read: { timelineId, position: 4 } });
    expect(await read(99)).to.deep.equal({ read: { timelineId, position: 6 } });
    await tab.waitFor('read', ({ timelines }) => timelines[timelineId] === 6);
    expect(
      ann.received('read').filter(({ timelines }) => timelines[timelineId] === 4),
    ).to.deep.equal([]);
    expect(await badge(ben)).to.equal(undefined);
  });

  it('can be marked as unread from a message on, for all devices, until the mark is removed', async () => {
    const tab = await ben.newTab();
    await write(ann, 4);
    await ben.send('read:update', { timelineId, position: 6 });
    const mark = (position: number | null) => ben.send('read:mark', { timelineId, position });
    const where = { last: 6, serverId };
    expect(await mark(4)).to.deep.equal({ mark: { position: 4, version: 1, ...where } });
    await tab.waitFor('read', ({ marks }) => marks?.[timelineId]?.position === 4);
    const marked = { last: 6, read: 6, mentions: [], serverId, mark: { position: 4, version: 1 } };
    expect(await badge(ben)).to.deep.equal(marked);
    expect((await ben.newTab()).ready.timelines).to.deep.equal({ [timelineId]: marked });
    await write(ben);
    expect((await badge(ben))?.mark).to.deep.equal({ position: 4, version: 1 });
    expect((await mark(99)).mark).to.deep.equal({ position: 7, version: 2, last: 7, serverId });
    expect((await mark(null)).mark).to.deep.equal({
      position: null,
      version: 3,
      last: 7,
      serverId,
    });
    await tab.waitFor('read', ({ marks }) => marks?.[timelineId]?.position === null);
    expect(await badge(ben)).to.equal(undefined);
    expect(ann.received('read').filter(({ marks }) => marks)).to.deep.equal([]);
  });

  it('cannot be marked as unread without access, and has no mark after rejoining', async () => {
    const eve = await app.person('Eve');
    const mark = { timelineId, position: 1 };
    expect((await eve.expectError('read:mark', mark)).code).to.equal('not_found');
    await ben.send('read:mark', mark);
    await ben.send('server:leave', { serverId });
    expect((await ben.expectError('read:mark', mark)).code).to.equal('not_found');
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    expect(await badge(ben)).to.equal(undefined);
  });

  it('is marked as unread before a removal, or not at all', async () => {
    const received: string[] = [];
    ben.socket.on('read', ({ marks }) => {
      if (marks) received.push('marked');
    });
    ben.socket.on('changes', ({ changes }) => {
      if (changes.some(({ type }) => type === 'server:left' || type === 'server:removed'))
        received.push('out');
    });
    const done = await withTableLock(app.where, 'reads', 'share', async (blocked) => {
      const marked = ben.send('read:mark', { timelineId, position: 1 });
      await blocked();
      const removed = ann.send('member:remove', { serverId, userId: ben.id });
      // The removal can wait for the mark or not.
      await Promise.race([removed, sleep(500)]);
      return { all: Promise.all([marked, removed]) };
    });
    await done.all;
    await until(() => received.includes('out') && received.length > 1);
    expect(received).to.deep.equal(['marked', 'out']);
  });

  it('can be marked as unread in conversations, too, read or not', async () => {
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const { id } = conversation;
    await ann.send('message:send', { timelineId: id, body: 'Here' });
    await ben.send('read:mark', { timelineId: id, position: 1 });
    await ben.send('read:update', { timelineId: id, position: 1 });
    await ben.send('read:mark', { timelineId: id, position: 1 });
    const { timelines } = (await ben.newTab()).ready;
    expect(timelines[id]).to.deep.include({ last: 1, read: 1, mark: { position: 1, version: 1 } });
    expect(timelines[id]).to.not.have.property('serverId');
  });

  it('brings activity of other timelines, but not of open ones and not to people without access', async () => {
    const tab = await ben.newTab();
    await tab.send('channel:join', { channelId: timelineId });
    const eve = await app.person('Eve');
    await write(ann);
    await ben.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 3);
    await tab.waitFor('changes', ({ to }) => to === 3);
    expect(tab.received('activity')).to.deep.equal([]);
    await ann.send('member:remove', { serverId, userId: ben.id });
    const other = await ann.newTab();
    await write(ann);
    app.pass(1_000);
    await other.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 4);
    // Events for a removed member would have arrived before this answer.
    for (const person of [ben, eve]) await person.send('session:list', {});
    const received = [ben, eve].flatMap((person) => person.received('activity'));
    expect(
      received.filter(({ timelines }) => (timelines[timelineId]?.last ?? 0) > 3),
    ).to.deep.equal([]);
  });

  it('brings activity of a timeline that was left before it was entered', async () => {
    const { epoch } = ben.ready;
    const rooms = { [`timeline:${timelineId}`]: 1 };
    for (const enter of [
      () => ben.send('channel:join', { channelId: timelineId }),
      () => ben.send('sync', { epoch, rooms }),
    ]) {
      await Promise.all([enter(), ben.send('channel:leave', { channelId: timelineId })]);
      const { message } = await ann.send('message:send', { timelineId, body: 'Still there?' });
      await ben.waitFor(
        'activity',
        ({ timelines }) => timelines[timelineId]?.last === message.position,
      );
    }
    await Promise.all([
      ben.send('channel:leave', { channelId: timelineId }),
      ben.send('channel:join', { channelId: timelineId }),
    ]);
    const { message } = await ann.send('message:send', { timelineId, body: 'Back?' });
    await ben.waitFor('changes', ({ to }) => to === message.version);
  });

  it('does not count messages as new on a second device that were read on the first', async () => {
    await write(ann, 2);
    await ann.send('message:send', { timelineId, body: `<@${ben.id}>, and all` });
    await ben.send('read:update', { timelineId, position: 5 });
    const tab = await ben.newTab();
    expect(tab.ready.timelines).to.deep.equal({});
    await ann.send('message:send', { timelineId, body: `<@${ben.id}> again` });
    await tab.waitFor(
      'activity',
      ({ timelines }) => '6' in (timelines[timelineId]?.mentions ?? {}),
    );
    const received = tab
      .received('activity')
      .map(({ timelines }) => [timelines[timelineId]?.since, timelines[timelineId]?.last]);
    // The activity up to the read message can arrive late, with nothing new.
    expect(received.filter((one) => String(one) !== '5,5')).to.deep.equal([
      [5, 6],
      [5, 6],
    ]);
  });

  it('brings activity of many messages at most once a second, the last message included', async () => {
    const began = Date.now();
    await write(ann, 20);
    await ben.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 22);
    expect(ben.received('activity').length).to.be.within(
      1,
      3 + Math.ceil((Date.now() - began) / 1_000),
    );
    const other = await ann.newTab();
    expect(other.ready.timelines).to.deep.equal({});
  });

  it('sends the new position to the sender’s other devices, before the activity', async () => {
    // Earlier messages are reported within a second.
    app.pass(2_000);
    await until(() => app.node.activity.pendingCount() === 0);
    const tab = await ann.newTab();
    const events: string[] = [];
    tab.socket.on('read', ({ timelines }) => events.push(`read ${timelines[timelineId]}`));
    tab.socket.on('activity', ({ timelines }) =>
      events.push(`activity ${timelines[timelineId]?.last}`),
    );
    await write(ann);
    await tab.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 3);
    expect(events).to.deep.equal(['read 3', 'activity 3']);
  });

  it('ends with a deleted channel, also right after messages there', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'brief' });
    for (const body of ['told at once', 'told a second later'])
      await ann.send('message:send', { timelineId: channel.id, body });
    await ann.send('channel:delete', { channelId: channel.id });
    await ben.waitFor('activity', ({ timelines }) => timelines[channel.id] === null);
    app.pass(1_300);
    await write(ann);
    await ben.waitFor('activity', ({ timelines }) => (timelines[timelineId]?.last ?? 0) > 2);
    const received = ben.received('activity').map(({ timelines }) => timelines[channel.id]);
    expect(received.filter((activity) => activity !== undefined).at(-1)).to.equal(null);
  });

  it('begins for a new member after messages whose activity is still pending', async () => {
    const cem = await app.person('Cem');
    const { invite } = await ann.send('invite:create', { serverId });
    await write(ann, 3);
    await cem.send('server:join', { code: invite.code });
    await cem.waitFor('activity', ({ timelines }) => timelines[timelineId]?.last === 5);
    expect(cem.received('read').map(({ timelines }) => timelines[timelineId])).to.deep.equal([5]);
    expect(await badge(cem)).to.equal(undefined);
  });

  it('is refused for a hidden timeline', async () => {
    const eve = await app.person('Eve');
    const failure = await eve.expectError('read:update', { timelineId, position: 1 });
    expect(failure.code).to.equal('not_found');
    await ben.send('read:update', { timelineId, position: 1 });
    await ben.send('server:leave', { serverId });
    expect((await ben.newTab()).ready.timelines).to.deep.equal({});
    expect((await ben.expectError('read:update', { timelineId, position: 1 })).code).to.equal(
      'not_found',
    );
  });
});
