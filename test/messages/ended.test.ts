import { expect } from 'chai';
import { v7 } from 'uuid';
import { query, type Db } from '../../server/database/database.ts';
import { claimTurn } from '../../server/database/turns.ts';
import { sweepEnded, sweepEndedSlice } from '../../server/messages/ended.ts';
import { connect } from '../../server/database/connect.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { withTableLock } from '../support/table-lock.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { swept } from '../support/swept.ts';
import { pair } from '../support/relationships.ts';
import { until } from '../support/time.ts';

describe('a timeline that ends', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;

  beforeEach(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await pair(app);
  });
  afterEach(() => app.close());

  const rowsOf = async (db: Db, timelineId: string) => {
    const [rows] = await query<{
      messages: number;
      mentions: number;
      reads: number;
      noted: number;
    }>(
      db,
      `select (select count(*) from messages where timeline_id = $1) as messages,
         (select count(*) from mentions where timeline_id = $1) as mentions,
         (select count(*) from reads where timeline_id = $1) as reads,
         (select count(*) from ended_timelines where id = $1) as noted`,
      [timelineId],
    );
    return rows!;
  };
  const nothing = { messages: 0, mentions: 0, reads: 0, noted: 0 };

  async function fill(timelineId: string, count: number): Promise<void> {
    const { db } = app;
    await query(
      db,
      `insert into messages (id, timeline_id, author_id, position, version, body, created_at)
       select gen_random_uuid(), $1, $2, n, n, 'x', now() from generate_series(1, $3::int) as n`,
      [timelineId, ben.id, count],
    );
    await query(db, 'insert into mentions select $2, $1, n from generate_series(1, $3::int) as n', [
      timelineId,
      ann.id,
      count,
    ]);
    const room = 'update rooms set version = $2, last_position = $2 where id = $1';
    await query(db, room, [timelineId, count]);
  }

  async function openTimelines() {
    const cem = await app.person('Cem');
    const { serverId, channelId } = await openPlace(ann, ben, cem);
    const { channel } = await ann.send('channel:create', { serverId, name: 'ends' });
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id, cem.id] });
    for (const person of [ben, cem])
      await person.send('conversation:delete', { conversationId: conversation.id });
    return { serverId, channelId: channel.id, defaultId: channelId, groupId: conversation.id };
  }

  it('ends while its messages are locked: a channel, a group, a server', async () => {
    const { serverId, channelId, defaultId, groupId } = await openTimelines();
    for (const timelineId of [channelId, defaultId, groupId])
      await ann.send('message:send', { timelineId, body: 'Last words' });
    await withTableLock(app.where, 'messages', 'access exclusive', async () => {
      await ann.send('channel:delete', { channelId });
      await ann.send('conversation:delete', { conversationId: groupId });
      await ann.send('server:delete', { serverId });
    });
    await swept(app);
    for (const timelineId of [channelId, defaultId, groupId])
      expect(await rowsOf(app.db, timelineId)).to.deep.equal(nothing);
  });

  it('is gone at once for everyone and every command, while its rows still exist', async () => {
    const { serverId, channelId } = await openTimelines();
    const { message } = await ann.send('message:send', { timelineId: channelId, body: 'First' });
    await query(app.db, 'delete from messages where id = $1', [message.id]);
    await fill(channelId, 40_000);
    await query(
      app.db,
      'update messages set id = $2, author_id = $3 where timeline_id = $1 and position = 1',
      [...[channelId, message.id, ann.id]],
    );
    await ben.send('read:update', { timelineId: channelId, position: 3 });
    await ann.send('channel:delete', { channelId });
    const { messages, noted } = await rowsOf(app.db, channelId);
    expect(noted).to.equal(1);
    expect(messages).to.be.above(1_000);

    const nowhere = v7();
    const messageId = message.id;
    for (const person of [ann, ben]) {
      const codeOf = async (asking: Promise<{ code: string; message: string }>) => {
        const { code, message } = await asking;
        return `${code} ${message}`;
      };
      const same = async (ended: Promise<{ code: string; message: string }>, never: typeof ended) =>
        expect(await codeOf(ended))
          .to.equal(await codeOf(never))
          .and.match(/^not_found/);
      await same(
        person.expectError('message:list', { timelineId: channelId }),
        person.expectError('message:list', { timelineId: nowhere }),
      );
      await same(
        person.expectError('message:edit', { messageId, body: 'Again' }),
        person.expectError('message:edit', { messageId: nowhere, body: 'Again' }),
      );
      await same(
        person.expectError('message:delete', { messageId }),
        person.expectError('message:delete', { messageId: nowhere }),
      );
      await same(
        person.expectError('message:send', { timelineId: channelId, body: 'x' }),
        person.expectError('message:send', { timelineId: nowhere, body: 'x' }),
      );
      await same(
        person.expectError('read:update', { timelineId: channelId, position: 9 }),
        person.expectError('read:update', { timelineId: nowhere, position: 9 }),
      );
      expect((await person.newTab()).ready.timelines).to.not.have.property(channelId);
    }
    // The id stays taken until all rows are deleted: a new channel with this id would contain the old messages.
    const again = { serverId, name: 'again', id: channelId };
    expect((await ann.expectError('channel:create', again)).code).to.equal('conflict');
    await swept(app);
    expect(await rowsOf(app.db, channelId)).to.deep.equal(nothing);
    await ann.send('channel:create', again);
    expect((await ann.send('message:list', { timelineId: channelId })).messages).to.be.empty;
  });

  it('has the rights of its new place when its id is used again elsewhere', async () => {
    const { serverId, channelId } = await openTimelines();
    const say = (person: Person) => ({ timelineId: channelId, body: person.id });
    await ben.send('message:send', say(ben));
    await ann.send('channel:delete', { channelId });
    await swept(app);
    const { server } = await ann.send('server:create', { name: 'Elsewhere' });
    const again = { serverId: server.id, name: 'again', id: channelId };
    await ann.send('channel:create', again);
    expect((await ben.expectError('message:send', say(ben))).code).to.equal('not_found');
    const { message } = await ann.send('message:send', say(ann));
    expect(message.position).to.equal(1);
    expect(serverId).to.not.equal(server.id);
  });

  it('is swept in slices, which continue after the node that started them has ended', async () => {
    const { channelId } = await openTimelines();
    await fill(channelId, 10_000);
    app.node.draining = true;
    await ann.send('channel:delete', { channelId });
    await app.close();

    const sequelize = connect(app.where, 2);
    const db = { sequelize };
    try {
      let before = await rowsOf(db, channelId);
      expect(before).to.include({ messages: 10_000, mentions: 10_000, noted: 1 });
      for (let slice = 0; slice < 8; slice += 1) {
        // One node at a time does the work, and together they delete at most two slices.
        await Promise.all([sweepEndedSlice(db, 1_000), sweepEndedSlice(db, 1_000)]);
        const now = await rowsOf(db, channelId);
        expect(before.messages - now.messages).to.be.at.most(2_000);
        expect(before.mentions - now.mentions).to.be.at.most(2_000);
        before = now;
      }
      expect(before.messages).to.be.within(1, 9_000);
      // While another node has its turn, this one does nothing.
      await claimTurn(db, 'ended', 1);
      await sweepEnded({ node: { draining: false, isPressed: () => false }, db });
      expect(await rowsOf(db, channelId)).to.deep.equal(before);
    } finally {
      await sequelize.close();
    }
    app = await startApp({ PARLEY_LOBBY: 'off' }, app.where);
    await until(async () => (await rowsOf(app.db, channelId)).noted === 0);
    expect(await rowsOf(app.db, channelId)).to.deep.equal(nothing);
  });
});
