import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Conversation } from '../../shared/conversations.ts';
import { quotas } from '../../shared/quotas.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addGroups } from '../support/full.ts';
import { swept } from '../support/swept.ts';
import {
  about,
  badge,
  befriend,
  change,
  circle,
  findListed,
  waitForChange,
  isOnList,
  newMember,
  listConversations,
  say,
  start,
} from './circle.ts';

describe('conversations', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('groups', () => {
    it('reach all participants at once; the same id is the same group', async () => {
      const { ann, ben, cem } = await circle(app);
      const id = v7();
      const group = await start(ann, [ben.id, cem.id], { name: 'Trip', id });
      expect(group).to.include({ id, kind: 'group', name: 'Trip', creatorId: ann.id });
      expect(group.participantIds).to.deep.equal([ann.id, ben.id, cem.id]);
      expect(await start(ann, [ben.id, cem.id], { name: 'Trip', id })).to.deep.equal(group);
      const other = await ben.expectError('conversation:create', { userIds: [ann.id, cem.id], id });
      expect(other.code).to.equal('conflict');
      await waitForChange(cem, about(id, 'conversation:created'));
      expect(await isOnList(cem, id)).to.equal(true);
    });

    it('name their creator, even after the creator has left', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id: conversationId } = await start(ann, [ben.id, cem.id]);
      await ann.send('conversation:delete', { conversationId });
      const { people } = await ben.send('conversation:list', {});
      expect(people).to.include.keys(ann.id, ben.id, cem.id);
    });

    it('show an added person all earlier messages, marked as read', async () => {
      const { ann, ben, cem, code } = await circle(app);
      const dan = await app.person('Dan');
      await dan.send('server:join', { code });
      const { id } = await start(ann, [ben.id, cem.id]);
      await say(ann, id, 'before');
      const group = await change(ben, id, { addUserIds: [dan.id], name: 'Four' });
      expect(group.participantIds).to.deep.equal([ann.id, ben.id, cem.id, dan.id]);
      expect(group.name).to.equal('Four');
      const updated = await waitForChange(ann, about(id, 'conversation:updated'));
      expect((updated as { conversation: Conversation }).conversation).to.deep.include({
        name: 'Four',
        participantIds: group.participantIds,
      });
      await waitForChange(dan, about(id, 'conversation:created'));
      const entry = await dan.send('conversation:open', { conversationId: id });
      expect(entry).to.have.nested.property('state.messages[0].body', 'before');
      expect(await badge(dan, id)).to.include({ last: 1, read: 1 });
      expect(await change(cem, id, { name: null, addUserIds: [dan.id] })).to.include({
        name: null,
      });
    });

    it('refuse a person that the adder may not write to', async () => {
      const { ann, ben, cem, stranger } = await circle(app);
      const { id } = await start(ann, [ben.id, cem.id]);
      const failure = await ben.expectError('conversation:update', {
        conversationId: id,
        addUserIds: [stranger.id],
      });
      expect(failure.code).to.equal('not_found');
      expect((await findListed(ann, id))?.participantIds).to.have.length(3);
      const both = { addUserIds: [cem.id], removeUserIds: [cem.id] };
      const unclear = await ann.expectError('conversation:update', { conversationId: id, ...both });
      expect(unclear.code).to.equal('invalid');
    });

    it('let only the creator remove people, or else the longest-standing participant', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id, cem.id]);
      const removeCem = { conversationId: id, removeUserIds: [cem.id] };
      expect((await ben.expectError('conversation:update', removeCem)).code).to.equal('forbidden');
      const self = { conversationId: id, removeUserIds: [ann.id] };
      expect((await ann.expectError('conversation:update', self)).code).to.equal('conflict');
      await ann.send('conversation:delete', { conversationId: id });
      expect(
        (await cem.expectError('conversation:update', { ...removeCem, removeUserIds: [ben.id] }))
          .code,
      ).to.equal('forbidden');
      const left = await change(ben, id, { removeUserIds: [cem.id] });
      expect(left).to.deep.include({ kind: 'group', participantIds: [ben.id] });
    });

    it('send nothing to a removed person, who finds nothing there', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id, cem.id]);
      const mine = await say(ben, id);
      await ben.send('conversation:open', { conversationId: id });
      await change(ann, id, { removeUserIds: [ben.id] });
      await ben.waitFor(
        'head',
        ({ room, version }) => room === timelineRoom(id) && version === null,
      );
      await waitForChange(ben, about(id, 'conversation:removed'));
      await say(ann, id, 'secret');
      app.pass(1_000);
      await cem.waitFor('activity', ({ timelines }) => (timelines[id]?.last ?? 0) > 1);
      await ben.send('session:list', {});
      const received = ben.received('changes').filter(({ room }) => room === timelineRoom(id));
      expect(received).to.deep.equal([]);
      expect(
        ben.received('activity').filter(({ timelines }) => (timelines[id]?.last ?? 0) > 1),
      ).to.deep.equal([]);
      expect(await findListed(ben, id)).to.equal(undefined);
      const missing = v7();
      const fails = async (send: (id: string) => Promise<{ code: string; message: string }>) => {
        const [hidden, absent] = [await send(id), await send(missing)];
        expect(hidden).to.include({ code: 'not_found', message: absent.message });
      };
      await fails((conversationId) => ben.expectError('conversation:open', { conversationId }));
      await fails((conversationId) => ben.expectError('conversation:close', { conversationId }));
      await fails((conversationId) => ben.expectError('conversation:delete', { conversationId }));
      await fails((conversationId) =>
        ben.expectError('conversation:update', { conversationId, name: 'x' }),
      );
      await fails((timelineId) => ben.expectError('message:send', { timelineId, body: 'x' }));
      await fails((timelineId) => ben.expectError('message:list', { timelineId }));
      await fails((timelineId) => ben.expectError('read:update', { timelineId, position: 1 }));
      const own = await ben.expectError('message:edit', { messageId: mine.id, body: 'x' });
      expect(own.code).to.equal('not_found');
    });

    it('exclude a person who leaves, and end with the last one', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id, cem.id]);
      await say(ann, id);
      for (const person of [ann, ben, cem]) {
        await person.send('conversation:open', { conversationId: id });
        await person.send('conversation:delete', { conversationId: id });
        await waitForChange(person, about(id, 'conversation:left'));
        await person.waitFor('head', ({ room }) => room === timelineRoom(id));
      }
      await swept(app);
      const left = await query(
        app.db,
        `select id from rooms where id = $1 union all
         select id from messages where timeline_id = $1 union all
         select id from conversations where id = $1`,
        [id],
      );
      expect(left).to.deep.equal([]);
    });

    it('have fifty people at most', async () => {
      const { ann, ben, cem, code } = await circle(app);
      const many = Array.from({ length: 50 }, () => v7());
      const tooMany = await ann.expectError('conversation:create', { userIds: many });
      expect(tooMany).to.include({ code: 'invalid', field: 'userIds' });
      const { id } = await start(ann, [ben.id, cem.id]);
      await query(
        app.db,
        `with crowd as (
           insert into rooms (id, kind) select gen_random_uuid(), 'user' from generate_series(1, 47)
           returning id
         ), people as (
           insert into users (id, kind, display_name) select id, 'guest', 'Many' from crowd returning id
         )
         insert into participants (conversation_id, user_id, version) select $1, id, 0 from people`,
        [id],
      );
      const [{ count }] = (await query<{ count: number }>(
        app.db,
        'select count(*)::int as count from participants where conversation_id = $1',
        [id],
      )) as [{ count: number }];
      expect(count).to.equal(50);
      const full = await ann.expectError('conversation:update', {
        conversationId: id,
        addUserIds: [(await newMember(app, code)).id],
      });
      expect(full.code).to.equal('conflict');
    });
  });

  it('are limited to 1,000 per person among friends, regardless of who starts one or adds them', async () => {
    const { ann, ben, cem, code } = await circle(app);
    const max = quotas.conversationsPerPerson;
    for (const friend of [ben, cem]) await befriend(ann, friend);
    await addGroups(app, ann, max - 1);
    const { id } = await start(ben, [ann.id]);
    await say(ben, id);
    expect(await listConversations(ann)).to.have.length(max);
    const group = await start(ben, [cem.id, (await newMember(app, code)).id]);
    const adding = { conversationId: group.id, addUserIds: [ann.id] };
    for (const refused of [
      await ann.expectError('conversation:create', { userIds: [cem.id] }),
      await cem.expectError('conversation:create', { userIds: [ann.id] }),
      await cem.expectError('conversation:create', { userIds: [ann.id, ben.id] }),
      await ben.expectError('conversation:update', adding),
    ])
      expect(refused).to.include({
        code: 'conflict',
        message: `One person can be in ${max} conversations.`,
      });
    expect(await findListed(cem, group.id))
      .to.have.property('participantIds')
      .with.length(3);
    // An existing conversation is not a new one, and leaving one makes room for another.
    expect((await start(ann, [ben.id])).id).to.equal(id);
    const left = (await listConversations(ann)).find(({ kind }) => kind === 'group')!;
    await ann.send('conversation:delete', { conversationId: left.id });
    await ben.send('conversation:update', adding);
    expect(await listConversations(ann)).to.have.length(max);
  });
});
