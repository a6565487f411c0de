import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Change } from '../shared/changes.ts';
import type { Conversation } from '../shared/conversations.ts';
import { limits } from '../shared/limits.ts';
import { timelineRoom, userRoom } from '../shared/rooms.ts';
import { query } from '../server/database/database.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';

describe('conversations', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  /** Shares no server with the others. */
  let stranger: Person;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cem] = [await app.person('Ann'), await app.person('Ben'), await app.person('Cem')];
    stranger = await app.person('Stranger');
    const { server } = await ann.send('server:create', { name: 'Common' });
    code = (await ann.send('invite:create', { serverId: server.id })).invite.code;
    for (const person of [ben, cem]) await person.send('server:join', { code });
  });
  afterEach(() => {
    for (const person of [ann, ben, cem, stranger]) person.close();
  });
  after(() => app.close());

  const start = async (who: Person, userIds: string[], more: { name?: string; id?: string } = {}) =>
    (await who.send('conversation:create', { userIds, ...more })).conversation;
  const change = async (
    who: Person,
    conversationId: string,
    what: { name?: string | null; addUserIds?: string[]; removeUserIds?: string[] },
  ) => (await who.send('conversation:update', { conversationId, ...what })).conversation;
  const say = async (who: Person, timelineId: string, body = 'Hello') =>
    (await who.send('message:send', { timelineId, body })).message;
  const listed = async (who: Person) => (await who.send('conversation:list', {})).conversations;
  const find = async (who: Person, id: string) => (await listed(who)).find((one) => one.id === id);
  const badge = async (who: Person, id: string) => {
    const { epoch } = who.ready;
    const { timelines } = await who.send('sync', { epoch, rooms: {}, badges: true });
    return timelines?.[id];
  };
  /** What the client asks of a row and its badge. */
  const isShown = async (who: Person, id: string) => {
    const { hiddenUntil = 0 } = (await find(who, id)) ?? {};
    return hiddenUntil === null || ((await badge(who, id))?.last ?? 0) > hiddenUntil;
  };
  const hears = async (who: Person, fits: (change: Change) => boolean): Promise<Change> => {
    const { changes } = await who.hears(
      'changes',
      ({ room, changes }) => room === userRoom(who.id) && changes.some(fits),
    );
    return changes.find(fits)!;
  };
  const about = (id: string, type: Change['type']) => (change: Change) =>
    change.type === type &&
    ('conversation' in change ? change.conversation.id === id : 'conversationId' in change);

  describe('between two', () => {
    it('is one, whoever starts it, and both are told of it with their names', async () => {
      const { conversation, people } = await ann.send('conversation:create', { userIds: [ben.id] });
      expect(conversation).to.include({ kind: 'pair', name: null, creatorId: ann.id });
      expect(conversation.participantIds).to.deep.equal([ann.id, ben.id]);
      expect(people[ben.id]?.name).to.equal('Ben');
      expect(await start(ann, [ben.id, ann.id])).to.deep.equal(conversation);
      const theirs = await start(ben, [ann.id], { id: v7() });
      expect(theirs.id).to.equal(conversation.id);
      const told = await ben.hears(
        'changes',
        ({ changes }) => changes[0]?.type === 'conversation:created',
      );
      expect(told.people[ann.id]?.name).to.equal('Ann');
      expect(told.changes[0]).to.deep.include({
        conversation: { ...conversation, hiddenUntil: 0, version: told.to },
      });
    });

    it('is shown to the other when something is said, not before', async () => {
      const { id } = await start(ann, [ben.id]);
      expect(await isShown(ann, id)).to.equal(true);
      expect(await isShown(ben, id)).to.equal(false);
      expect(await badge(ben, id)).to.equal(undefined);
      const { createdAt } = await say(ann, id);
      await ben.hears('activity', ({ timelines }) => timelines[id]?.last === 1);
      expect(await isShown(ben, id)).to.equal(true);
      expect(await badge(ben, id)).to.deep.equal({ last: 1, read: 0, mentions: [], at: createdAt });
      expect(await badge(ann, id)).to.deep.equal({ last: 1, read: 1, mentions: [], at: createdAt });
      expect((await ben.again()).ready.timelines[id]?.last).to.equal(1);
    });

    it('stays two, without a name, and nobody is removed', async () => {
      const { id } = await start(ann, [ben.id]);
      for (const what of [{ addUserIds: [cem.id] }, { removeUserIds: [ben.id] }, { name: 'Us' }]) {
        const failure = await ann.fails('conversation:update', { conversationId: id, ...what });
        expect(failure.code).to.equal('conflict');
      }
      const named = await ann.fails('conversation:create', { userIds: [cem.id], name: 'Us' });
      expect(named).to.include({ code: 'invalid', field: 'name' });
      expect((await find(ann, id))?.participantIds).to.deep.equal([ann.id, ben.id]);
    });

    it('is not one with oneself', async () => {
      const failure = await ann.fails('conversation:create', { userIds: [ann.id] });
      expect(failure).to.include({ code: 'invalid', field: 'userIds' });
    });

    it('hides until something newer is said, for whoever wants that, and starting it shows it', async () => {
      const { id } = await start(ann, [ben.id]);
      await say(ann, id);
      await ben.send('conversation:delete', { conversationId: id });
      const told = await hears(ben, about(id, 'conversation:updated'));
      expect((told as { conversation: Conversation }).conversation.hiddenUntil).to.equal(1);
      expect(await isShown(ben, id)).to.equal(false);
      expect(await badge(ben, id), 'nothing is unread').to.equal(undefined);
      expect(await isShown(ann, id)).to.equal(true);
      await ben.hears('read', ({ timelines }) => timelines[id] === 1);
      await say(ann, id, 'Are you there?');
      expect(await isShown(ben, id)).to.equal(true);
      expect(await badge(ben, id)).to.include({ last: 2, read: 1 });
      await ben.send('conversation:delete', { conversationId: id });
      expect(await isShown(ben, id)).to.equal(false);
      expect((await start(ben, [ann.id])).hiddenUntil).to.equal(null);
      expect(await isShown(ben, id)).to.equal(true);
      const { messages } = await ben.send('message:list', { timelineId: id });
      expect(messages.map(({ body }) => body)).to.deep.equal(['Hello', 'Are you there?']);
    });

    it('needs a server that both share, and goes on without one', async () => {
      const nobody = await ann.fails('conversation:create', { userIds: [v7()] });
      const unknown = await ann.fails('conversation:create', { userIds: [stranger.id] });
      expect(unknown.code).to.equal('not_found');
      expect({ ...unknown, requestId: '' }).to.deep.equal({ ...nobody, requestId: '' });
      expect(await listed(stranger)).to.deep.equal([]);
      const { server } = await stranger.send('server:join', { code });
      const { id } = await start(ann, [stranger.id]);
      await stranger.send('server:leave', { serverId: server.id });
      await say(stranger, id, 'still here');
      expect((await start(ann, [stranger.id])).id).to.equal(id);
    });
  });

  describe('friends and blocks', () => {
    const befriend = async (one: Person, other: Person) => {
      await one.send('friendRequest:create', { userId: other.id });
      await other.send('friendship:create', { userId: one.id });
    };
    const block = (one: Person, other: Person) => one.send('block:create', { userId: other.id });
    const seen = (who: Person, whom: Person, status: string) =>
      who.hears(
        'presence',
        ({ room, users }) => room === userRoom(who.id) && users[whom.id] === status,
      );

    it('a friend can be written to, and added, though no server is shared', async () => {
      await befriend(ann, stranger);
      const pair = await start(ann, [stranger.id]);
      expect(pair.participantIds).to.deep.equal([ann.id, stranger.id]);
      const group = await start(ben, [ann.id, cem.id]);
      const adding = { conversationId: group.id, addUserIds: [stranger.id] };
      expect((await ben.fails('conversation:update', adding)).code).to.equal('not_found');
      await ann.send('conversation:update', adding);
      await hears(stranger, about(group.id, 'conversation:created'));
    });

    it('across a block nothing is started, and whoever is blocked learns no reason', async () => {
      await block(ann, ben);
      const nobody = await ben.fails('conversation:create', { userIds: [v7()] });
      const blocked = await ben.fails('conversation:create', { userIds: [ann.id] });
      expect({ ...blocked, requestId: '' }).to.deep.equal({ ...nobody, requestId: '' });
      const mine = await ann.fails('conversation:create', { userIds: [ben.id] });
      expect(mine.code).to.equal('conflict');
      const together = await ben.fails('conversation:create', { userIds: [ann.id, cem.id] });
      expect(together.code).to.equal('not_found');
      await ann.send('block:delete', { userId: ben.id });
      await start(ben, [ann.id]);
    });

    it('two who are apart go on reading what they wrote, take back their own, and write no more', async () => {
      const { id } = await start(ann, [ben.id]);
      const message = await say(ben, id, 'Let us talk');
      const other = await say(ann, id, 'Rather not');
      await block(ann, ben);
      for (const person of [ann, ben]) {
        const { code } = await person.fails('message:send', { timelineId: id, body: 'x' });
        expect(code).to.equal('forbidden');
        expect((await person.send('message:list', { timelineId: id })).messages).to.have.length(2);
        await person.send('conversation:open', { conversationId: id });
        expect((await start(person, [person === ann ? ben.id : ann.id])).id).to.equal(id);
      }
      const edit = await ben.fails('message:edit', { messageId: message.id, body: 'x' });
      expect(edit.code).to.equal('forbidden');
      await ben.send('message:delete', { messageId: message.id });
      const theirs = await ben.fails('message:delete', { messageId: other.id });
      expect(theirs.code).to.equal('forbidden');
      await ann.send('block:delete', { userId: ben.id });
      await say(ben, id, 'Thank you');
    });

    it('in a group two who are apart go on as they were', async () => {
      const { id } = await start(ann, [ben.id, cem.id]);
      await block(ann, ben);
      await say(ben, id);
      await say(ann, id);
      const { messages } = await ann.send('message:list', { timelineId: id });
      expect(messages).to.have.length(2);
    });

    it('those who write to each other see how the other is, until a block', async () => {
      const { server } = await stranger.send('server:join', { code });
      const { id } = await start(stranger, [ann.id]);
      await stranger.send('server:leave', { serverId: server.id });
      await Promise.all([seen(ann, stranger, 'online'), seen(stranger, ann, 'online')]);
      expect((await ann.again()).ready).to.have.nested.property(
        `presence.${stranger.id}`,
        'online',
        id,
      );
      await stranger.send('presence:set', { status: 'dnd' });
      await seen(ann, stranger, 'dnd');
      await block(ann, stranger);
      await Promise.all([seen(ann, stranger, 'offline'), seen(stranger, ann, 'offline')]);
      const told = ann.heard('presence').length;
      await stranger.send('presence:set', { status: 'idle' }).catch(() => undefined);
      await sleep(1_500);
      expect(ann.heard('presence').slice(told)).to.deep.equal([]);
      expect((await ann.again()).ready).to.not.have.nested.property(`presence.${stranger.id}`);
      await ann.send('block:delete', { userId: stranger.id });
      await seen(ann, stranger, 'idle');
    });
  });

  describe('in a group', () => {
    it('all are told of it at once; the same id is the same group', async () => {
      const id = v7();
      const group = await start(ann, [ben.id, cem.id], { name: 'Trip', id });
      expect(group).to.include({ id, kind: 'group', name: 'Trip', creatorId: ann.id });
      expect(group.participantIds).to.deep.equal([ann.id, ben.id, cem.id]);
      expect(await start(ann, [ben.id, cem.id], { name: 'Trip', id })).to.deep.equal(group);
      const other = await ben.fails('conversation:create', { userIds: [ann.id, cem.id], id });
      expect(other.code).to.equal('conflict');
      await hears(cem, about(id, 'conversation:created'));
      expect(await isShown(cem, id)).to.equal(true);
    });

    it('whoever is added sees all that was said, and has it read', async () => {
      const dan = await app.person('Dan');
      await dan.send('server:join', { code });
      const { id } = await start(ann, [ben.id, cem.id]);
      await say(ann, id, 'before');
      const group = await change(ben, id, { addUserIds: [dan.id], name: 'Four' });
      expect(group.participantIds).to.deep.equal([ann.id, ben.id, cem.id, dan.id]);
      expect(group.name).to.equal('Four');
      const told = await hears(ann, about(id, 'conversation:updated'));
      expect((told as { conversation: Conversation }).conversation).to.deep.include({
        name: 'Four',
        participantIds: group.participantIds,
      });
      await hears(dan, about(id, 'conversation:created'));
      const entry = await dan.send('conversation:open', { conversationId: id });
      expect(entry).to.have.nested.property('state.messages[0].body', 'before');
      expect(await badge(dan, id)).to.include({ last: 1, read: 1 });
      expect(await change(cem, id, { name: null, addUserIds: [dan.id] })).to.include({
        name: null,
      });
    });

    it('nobody is added to whom whoever adds might not write', async () => {
      const { id } = await start(ann, [ben.id, cem.id]);
      const failure = await ben.fails('conversation:update', {
        conversationId: id,
        addUserIds: [stranger.id],
      });
      expect(failure.code).to.equal('not_found');
      expect((await find(ann, id))?.participantIds).to.have.length(3);
      const both = { addUserIds: [cem.id], removeUserIds: [cem.id] };
      const unclear = await ann.fails('conversation:update', { conversationId: id, ...both });
      expect(unclear.code).to.equal('invalid');
    });

    it('only who started it removes people; then whoever has been in it longest', async () => {
      const { id } = await start(ann, [ben.id, cem.id]);
      const removeCem = { conversationId: id, removeUserIds: [cem.id] };
      expect((await ben.fails('conversation:update', removeCem)).code).to.equal('forbidden');
      const self = { conversationId: id, removeUserIds: [ann.id] };
      expect((await ann.fails('conversation:update', self)).code).to.equal('conflict');
      await ann.send('conversation:delete', { conversationId: id });
      expect(
        (await cem.fails('conversation:update', { ...removeCem, removeUserIds: [ben.id] })).code,
      ).to.equal('forbidden');
      const left = await change(ben, id, { removeUserIds: [cem.id] });
      expect(left).to.deep.include({ kind: 'group', participantIds: [ben.id] });
    });

    it('who is removed hears no more of it, and finds nothing there', async () => {
      const { id } = await start(ann, [ben.id, cem.id]);
      const mine = await say(ben, id);
      await ben.send('conversation:open', { conversationId: id });
      await change(ann, id, { removeUserIds: [ben.id] });
      await ben.hears('head', ({ room, version }) => room === timelineRoom(id) && version === null);
      await hears(ben, about(id, 'conversation:removed'));
      await say(ann, id, 'secret');
      await sleep(1_300);
      const heard = ben.heard('changes').filter(({ room }) => room === timelineRoom(id));
      expect(heard).to.deep.equal([]);
      expect(
        ben.heard('activity').filter(({ timelines }) => (timelines[id]?.last ?? 0) > 1),
      ).to.deep.equal([]);
      expect(await find(ben, id)).to.equal(undefined);
      const missing = v7();
      const fails = async (send: (id: string) => Promise<{ code: string; message: string }>) => {
        const [hidden, absent] = [await send(id), await send(missing)];
        expect(hidden).to.include({ code: 'not_found', message: absent.message });
      };
      await fails((conversationId) => ben.fails('conversation:open', { conversationId }));
      await fails((conversationId) => ben.fails('conversation:close', { conversationId }));
      await fails((conversationId) => ben.fails('conversation:delete', { conversationId }));
      await fails((conversationId) =>
        ben.fails('conversation:update', { conversationId, name: 'x' }),
      );
      await fails((timelineId) => ben.fails('message:send', { timelineId, body: 'x' }));
      await fails((timelineId) => ben.fails('message:list', { timelineId }));
      await fails((timelineId) => ben.fails('read:update', { timelineId, position: 1 }));
      const own = await ben.fails('message:edit', { messageId: mine.id, body: 'x' });
      expect(own.code).to.equal('not_found');
    });

    it('who leaves is out, and the last one takes it along', async () => {
      const { id } = await start(ann, [ben.id, cem.id]);
      await say(ann, id);
      for (const person of [ann, ben, cem]) {
        await person.send('conversation:open', { conversationId: id });
        await person.send('conversation:delete', { conversationId: id });
        await hears(person, about(id, 'conversation:left'));
        await person.hears('head', ({ room }) => room === timelineRoom(id));
      }
      const left = await query(
        app.app.db,
        `select id from rooms where id = $1 union all
         select id from messages where timeline_id = $1 union all
         select id from conversations where id = $1`,
        [id],
      );
      expect(left).to.deep.equal([]);
    });

    it('has fifty people at most', async () => {
      const many = Array.from({ length: 50 }, () => v7());
      const tooMany = await ann.fails('conversation:create', { userIds: many });
      expect(tooMany).to.include({ code: 'invalid', field: 'userIds' });
      const { id } = await start(ann, [ben.id, cem.id]);
      await query(
        app.app.db,
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
        app.app.db,
        'select count(*)::int as count from participants where conversation_id = $1',
        [id],
      )) as [{ count: number }];
      expect(count).to.equal(50);
      const full = await ann.fails('conversation:update', {
        conversationId: id,
        addUserIds: [(await joined()).id],
      });
      expect(full.code).to.equal('conflict');
    });
  });

  it('are at most 1,000 for each, whoever starts one or adds them', async () => {
    const most = limits.conversationsPerPerson;
    await query(
      app.app.db,
      `with rooms as (
         insert into rooms (id, kind) select gen_random_uuid(), 'timeline' from generate_series(1, $2)
         returning id
       ), made as (
         insert into conversations (id, kind, creator_id) select id, 'group', $1::uuid from rooms
         returning id
       )
       insert into participants (conversation_id, user_id, version) select id, $1::uuid, 0 from made`,
      [ann.id, most - 1],
    );
    const { id } = await start(ben, [ann.id]);
    expect(await listed(ann)).to.have.length(most);
    const group = await start(ben, [cem.id, (await joined()).id]);
    const adding = { conversationId: group.id, addUserIds: [ann.id] };
    for (const refused of [
      await ann.fails('conversation:create', { userIds: [cem.id] }),
      await cem.fails('conversation:create', { userIds: [ann.id] }),
      await cem.fails('conversation:create', { userIds: [ann.id, ben.id] }),
      await ben.fails('conversation:update', adding),
    ])
      expect(refused).to.include({
        code: 'conflict',
        message: `One person can be in ${most} conversations.`,
      });
    expect(await find(cem, group.id))
      .to.have.property('participantIds')
      .with.length(3);
    // What there is already is no new one; and whoever leaves one has room for another.
    expect((await start(ann, [ben.id])).id).to.equal(id);
    const left = (await listed(ann)).find(({ kind }) => kind === 'group')!;
    await ann.send('conversation:delete', { conversationId: left.id });
    await ben.send('conversation:update', adding);
    expect(await listed(ann)).to.have.length(most);
  });

  const joined = async () => {
    const person = await app.person();
    await person.send('server:join', { code });
    return person;
  };

  describe('its messages', () => {
    it('are like those of a channel', async () => {
      const { id } = await start(ann, [ben.id]);
      const entry = await ben.send('conversation:open', { conversationId: id });
      expect(entry).to.include({ status: 'snapshot', room: timelineRoom(id) });
      const message = await say(ann, id, 'helo');
      await ann.send('message:edit', { messageId: message.id, body: 'hello' });
      const told = await ben.hears(
        'changes',
        ({ room, to }) => room === timelineRoom(id) && to === 2,
      );
      expect(told.people[ann.id]?.name ?? 'Ann').to.equal('Ann');
      expect((await ben.fails('message:edit', { messageId: message.id, body: 'x' })).code).to.equal(
        'forbidden',
      );
      expect((await ben.fails('message:delete', { messageId: message.id })).code).to.equal(
        'forbidden',
      );
      await ann.send('message:delete', { messageId: message.id });
      const { messages } = await ben.send('message:list', { timelineId: id });
      expect(messages[0]).to.include({ body: '', position: 1 });
      const since = await ben.send('conversation:open', { conversationId: id, since: 1 });
      expect(since.status).to.equal('changes');
    });

    it('mention those who are in it, and nobody else', async () => {
      const { id } = await start(ann, [ben.id]);
      await say(ann, id, `<@${ben.id}> and <@${cem.id}>`);
      await ben.hears('activity', ({ timelines }) => timelines[id]?.mentions?.[1] === true);
      expect((await badge(ben, id))?.mentions).to.deep.equal([1]);
      await sleep(100);
      expect(cem.heard('activity')).to.deep.equal([]);
    });

    it('are nobody else’s, and a channel is no conversation', async () => {
      const { id } = await start(ann, [ben.id]);
      await say(ann, id);
      expect((await cem.fails('conversation:open', { conversationId: id })).code).to.equal(
        'not_found',
      );
      expect((await cem.fails('message:list', { timelineId: id })).code).to.equal('not_found');
      expect((await cem.fails('message:send', { timelineId: id, body: 'x' })).code).to.equal(
        'not_found',
      );
      expect((await ann.fails('channel:join', { channelId: id })).code).to.equal('not_found');
      const [server] = (await ann.send('server:list', {})).servers;
      const conversationId = server!.defaultChannelId;
      expect((await ann.fails('conversation:open', { conversationId })).code).to.equal('not_found');
      const held = { [timelineRoom(id)]: 0 };
      const { rooms } = await cem.send('sync', { epoch: cem.ready.epoch, rooms: held });
      expect(rooms).to.deep.equal([{ room: timelineRoom(id), status: 'gone' }]);
    });

    it('are heard of by those who have not opened it, and not by who closed it', async () => {
      const { id } = await start(ann, [ben.id]);
      await ben.send('conversation:open', { conversationId: id });
      await ben.send('conversation:close', { conversationId: id });
      await say(ann, id);
      const { timelines } = await ben.hears('activity');
      expect(timelines).to.deep.equal({ [id]: { since: 0, last: 1 } });
      expect(ben.heard('changes').filter(({ room }) => room === timelineRoom(id))).to.deep.equal(
        [],
      );
      await ben.send('read:update', { timelineId: id, position: 1 });
      expect(await badge(ben, id)).to.include({ last: 1, read: 1 });
    });
  });

  it('a new name reaches those who know somebody from a conversation only', async () => {
    await stranger.send('server:join', { code });
    const { id } = await start(ann, [stranger.id]);
    const [server] = (await stranger.send('server:list', {})).servers;
    await stranger.send('server:leave', { serverId: server!.id });
    await stranger.send('user:update', { displayName: 'Known' });
    await ann.hears('people', ({ people }) => people[stranger.id]?.name === 'Known');
    expect(cem.heard('people')).to.deep.equal([]);
    const { people } = await ann.send('conversation:list', {});
    expect(people[stranger.id]?.name, id).to.equal('Known');
  });
});
