import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { quotas } from '../../shared/quotas.ts';
import { userRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addGroups } from '../support/full.ts';
import { Mirror } from '../support/mirror.ts';
import { connectAs, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';
import {
  about,
  acceptConversation,
  badge,
  befriend,
  change,
  circle,
  findListed,
  waitForChange,
  newMember,
  listConversations,
  say,
  start,
} from './circle.ts';

describe('message requests', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  const fill = (person: Person, count: number, by: string | null = null) =>
    addGroups(app, person, count, by);

  it('come from strangers, not from friends; the sender has a conversation', async () => {
    const { ann, ben, cem } = await circle(app);
    await befriend(ann, cem);
    const { id } = await start(ann, [ben.id]);
    expect(await findListed(ann, id)).not.to.have.property('request');
    expect(await findListed(ben, id)).to.include({ request: true });
    const group = await start(ann, [ben.id, cem.id]);
    expect(await findListed(ben, group.id)).to.include({ request: true });
    expect(await findListed(cem, group.id)).not.to.have.property('request');
    const mirror = new Mirror(ben);
    await mirror.becomesTrue();
  });

  it('do not count towards the limit of conversations, so a friend can still start one', async () => {
    const { ann, ben, cem, code } = await circle(app);
    await befriend(ann, cem);
    const stranger = await newMember(app, code);
    await fill(cem, quotas.conversationsPerPerson - 1);
    for (const by of [ben, stranger]) expect((await start(by, [cem.id])).id).to.be.a('string');
    await say(ann, (await start(ann, [cem.id])).id);
    expect(await listConversations(cem)).to.have.length(quotas.conversationsPerPerson + 2);
    const [request] = (await listConversations(cem)).filter(({ request }) => request);
    const full = await cem.expectError('conversation:accept', { conversationId: request!.id });
    expect(full.code).to.equal('conflict');
  });

  it('are limited in number, and the limit keeps no friend out', async () => {
    const { ann, ben, cem } = await circle(app);
    await befriend(ann, cem);
    await fill(cem, quotas.messageRequestsPerPerson, ben.id);
    expect((await ben.expectError('conversation:create', { userIds: [cem.id] })).code).to.equal(
      'conflict',
    );
    await start(ann, [cem.id]);
    const [request] = (await listConversations(cem)).filter(({ request }) => request);
    await cem.send('conversation:delete', { conversationId: request!.id });
    await start(ben, [cem.id]);
  });

  it('without a message stop counting after ten minutes', async () => {
    const { ann, ben, cem, code } = await circle(app);
    const stranger = await newMember(app, code);
    await fill(cem, quotas.messageRequestsPerPerson - 1, ben.id);
    const { id } = await start(ben, [cem.id]);
    const started = await ann.ask('conversation:create', { userIds: [cem.id] });
    expect(started).to.have.nested.property('error.code', 'conflict');
    await query(
      app.db,
      `update participants set requested_at = now() - interval '11 minutes'
       where conversation_id = $1 and requested_by is not null`,
      [id],
    );
    await start(ann, [cem.id]);
    await say(ben, id);
    expect(
      (await stranger.expectError('conversation:create', { userIds: [cem.id] })).code,
    ).to.equal('conflict');
  });

  it('with only deleted messages no longer count, and report all deleted positions, opened or not', async () => {
    const { ann, ben, cem } = await circle(app);
    await fill(cem, quotas.messageRequestsPerPerson - 1, ben.id);
    const { id } = await start(ben, [cem.id]);
    const [first, second] = [await say(ben, id), await say(ben, id)];
    await query(
      app.db,
      `update participants set requested_at = now() - interval '11 minutes'
       where conversation_id = $1 and requested_by is not null`,
      [id],
    );
    const take = (messageId: string) => ben.send('message:delete', { messageId });
    await take(first.id);
    expect(await badge(cem, id)).to.deep.include({ last: 2, read: 1, deleted: [1] });
    expect(await ann.ask('conversation:create', { userIds: [cem.id] })).to.have.nested.property(
      'error.code',
      'conflict',
    );
    await take(second.id);
    const gone = { last: 2, read: 2, mentions: [] };
    const { deleted, at, ...rest } = (await badge(cem, id))!;
    expect(rest).to.deep.equal(gone);
    expect(deleted).to.have.members([1, 2]);
    expect(at).to.be.a('string');
    await start(ann, [cem.id]);
    await say(ben, id);
    expect(await badge(cem, id)).to.include({ last: 3, read: 2 });
    const { message } = await ben.send('message:send', { timelineId: id, body: 'Once more' });
    await cem.send('read:update', { timelineId: id, position: message.position });
    expect((await badge(cem, id))?.deleted).to.have.members([1, 2]);
  });

  for (const [how, answer] of [
    ['a word', (who: Person, id: string) => say(who, id)],
    [
      'accepting',
      (who: Person, conversationId: string) => who.send('conversation:accept', { conversationId }),
    ],
    ['starting it oneself', (who: Person, _: string, other: Person) => start(who, [other.id])],
  ] as const)
    it(`end by ${how}`, async () => {
      const { ann, ben } = await circle(app);
      const mirror = new Mirror(ben);
      const { id } = await start(ann, [ben.id]);
      await say(ann, id);
      await answer(ben, id, ann);
      const updated = await waitForChange(ben, about(id, 'conversation:updated'));
      expect(updated).to.have.property('conversation').that.does.not.have.property('request');
      expect(await findListed(ben, id)).not.to.have.property('request');
      await mirror.becomesTrue();
    });

  it('stay hidden once ignored, until the recipient starts one, and the sender does not notice', async () => {
    const { ann, ben } = await circle(app);
    const mirror = new Mirror(ben);
    const before = await start(ann, [ben.id]);
    const { id } = before;
    await say(ann, id);
    await ben.send('conversation:open', { conversationId: id });
    await ben.send('conversation:delete', { conversationId: id });
    await waitForChange(ben, about(id, 'conversation:left'));
    const receivedBefore = ben.received('activity').length;
    await say(ann, id, 'Are you there?');
    expect(await listConversations(ben)).to.deep.equal([]);
    expect(await badge(ben, id)).to.equal(undefined);
    for (const name of ['conversation:open', 'conversation:accept'] as const)
      expect((await ben.expectError(name, { conversationId: id })).code).to.equal('not_found');
    const send = { timelineId: id, body: 'x' };
    expect((await ben.expectError('message:send', send)).code).to.equal('not_found');
    expect(await start(ann, [ben.id])).to.deep.equal(before);
    await mirror.becomesTrue();
    expect(ben.received('activity')).to.have.length(receivedBefore);
    expect((await start(ben, [ann.id])).id).to.equal(id);
    expect((await ben.send('message:list', { timelineId: id })).messages).to.have.length(2);
    await say(ben, id, 'Now I am');
    await mirror.becomesTrue();
  });

  for (const [how, answer] of Object.entries({
    'accepted it': (who: Person, conversationId: string) =>
      who.send('conversation:accept', { conversationId }),
    written: (who: Person, conversationId: string) => say(who, conversationId),
  }))
    it(`hide the presence of their recipients until they have ${how}`, async () => {
      const { ann, stranger, code } = await circle(app);
      const { server } = await stranger.send('server:join', { code });
      const { id } = await start(ann, [stranger.id]);
      await stranger.send('server:leave', { serverId: server.id });
      const seen = async () => {
        const tab = await ann.newTab();
        const entry = tab.ready as unknown as { presence: Record<string, string> };
        tab.close();
        return entry.presence[stranger.id];
      };
      expect(await seen()).to.equal(undefined);
      const isReceived = () =>
        ann
          .received('presence')
          .some(({ room, users }) => room === userRoom(ann.id) && users[stranger.id] === 'online');
      expect(isReceived()).to.equal(false);
      await answer(stranger, id);
      await until(isReceived);
      expect(await seen()).to.equal('online');
    });

  it('for a group come again after leaving it, even from a friend', async () => {
    const { ann, ben, cem } = await circle(app);
    await befriend(ann, cem);
    const { id } = await start(ann, [ben.id, cem.id]);
    await cem.send('conversation:delete', { conversationId: id });
    await change(ann, id, { addUserIds: [cem.id] });
    expect(await findListed(cem, id)).to.include({ request: true });
    await cem.send('conversation:accept', { conversationId: id });
    await change(ann, id, { removeUserIds: [cem.id] });
    await change(ann, id, { addUserIds: [cem.id] });
    expect(await findListed(cem, id)).not.to.have.property('request');
  });

  it('cannot come from guests for groups with registered people; pairs are allowed', async () => {
    const { ann, ben, code } = await circle(app);
    const [guest, other] = [await app.guest(), await app.guest()];
    for (const person of [guest, other]) await person.send('server:join', { code });
    const both = { userIds: [other.id, ann.id] };
    expect((await guest.expectError('conversation:create', both)).code).to.equal('forbidden');
    expect((await ben.send('conversation:create', both)).conversation.kind).to.equal('group');
    const third = await app.guest();
    await third.send('server:join', { code });
    const { id } = await start(guest, [other.id, third.id]);
    const more = { conversationId: id, addUserIds: [ann.id] };
    expect((await guest.expectError('conversation:update', more)).code).to.equal('forbidden');
    expect(await findListed(ann, (await start(guest, [ann.id])).id)).to.include({ request: true });
  });

  it('are limited while unanswered, and friends do not count', async () => {
    const strict = await startApp({ PARLEY_RATE_SCALE: '0.2', PARLEY_LOBBY: 'off' }, app.where);
    const few = quotas.unansweredStarts * 0.2;
    const { ann, ben: friend, cem, code } = await circle(app);
    await befriend(ann, friend);
    const last = await newMember(app, code);
    const started: string[] = [];
    for (let i = 0; i < few; i += 1)
      started.push((await start(ann, [(await newMember(app, code)).id])).id);
    const limited = await connectAs(strict.url, ann.cookie);
    const create = (...userIds: string[]) => limited.send('conversation:create', { userIds });
    const refused = await limited.expectError('conversation:create', { userIds: [cem.id] });
    expect(refused.code).to.equal('conflict');
    await create(friend.id);
    await query(
      app.db,
      `update participants set requested_at = now() - interval '8 days'
       where conversation_id = $1 and requested_by is not null`,
      [started[0]],
    );
    await create(cem.id);
    expect(
      (await limited.expectError('conversation:create', { userIds: [last.id] })).code,
    ).to.equal('conflict');
    await acceptConversation(cem, (await listConversations(cem))[0]!.id);
    await create(last.id);
    limited.close();
    await strict.close();
  });
});
