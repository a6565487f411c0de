import { expect } from 'chai';
import { v7 } from 'uuid';
import { mentionOf, namedIn } from '../../shared/mentions.ts';
import { quotas } from '../../shared/quotas.ts';
import { userRoom } from '../../shared/rooms.ts';
import { activityRoom } from '../../server/realtime/room-names.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { swept } from '../support/swept.ts';

describe('mentions', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let timelineId: string;
  let code: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cem] = await Promise.all([app.person('Ann'), app.person('Ben'), app.person('Cem')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    code = (await ann.send('invite:create', { serverId })).invite.code;
    for (const person of [ben, cem]) await person.send('server:join', { code });
  });
  afterEach(() => {
    for (const person of [ann, ben, cem]) person.close();
  });
  after(() => app.close());

  const say = async (person: Person, body: string, where = timelineId) =>
    (await person.send('message:send', { timelineId: where, body })).message;
  const mentionsOf = async (person: Person, where = timelineId) => {
    const fresh = await person.newTab();
    fresh.close();
    return fresh.ready.timelines[where]?.mentions;
  };
  const mentionsReceived = (person: Person, where = timelineId) =>
    person
      .received('activity')
      .flatMap(({ timelines }) => [timelines[where]?.mentions].filter((one) => one !== undefined));

  it('are read from the ids in a body, once each, regardless of case', () => {
    const [one, two] = [v7(), v7()];
    const body = `Hi ${mentionOf(one)}, ${mentionOf(two)} and <@${one.toUpperCase()}>; not @${one}`;
    expect(namedIn(body)).to.deep.equal([one, two]);
    expect(namedIn('<@nobody> <@> @Ben')).to.deep.equal([]);
  });

  it('reach the people they name at once, and count until they are read', async () => {
    const { position } = await say(ann, `Hello ${mentionOf(ben.id)}`);
    await say(ann, 'and all the others');
    await ben.waitFor('activity', ({ timelines }) => timelines[timelineId]?.mentions !== undefined);
    expect(mentionsReceived(ben)).to.deep.equal([{ [position]: true }]);
    expect(await mentionsOf(ben)).to.deep.equal([position]);
    const { epoch } = ben.ready;
    const { timelines } = await ben.send('sync', { epoch, rooms: {}, badges: true });
    expect(timelines?.[timelineId]).to.deep.include({ last: 2, read: 0, mentions: [position] });
    await ben.send('read:update', { timelineId, position });
    expect(await mentionsOf(ben)).to.deep.equal([]);
    expect(await mentionsOf(cem)).to.deep.equal([]);
    expect(mentionsReceived(cem)).to.deep.equal([]);
  });

  it('reach a person in the channel at the time, on each of their devices', async () => {
    const tab = await ben.newTab();
    await ben.send('channel:join', { channelId: timelineId });
    await say(ann, mentionOf(ben.id));
    for (const device of [ben, tab])
      await device.waitFor(
        'activity',
        ({ timelines }) => timelines[timelineId]?.mentions?.[1] === true,
      );
    tab.close();
  });

  it('are replaced by an edit, and removed with the message', async () => {
    const { id, position } = await say(ann, `${mentionOf(ben.id)}?`);
    await ann.send('message:edit', { messageId: id, body: `${mentionOf(cem.id)}!` });
    await ben.waitFor(
      'activity',
      ({ timelines }) => timelines[timelineId]?.mentions?.[1] === false,
    );
    await cem.waitFor('activity', ({ timelines }) => timelines[timelineId]?.mentions?.[1] === true);
    expect([await mentionsOf(ben), await mentionsOf(cem)]).to.deep.equal([[], [position]]);
    await ann.send('message:delete', { messageId: id });
    await cem.waitFor(
      'activity',
      ({ timelines }) => timelines[timelineId]?.mentions?.[1] === false,
    );
    expect(await mentionsOf(cem), 'nothing is left to read').to.equal(undefined);
  });

  it('count only for others with access: not for the author, strangers or unknown ids', async () => {
    const stranger = await app.person();
    const names = [ann.id, stranger.id, v7(), serverId].map(mentionOf).join(' ');
    const { id } = await say(ann, names);
    await ann.send('message:edit', { messageId: id, body: `${names}!` });
    const rows = await app.db.sequelize.query('select * from mentions where timeline_id = $1', {
      bind: [timelineId],
    });
    expect(rows[0]).to.deep.equal([]);
    await stranger.send('server:join', { code });
    expect(await mentionsOf(stranger)).to.equal(undefined);
    stranger.close();
  });

  it('notify nobody across a block, in either direction', async () => {
    await ben.send('block:create', { userId: ann.id });
    await ann.send('block:create', { userId: cem.id });
    const { id } = await say(ann, `${mentionOf(ben.id)} ${mentionOf(cem.id)}`);
    await ann.send('message:edit', { messageId: id, body: `${mentionOf(cem.id)}!` });
    const received = await say(cem, mentionOf(ben.id));
    expect(await mentionsOf(ben)).to.deep.equal([received.position]);
    expect(await mentionsOf(cem)).to.equal(undefined);
    expect(mentionsReceived(cem)).to.deep.equal([]);
    await ben.send('block:delete', { userId: ann.id });
    const again = await say(ann, mentionOf(ben.id));
    expect(await mentionsOf(ben)).to.deep.equal([again.position, received.position]);
  });

  it('count only for members in a private channel, and are deleted with it', async () => {
    const wanted = { serverId, name: 'secret', private: true, userIds: [ben.id] };
    const { channel } = await ann.send('channel:create', wanted);
    await say(ann, `${mentionOf(ben.id)} ${mentionOf(cem.id)}`, channel.id);
    await ben.waitFor('activity', ({ timelines }) => timelines[channel.id]?.mentions?.[1] === true);
    expect(await mentionsOf(ben, channel.id)).to.deep.equal([1]);
    expect(await mentionsOf(cem, channel.id)).to.equal(undefined);
    expect(mentionsReceived(cem, channel.id)).to.deep.equal([]);
    await ann.send('channel:removeMember', { channelId: channel.id, userId: ben.id });
    await say(ann, mentionOf(ben.id), channel.id);
    await ben.send('session:list', {});
    expect(mentionsReceived(ben, channel.id)).to.deep.equal([{ 1: true }]);
    await ann.send('channel:addMember', { channelId: channel.id, userId: ben.id });
    expect(await mentionsOf(ben, channel.id)).to.equal(undefined);
    await ann.send('channel:delete', { channelId: channel.id });
    await swept(app);
    const rows = await app.db.sequelize.query('select * from mentions where timeline_id = $1', {
      bind: [channel.id],
    });
    expect(rows[0]).to.deep.equal([]);
  });

  it('reach a member of a private channel who has not entered the server’s activity yet', async () => {
    const wanted = { serverId, name: 'secret', private: true, userIds: [ben.id] };
    const { channel } = await ann.send('channel:create', wanted);
    await ben.send('session:list', {});
    for (const socket of app.node.sockets.in(userRoom(ben.id)))
      await socket.leave(activityRoom(serverId));
    await say(ann, mentionOf(ben.id), channel.id);
    await ben.waitFor('activity', ({ timelines }) => timelines[channel.id]?.mentions?.[1] === true);
  });

  it('are sent with the people they name, in changes and in pages', async () => {
    await ben.send('channel:join', { channelId: timelineId });
    await say(ann, mentionOf(cem.id));
    const { people } = await ben.waitFor('changes', ({ room }) => room.startsWith('timeline'));
    expect(Object.keys(people)).to.have.members([ann.id, cem.id]);
    const page = await ben.send('message:list', { timelineId });
    expect(Object.keys(page.people)).to.have.members([ann.id, cem.id]);
  });

  it('bring along a person who has left when an edit keeps the mention', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'later' });
    await cem.send('channel:join', { channelId: channel.id });
    const { id } = await say(ann, mentionOf(ben.id), channel.id);
    await ben.send('server:leave', { serverId });
    await ann.send('message:edit', { messageId: id, body: `${mentionOf(ben.id)}!` });
    const { people } = await cem.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'message:updated'),
    );
    expect(people).to.have.property(ben.id);
    const { messages, ...page } = await cem.send('message:list', { timelineId: channel.id });
    expect(messages.map(({ body }) => body)).to.deep.equal([`${mentionOf(ben.id)}!`]);
    expect(page.people).to.have.property(ben.id);
  });

  it('reveal no name to people who only know an id', async () => {
    const stranger = await app.person('A stranger');
    const body = [cem.id, stranger.id].map(mentionOf).join(' ');
    await ben.send('channel:join', { channelId: timelineId });
    const { id } = await say(ann, body);
    const { people } = await ben.waitFor('changes', ({ changes }) =>
      changes.some((change) => 'message' in change && change.message.id === id),
    );
    const page = await ben.send('message:list', { timelineId });
    const fresh = await (await ben.newTab()).send('channel:join', { channelId: timelineId });
    for (const known of [people, page.people, fresh.status === 'snapshot' ? fresh.people : {}]) {
      expect(known).to.have.property(cem.id);
      expect(known).to.not.have.property(stranger.id);
    }
    await stranger.send('server:join', { code });
    await stranger.send('server:leave', { serverId });
    expect((await ben.send('message:list', { timelineId })).people).to.have.property(stranger.id);
    stranger.close();
  });

  it('are limited to the newest in a badge', async () => {
    const max = quotas.mentionsInBadge;
    await Promise.all(Array.from({ length: max + 5 }, () => say(ann, mentionOf(ben.id))));
    const mentions = (await mentionsOf(ben)) ?? [];
    expect(mentions).to.have.length(max);
    expect(Math.max(...mentions)).to.equal(max + 5);
  });
});
