import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('messages', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let channelId: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    ben = await app.guest('Ben');
    const [lobby] = (await ann.send('server:list', {})).servers;
    channelId = lobby?.defaultChannelId ?? '';
    await ann.send('channel:join', { channelId });
    await ben.send('channel:join', { channelId });
  });
  after(() => app.close());

  const say = async (who: Person, body: string) =>
    (await who.send('message:send', { timelineId: channelId, body })).message;
  const all = async (who: Person) =>
    (await who.send('message:list', { timelineId: channelId, limit: 100 })).messages;

  it('reach every subscriber, the author included, as the same change', async () => {
    const message = await say(ann, 'Hello, Ben');
    for (const person of [ann, ben]) {
      const received = await person.waitFor('changes', ({ changes }) =>
        changes.some((change) => 'message' in change && change.message.id === message.id),
      );
      expect(received.changes[0]).to.deep.equal({
        type: 'message:created',
        version: message.version,
        message,
      });
      expect(received.people[ann.id]).to.include({ name: 'Ann', kind: 'registered' });
    }
  });

  it('reach nobody outside the channel', async () => {
    const cem = await app.person('Cem');
    await cem.send('channel:join', { channelId });
    await cem.send('channel:leave', { channelId });
    await say(ann, 'Not for Cem’s ears');
    await cem.send('session:list', {});
    expect(
      cem.received('changes').filter(({ room }) => room.startsWith('timeline')),
    ).to.have.length(0);
  });

  it('take positions without a gap when many are sent at once', async () => {
    const first = await say(ann, 'first');
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, i) => say(i % 2 === 0 ? ann : ben, `together ${i}`)),
    );
    const positions = sent.map(({ position }) => position).sort((a, b) => a - b);
    expect(positions).to.deep.equal(Array.from({ length: 40 }, (_, i) => first.position + 1 + i));
    const versions = sent.map(({ version }) => version).sort((a, b) => a - b);
    expect(versions).to.deep.equal(Array.from({ length: 40 }, (_, i) => first.version + 1 + i));
    const times = (await all(ann)).map(({ createdAt }) => createdAt);
    expect(times).to.deep.equal([...times].sort());
  });

  it('sent twenty times at once under one id are one message', async () => {
    const id = v7();
    const acks = await Promise.all(
      Array.from({ length: 20 }, () =>
        ann.send('message:send', { timelineId: channelId, body: 'once', id }),
      ),
    );
    expect(new Set(acks.map(({ message }) => JSON.stringify(message))).size).to.equal(1);
    expect((await all(ben)).filter((message) => message.id === id)).to.have.length(1);
  });

  it('keep their id: nobody else, and no other timeline, gets it', async () => {
    const { id } = await say(ann, 'mine');
    const again = { timelineId: channelId, body: 'mine', id };
    expect((await ben.expectError('message:send', again)).code).to.equal('conflict');
    const { server } = await ann.send('server:create', { name: 'Else' });
    const elsewhere = { ...again, timelineId: server.defaultChannelId };
    expect((await ann.expectError('message:send', elsewhere)).code).to.equal('conflict');
    expect((await ann.send('message:send', again)).message.id).to.equal(id);
  });

  it('sent at once under one id to two timelines are one message and a conflict', async () => {
    const { server } = await ann.send('server:create', { name: 'Race' });
    for (let round = 0; round < 20; round += 1) {
      const id = v7();
      const outcomes = await Promise.allSettled(
        [channelId, server.defaultChannelId].map((timelineId) =>
          ann.send('message:send', { timelineId, body: 'raced', id }),
        ),
      );
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused.map(({ reason }) => (reason as { code: string }).code)).to.deep.equal([
        'conflict',
      ]);
    }
  });

  it('are edited by their author, from the version they know', async () => {
    const { id, version } = await say(ann, 'helo');
    const { message } = await ann.send('message:edit', {
      messageId: id,
      body: 'hello',
      base: version,
    });
    expect(message).to.include({ id, body: 'hello' });
    expect(message.editedAt).to.be.a('string');
    const stale = { messageId: id, body: 'hullo', base: version };
    expect((await ann.expectError('message:edit', stale)).code).to.equal('conflict');
    expect((await ann.send('message:edit', { ...stale, body: 'hello' })).message).to.deep.equal(
      message,
    );
  });

  it('stay empty in their place once deleted, and cannot be edited or sent again', async () => {
    const { id, position } = await say(ann, 'a slip');
    const { message } = await ann.send('message:delete', { messageId: id });
    expect(message).to.include({ id, position, body: '' });
    expect(await ann.send('message:delete', { messageId: id })).to.deep.equal({ message });
    const edit = { messageId: id, body: 'back' };
    expect((await ann.expectError('message:edit', edit)).code).to.equal('conflict');
    const again = { timelineId: channelId, body: 'a slip', id };
    expect((await ann.send('message:send', again)).message).to.deep.equal(message);
    const [row] = (
      await app.db.sequelize.query('select body from messages where id = $1', {
        bind: [id],
      })
    )[0] as { body: string }[];
    expect(row?.body).to.equal('');
  });

  it('show who deleted them, if not the author, alike in changes, pages and snapshots', async () => {
    const [dan, eve] = [await app.person('Dan'), await app.person('Eve')];
    const { serverId, channelId: timelineId } = await openPlace(ann, ben, dan, eve);
    await ann.send('member:update', { serverId, userId: dan.id, role: 'moderator' });
    const entered = await eve.send('channel:join', { channelId: timelineId });
    const since = 'version' in entered ? entered.version : 0;
    const send = async (who: Person, body: string) =>
      (await who.send('message:send', { timelineId, body })).message.id;
    const [advert, slip] = [await send(ben, 'Cheap watches!'), await send(ben, 'a slip')];

    const { message } = await dan.send('message:delete', { messageId: advert });
    expect(message).to.include({ id: advert, authorId: ben.id, body: '', deletedBy: dan.id });
    const received = await eve.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'message:deleted'),
    );
    expect(received.changes).to.deep.equal([
      { type: 'message:deleted', version: message.version, message },
    ]);
    expect(received.people[dan.id]).to.include({ name: 'Dan' });
    const own = (await ben.send('message:delete', { messageId: slip })).message;
    expect(own).not.to.have.property('deletedBy');
    // Deleting again changes nothing, whichever account does it.
    for (const [who, gone] of [
      [ann, message],
      [ben, message],
      [dan, own],
    ] as const)
      expect((await who.send('message:delete', { messageId: gone.id })).message).to.deep.equal(
        gone,
      );

    const fay = await app.person('Fay');
    await fay.send('server:join', {
      code: (await ann.send('invite:create', { serverId })).invite.code,
    });
    const page = await fay.send('message:list', { timelineId });
    const snapshot = await fay.send('channel:join', { channelId: timelineId });
    if (snapshot.status !== 'snapshot') throw new Error(snapshot.status);
    const room = timelineRoom(timelineId);
    const [synced] = (await eve.send('sync', { epoch: eve.ready.epoch, rooms: { [room]: since } }))
      .rooms;
    if (synced?.status !== 'changes') throw new Error(synced?.status);
    expect(page.messages).to.deep.equal([message, own]);
    expect(snapshot.state).to.have.deep.property('messages', [message, own]);
    expect(synced.changes.map((change) => 'message' in change && change.message)).to.deep.equal([
      message,
      own,
    ]);
    for (const { people } of [page, snapshot, synced])
      expect(people[dan.id]).to.include({ name: 'Dan' });
  });

  it('are read by position, both ways and around, without holes', async () => {
    const { server } = await ann.send('server:create', { name: 'Long' });
    const timelineId = server.defaultChannelId;
    for (let i = 1; i <= 30; i += 1) await ann.send('message:send', { timelineId, body: `${i}` });
    const list = async (where: object) => {
      const page = await ann.send('message:list', { timelineId, limit: 10, ...where });
      return { at: page.messages.map(({ position }) => position), more: page.more };
    };
    const range = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i);
    expect(await list({})).to.deep.equal({
      at: range(21, 30),
      more: { before: true, after: false },
    });
    expect(await list({ before: 21 })).to.deep.equal({
      at: range(11, 20),
      more: { before: true, after: true },
    });
    expect(await list({ before: 4 })).to.deep.equal({
      at: range(1, 3),
      more: { before: false, after: true },
    });
    expect(await list({ after: 27 })).to.deep.equal({
      at: range(28, 30),
      more: { before: true, after: false },
    });
    expect(await list({ around: 15 })).to.deep.equal({
      at: range(10, 19),
      more: { before: true, after: true },
    });
    expect((await list({ around: 1 })).at).to.deep.equal(range(1, 10));
    expect((await list({ around: 30 })).at).to.deep.equal(range(21, 30));
    expect(await list({ after: 30 })).to.deep.equal({
      at: [],
      more: { before: true, after: false },
    });
  });

  it('are read from any time', async () => {
    const { server } = await ann.send('server:create', { name: 'Diary' });
    const timelineId = server.defaultChannelId;
    const list = (where: object) => ann.send('message:list', { timelineId, limit: 100, ...where });
    const first = async (since: string) => (await list({ since, limit: 1 })).messages[0]?.id;
    expect((await list({ since: '2020-01-01T00:00:00Z' })).messages).to.deep.equal([]);
    for (let i = 1; i <= 17; i += 1) await ann.send('message:send', { timelineId, body: `${i}` });
    // Times on the wire are in milliseconds.
    await query(
      app.db,
      `update messages set created_at = date_trunc('milliseconds', created_at) where timeline_id = $1`,
      [timelineId],
    );
    const { messages } = await list({});
    for (const { createdAt: since } of messages) {
      const expected = messages.find(({ createdAt }) => createdAt >= since);
      expect(await first(since)).to.equal(expected?.id);
    }
    expect(await first('0001-01-01T00:00:00Z')).to.equal(messages[0]?.id);
    expect(await list({ since: '9999-12-31T00:00:00Z' })).to.deep.include({
      messages: [],
      more: { before: true, after: false },
    });
    const asked = { timelineId, since: '2020-01-01T00:00:00Z' };
    expect((await ben.expectError('message:list', asked)).code).to.equal('not_found');
    expect((await ann.expectError('message:list', { ...asked, after: 3 })).code).to.equal(
      'invalid',
    );
  });

  it('changed since a version come in their latest state, each once', async () => {
    const joined = await ben.send('channel:join', { channelId });
    const since = 'version' in joined ? joined.version : 0;
    const one = await say(ann, 'one');
    const two = await say(ann, 'two');
    await ann.send('message:edit', { messageId: one.id, body: 'ONE' });
    await ann.send('message:delete', { messageId: two.id });
    const entry = await ben.send('channel:join', { channelId, since });
    if (entry.status !== 'changes') throw new Error(`answered with ${entry.status}`);
    expect(entry.from).to.equal(since);
    expect(entry.version).to.equal(since + 4);
    expect(
      entry.changes.map((change) =>
        'message' in change ? [change.type, change.message.body] : [],
      ),
    ).to.deep.equal([
      ['message:updated', 'ONE'],
      ['message:deleted', ''],
    ]);
    const again = await ben.send('channel:join', { channelId, since: entry.version });
    expect(again.status).to.equal('current');
  });
});
