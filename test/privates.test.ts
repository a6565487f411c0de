import { expect } from 'chai';
import { v7 } from 'uuid';
import type { PrivateChannel } from '../shared/channels.ts';
import { limits } from '../shared/limits.ts';
import { serverRoom, timelineRoom, userRoom } from '../shared/rooms.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';

describe('private channels', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let defaultId: string;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cem] = await Promise.all([app.person('Ann'), app.person('Ben'), app.person('Cem')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, defaultId] = [server.id, server.defaultChannelId];
    code = (await ann.send('invite:create', { serverId })).invite.code;
    for (const person of [ben, cem]) {
      await person.send('server:join', { code });
      await person.send('server:open', { serverId });
    }
    await ann.send('server:open', { serverId });
  });
  afterEach(() => {
    for (const person of [ann, ben, cem]) person.close();
  });
  after(() => app.close());

  async function conceal(
    userIds: string[] = [],
    by = ann,
    more: { id?: string; name?: string } = {},
  ): Promise<PrivateChannel> {
    const wanted = { serverId, name: 'secret', private: true, userIds, ...more };
    const { channel } = await by.send('channel:create', wanted);
    if (!channel.private) throw new Error('it is public');
    return channel;
  }
  const update = async (channelId: string, what: { private?: boolean; userIds?: string[] }) =>
    (await ann.send('channel:update', { channelId, ...what })).channel;
  const say = (person: Person, timelineId: string, body = 'Hush') =>
    person.send('message:send', { timelineId, body });
  const promote = (person: Person) =>
    ann.send('member:update', { serverId, userId: person.id, role: 'moderator' });
  const stateFor = async (person: Person) => {
    const entry = await person.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    return entry;
  };
  /** The private channels on somebody's own list, as they would come to it anew. */
  const listed = async (person: Person) => {
    const fresh = await person.again();
    fresh.close();
    if (fresh.ready.status !== 'snapshot') throw new Error(fresh.ready.status);
    return fresh.ready.state.privateChannels;
  };
  const heardChange = (person: Person, type: string, room?: string) =>
    person.hears(
      'changes',
      (heard) =>
        (room === undefined || heard.room === room) &&
        heard.changes.some((change) => change.type === type),
    );
  /** After this, what was told before has arrived. */
  const settled = (person: Person) => person.send('session:list', {});
  const everythingHeard = (person: Person) =>
    JSON.stringify(
      (['changes', 'head', 'activity', 'read', 'people'] as const).map((event) =>
        person.heard(event),
      ),
    );
  const sql = async (text: string, ...bind: unknown[]) =>
    (await app.app.db.sequelize.query(text, { bind }))[0];

  it('are for those chosen, who made it, and the owner; nobody else hears of anything', async () => {
    await promote(ben);
    await settled(cem);
    const before = everythingHeard(cem);
    const channel = await conceal([], ben);
    expect(channel).to.include({ serverId, name: 'secret', private: true });
    expect(channel.memberIds).to.deep.equal([ann.id, ben.id].sort());
    for (const person of [ann, ben]) {
      const { changes } = await heardChange(person, 'privateChannel:joined', userRoom(person.id));
      const mine = (await listed(person)).find(({ id }) => id === channel.id);
      expect(changes.at(-1)).to.deep.equal({
        type: 'privateChannel:joined',
        version: mine?.version,
        channel: mine,
      });
      await person.send('channel:join', { channelId: channel.id });
    }
    await say(ben, channel.id);
    await ben.send('channel:update', { channelId: channel.id, topic: 'Hush' });
    await ben.send('channel:delete', { channelId: channel.id });
    await heardChange(ann, 'privateChannel:deleted');
    await settled(cem);
    expect(everythingHeard(cem)).to.equal(before);
    expect(await listed(cem)).to.deep.equal([]);
  });

  it('are no part of the server’s state, which is the same for everyone in it', async () => {
    const before = await stateFor(ann);
    const channel = await conceal([ben.id]);
    for (const person of [ann, ben, cem]) expect(await stateFor(person)).to.deep.equal(before);
    expect((await listed(ben)).map(({ id }) => id)).to.deep.equal([channel.id]);
  });

  it('asked for twenty times at once under one id are one; the id is nobody else’s', async () => {
    await promote(ben);
    const id = v7();
    const made = await Promise.all(Array.from({ length: 20 }, () => conceal([], ann, { id })));
    expect(new Set(made.map((one) => JSON.stringify(one))).size).to.equal(1);
    const wanted = { serverId, name: 'secret', id };
    for (const isPrivate of [true, false])
      expect((await ben.fails('channel:create', { ...wanted, private: isPrivate })).code).to.equal(
        'not_found',
      );
    const other = { ...wanted, name: 'other' };
    expect((await ben.fails('channel:create', other)).code).to.equal('conflict');
  });

  it('are chosen for by name: strangers, and members for a public one, are refused', async () => {
    const stranger = await app.person();
    const wanted = { serverId, name: 'secret', userIds: [ben.id] };
    for (const input of [wanted, { ...wanted, private: false }])
      expect(await ann.fails('channel:create', input)).to.include({
        code: 'invalid',
        field: 'userIds',
      });
    for (const userId of [stranger.id, serverId, v7()]) {
      const chosen = { ...wanted, private: true, userIds: [ben.id, userId] };
      expect((await ann.fails('channel:create', chosen)).code).to.equal('not_found');
      const update = { channelId: (await conceal()).id, private: true, userIds: [userId] };
      expect((await ann.fails('channel:update', update)).code).to.equal('not_found');
      const { id: channelId } = await conceal();
      expect((await ann.fails('channel:addMember', { channelId, userId })).code).to.equal(
        'not_found',
      );
    }
    expect(await listed(ben)).to.deep.equal([]);
    stranger.close();
  });

  it('let people in, who read all of it from then on, and take them out again', async () => {
    const { id: channelId } = await conceal();
    await say(ann, channelId);
    expect((await cem.fails('message:list', { timelineId: channelId })).code).to.equal('not_found');
    await ann.send('channel:addMember', { channelId, userId: cem.id });
    await ann.send('channel:addMember', { channelId, userId: cem.id });
    await heardChange(cem, 'privateChannel:joined');
    const [mine] = await listed(ann);
    expect(mine?.memberIds).to.deep.equal([ann.id, cem.id].sort());
    expect((await cem.send('message:list', { timelineId: channelId })).messages).to.have.length(1);
    await cem.send('channel:join', { channelId });
    await ann.send('channel:removeMember', { channelId, userId: cem.id });
    const room = timelineRoom(channelId);
    await cem.hears('head', (head) => head.room === room && head.version === null);
    await heardChange(cem, 'privateChannel:removed');
    expect(cem.heard('head')).to.deep.equal([{ room, version: null }]);
    const { epoch } = cem.ready;
    expect((await cem.send('sync', { epoch, rooms: { [room]: 0 } })).rooms).to.deep.equal([
      { room, status: 'gone' },
    ]);
    // The rest of the server stays.
    await cem.send('channel:join', { channelId: defaultId });
    const [{ memberIds } = { memberIds: [] }] = await listed(ann);
    expect(memberIds).to.deep.equal([ann.id]);
  });

  it('are left by oneself, but not by the owner, nor is the owner taken out', async () => {
    const { id: channelId } = await conceal([ben.id, cem.id]);
    await promote(ben);
    await cem.send('channel:removeMember', { channelId, userId: cem.id });
    await heardChange(cem, 'privateChannel:left');
    const again = await ben.fails('channel:removeMember', { channelId, userId: cem.id });
    expect(again.code).to.equal('not_found');
    for (const person of [ann, ben]) {
      const failure = await person.fails('channel:removeMember', { channelId, userId: ann.id });
      expect(failure.code).to.equal('conflict');
    }
    expect((await listed(ben)).map(({ memberIds }) => memberIds)).to.deep.equal([
      [ann.id, ben.id].sort(),
    ]);
  });

  it('end with leaving the server, and coming back does not restore them', async () => {
    const { id: channelId } = await conceal([ben.id, cem.id]);
    await ann.send('member:remove', { serverId, userId: ben.id });
    await heardChange(ben, 'privateChannel:removed');
    await cem.send('server:leave', { serverId });
    await heardChange(cem, 'privateChannel:left');
    for (const person of [ben, cem]) {
      expect(await listed(person)).to.deep.equal([]);
      await person.send('server:join', { code });
      expect(await listed(person)).to.deep.equal([]);
      expect((await person.fails('channel:join', { channelId })).code).to.equal('not_found');
    }
    const [mine] = await listed(ann);
    expect(mine?.memberIds).to.deep.equal([ann.id]);
  });

  it('go with the server, which says so to those in them alone', async () => {
    const { id } = await conceal([ben.id]);
    await settled(cem);
    await ann.send('server:delete', { serverId });
    await heardChange(ben, 'privateChannel:deleted');
    await heardChange(cem, 'server:deleted');
    await settled(cem);
    expect(everythingHeard(cem)).to.not.include(id);
    expect(await sql('select id from rooms where id = $1', id)).to.deep.equal([]);
  });

  it('are seen by a new owner too, who is let in though they be full', async () => {
    const { id: channelId } = await conceal();
    await crowd(channelId, limits.channelMembers - 1);
    const full = await ann.fails('channel:addMember', { channelId, userId: ben.id });
    expect(full).to.include({ code: 'conflict' });
    await ann.send('server:transfer', { serverId, userId: ben.id });
    await heardChange(ben, 'privateChannel:joined');
    await ben.send('channel:join', { channelId });
    // Who owned it stays in, and may be taken out now.
    await ben.send('channel:removeMember', { channelId, userId: ann.id });
    const [mine] = await listed(ben);
    expect(mine?.memberIds).to.have.length(limits.channelMembers);
  });

  it('have no more members than the limit, however many are let in at once', async () => {
    const { id: channelId } = await conceal();
    await crowd(channelId, limits.channelMembers - 2);
    const outcomes = await Promise.allSettled(
      [ben, cem].map(({ id: userId }) => ann.send('channel:addMember', { channelId, userId })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const tooMany = Array.from({ length: limits.channelMembers + 1 }, () => v7());
    const wanted = { serverId, name: 'full', private: true, userIds: tooMany };
    expect((await ann.fails('channel:create', wanted)).code).to.equal('invalid');
  });

  /** People who never sign in, in the server and in a private channel of it. */
  async function crowd(channelId: string, count: number) {
    await sql(
      `with made as (
         insert into rooms (id, kind) select gen_random_uuid(), 'user' from generate_series(1, $3) returning id
       ), people as (
         insert into users (id, kind, display_name) select id, 'guest', 'Crowd' from made returning id
       ), members as (
         insert into members (server_id, user_id, role, version, user_version) select $1, id, 'member', 1, 1 from people
         returning user_id
       )
       insert into channel_members (channel_id, server_id, user_id, user_version)
       select $2, $1, user_id, 1 from members`,
      serverId,
      channelId,
      count,
    );
  }

  describe('made of a public one', () => {
    let channelId: string;
    beforeEach(async () => {
      channelId = (await ann.send('channel:create', { serverId, name: 'plan' })).channel.id;
      for (const person of [ann, ben, cem]) await person.send('channel:join', { channelId });
      await say(cem, channelId);
      for (const person of [ann, ben, cem]) await heardChange(person, 'message:created');
    });

    it('throw everybody else out at once; who stays misses nothing', async () => {
      const { version } = await stateFor(ann);
      const channel = await update(channelId, { private: true, userIds: [ben.id] });
      expect(channel).to.deep.include({ private: true, memberIds: [ann.id, ben.id].sort() });
      await say(ann, channelId, 'Between us');
      await cem.hears('head', ({ room }) => room === timelineRoom(channelId));
      const closed = await heardChange(cem, 'channel:closed', serverRoom(serverId));
      expect(closed.changes).to.deep.equal([
        { type: 'channel:closed', version: version + 1, channelId },
      ]);
      await cem.hears('activity', ({ timelines }) => timelines[channelId] === null);
      await ben.hears('changes', ({ changes }) =>
        changes.some((change) => 'message' in change && change.message.body === 'Between us'),
      );
      await Promise.all([settled(ben), settled(cem)]);
      expect(everythingHeard(cem)).to.not.include('Between us');
      expect(
        cem.heard('activity').filter(({ timelines }) => timelines[channelId] !== null),
      ).to.deep.equal([]);
      expect(ben.heard('head')).to.deep.equal([]);
      expect(ben.heard('activity')).to.deep.equal([]);
      for (const failure of await Promise.all([
        cem.fails('message:send', { timelineId: channelId, body: 'Hello?' }),
        cem.fails('message:list', { timelineId: channelId }),
        cem.fails('channel:join', { channelId }),
      ]))
        expect(failure.code).to.equal('not_found');
    });

    it('tell who stays of the private channel before the public one ends', async () => {
      await update(channelId, { private: true, userIds: [ben.id] });
      await heardChange(ben, 'channel:closed');
      const types = ben.heard('changes').flatMap(({ changes }) => changes.map(({ type }) => type));
      expect(types.slice(-2)).to.deep.equal(['privateChannel:joined', 'channel:closed']);
      await update(channelId, { private: false });
      await heardChange(ben, 'privateChannel:opened');
      const after = ben.heard('changes').flatMap(({ changes }) => changes.map(({ type }) => type));
      expect(after.slice(-2)).to.deep.equal(['channel:opened', 'privateChannel:opened']);
    });

    it('say nothing of a new name to those who are out, nor of the old one to those who come', async () => {
      await ann.send('channel:update', { channelId, private: true, name: 'coup' });
      await heardChange(cem, 'channel:closed');
      const opened = await ann.send('channel:update', { channelId, private: false, name: 'party' });
      expect(opened.channel).to.include({ private: false, name: 'party' });
      const { changes } = await heardChange(cem, 'channel:opened', serverRoom(serverId));
      expect(changes).to.deep.equal([
        { type: 'channel:opened', version: opened.channel.version, channel: opened.channel },
      ]);
      expect(everythingHeard(cem)).to.not.include('coup');
      await cem.send('channel:join', { channelId });
    });

    it('changes nothing if it is so already', async () => {
      const channel = await update(channelId, { private: true, userIds: [ben.id] });
      for (const what of [{ private: true }, { private: true, userIds: [ben.id] }, {}])
        expect(await update(channelId, what)).to.deep.equal(channel);
      const more = await update(channelId, { private: true, userIds: [cem.id] });
      expect(more).to.have.property('memberIds').with.length(3);
      const open = await update(channelId, { private: false });
      expect(await update(channelId, { private: false })).to.deep.equal(open);
    });

    it('leave who stays as far in reading as they were, and begin anew for who comes', async () => {
      for (const person of [ben, cem]) await person.send('channel:leave', { channelId });
      await update(channelId, { private: true, userIds: [ben.id] });
      await say(ann, channelId);
      const unread = async (person: Person) => {
        const fresh = await person.again();
        fresh.close();
        return fresh.ready.timelines[channelId];
      };
      expect(await unread(ben)).to.include({ last: 2, read: 0 });
      expect(await unread(cem)).to.equal(undefined);
      await ann.send('channel:addMember', { channelId, userId: cem.id });
      expect(await unread(cem)).to.equal(undefined);
      await ann.send('channel:removeMember', { channelId, userId: cem.id });
      await say(ann, channelId);
      await update(channelId, { private: false });
      expect(await unread(ben)).to.include({ last: 3, read: 0 });
      expect(await unread(cem)).to.equal(undefined);
    });

    it('say that something was said to those alone who are in them', async () => {
      for (const person of [ben, cem]) await person.send('channel:leave', { channelId });
      await update(channelId, { private: true, userIds: [ben.id] });
      const said = (await say(ann, channelId)).message;
      const { timelines } = await ben.hears('activity');
      expect(timelines).to.deep.equal({
        [channelId]: { since: 1, last: said.position, serverId },
      });
      await settled(cem);
      expect(
        cem.heard('activity').flatMap(({ timelines }) => Object.values(timelines)),
      ).to.deep.equal([null]);
    });
  });

  describe('and the default one', () => {
    it('are never the same', async () => {
      const { id: channelId } = await conceal();
      const attempts = await Promise.all([
        ann.fails('channel:update', { channelId: defaultId, private: true }),
        ann.fails('server:update', { serverId, defaultChannelId: channelId }),
      ]);
      expect(attempts.map(({ code }) => code)).to.deep.equal(['conflict', 'conflict']);
      await ann.send('channel:update', { channelId, private: false });
      await ann.send('server:update', { serverId, defaultChannelId: channelId });
      await ann.send('channel:update', { channelId: defaultId, private: true });
    });

    it('are not to be made the same by raw SQL, nor anybody let in who is not in the server', async () => {
      const { id } = await conceal();
      const stranger = await app.person();
      const attempts: [string, ...unknown[]][] = [
        ['update channels set private = true where id = $1', defaultId],
        ['update servers set default_channel_id = $1 where id = $2', id, serverId],
        ['update servers set default_is_private = true where id = $1', serverId],
        [
          `insert into channel_members (channel_id, server_id, user_id, user_version) values ($1, $2, $3, 1)`,
          id,
          serverId,
          stranger.id,
        ],
      ];
      for (const attempt of attempts) {
        const failure = await sql(...attempt).then(
          () => undefined,
          (error: unknown) => (error as Error).message,
        );
        expect(failure, attempt[0]).to.be.a('string');
      }
      stranger.close();
    });
  });
});
