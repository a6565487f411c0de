import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Conversation } from '../../shared/conversations.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  about,
  acceptConversation,
  badge,
  circle,
  findListed,
  waitForChange,
  isOnList,
  listConversations,
  say,
  start,
} from './circle.ts';

describe('conversations', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('between two', () => {
    it('are one conversation, regardless of who starts it, and reach both with their names', async () => {
      const { ann, ben } = await circle(app);
      const { conversation, people } = await ann.send('conversation:create', { userIds: [ben.id] });
      expect(conversation).to.include({ kind: 'pair', name: null, creatorId: ann.id });
      expect(conversation.participantIds).to.deep.equal([ann.id, ben.id]);
      expect(people[ben.id]?.name).to.equal('Ben');
      expect(await start(ann, [ben.id, ann.id])).to.deep.equal(conversation);
      const theirs = await start(ben, [ann.id], { id: v7() });
      expect(theirs.id).to.equal(conversation.id);
      const received = await ben.waitFor(
        'changes',
        ({ changes }) => changes[0]?.type === 'conversation:created',
      );
      expect(received.people[ann.id]?.name).to.equal('Ann');
      const { unanswered, ...shared } = conversation;
      expect(unanswered).to.deep.equal([ben.id]);
      expect(received.changes[0]).to.deep.include({
        conversation: {
          ...shared,
          ...{ hiddenUntil: 0, request: true, requestedBy: ann.id, version: received.to },
        },
      });
    });

    it('are shown to the other person only after the first message', async () => {
      const { ann, ben } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      expect(await isOnList(ann, id)).to.equal(true);
      expect(await isOnList(ben, id)).to.equal(false);
      expect(await badge(ben, id)).to.equal(undefined);
      const { createdAt } = await say(ann, id);
      await ben.waitFor('activity', ({ timelines }) => timelines[id]?.last === 1);
      expect(await isOnList(ben, id)).to.equal(true);
      expect(await badge(ben, id)).to.deep.equal({ last: 1, read: 0, mentions: [], at: createdAt });
      expect(await badge(ann, id)).to.deep.equal({ last: 1, read: 1, mentions: [], at: createdAt });
      expect((await ben.newTab()).ready.timelines[id]?.last).to.equal(1);
    });

    it('have no name, and nobody can be added or removed', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      for (const what of [{ addUserIds: [cem.id] }, { removeUserIds: [ben.id] }, { name: 'Us' }]) {
        const failure = await ann.expectError('conversation:update', {
          conversationId: id,
          ...what,
        });
        expect(failure.code).to.equal('conflict');
      }
      const named = await ann.expectError('conversation:create', { userIds: [cem.id], name: 'Us' });
      expect(named).to.include({ code: 'invalid', field: 'name' });
      expect((await findListed(ann, id))?.participantIds).to.deep.equal([ann.id, ben.id]);
    });

    it('cannot be started with oneself', async () => {
      const { ann } = await circle(app);
      const failure = await ann.expectError('conversation:create', { userIds: [ann.id] });
      expect(failure).to.include({ code: 'invalid', field: 'userIds' });
    });

    it('can be hidden by one person until a newer message, or until started again', async () => {
      const { ann, ben } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      await say(ann, id);
      await acceptConversation(ben, id);
      const accepted = await waitForChange(ben, about(id, 'conversation:updated'));
      await ben.send('conversation:delete', { conversationId: id });
      const received = await waitForChange(
        ben,
        (change) => change.version > accepted.version && about(id, 'conversation:updated')(change),
      );
      expect((received as { conversation: Conversation }).conversation.hiddenUntil).to.equal(1);
      expect(await isOnList(ben, id)).to.equal(false);
      expect(await badge(ben, id), 'nothing is unread').to.equal(undefined);
      expect(await isOnList(ann, id)).to.equal(true);
      await ben.waitFor('read', ({ timelines }) => timelines[id] === 1);
      await say(ann, id, 'Are you there?');
      expect(await isOnList(ben, id)).to.equal(true);
      expect(await badge(ben, id)).to.include({ last: 2, read: 1 });
      await ben.send('conversation:delete', { conversationId: id });
      expect(await isOnList(ben, id)).to.equal(false);
      expect((await start(ben, [ann.id])).hiddenUntil).to.equal(null);
      expect(await isOnList(ben, id)).to.equal(true);
      const { messages } = await ben.send('message:list', { timelineId: id });
      expect(messages.map(({ body }) => body)).to.deep.equal(['Hello', 'Are you there?']);
    });

    it('require a shared server to start, and continue without one', async () => {
      const { ann, stranger, code } = await circle(app);
      const nobody = await ann.expectError('conversation:create', { userIds: [v7()] });
      const unknown = await ann.expectError('conversation:create', { userIds: [stranger.id] });
      expect(unknown.code).to.equal('not_found');
      expect({ ...unknown, requestId: '' }).to.deep.equal({ ...nobody, requestId: '' });
      expect(await listConversations(stranger)).to.deep.equal([]);
      const { server } = await stranger.send('server:join', { code });
      const { id } = await start(ann, [stranger.id]);
      await stranger.send('server:leave', { serverId: server.id });
      await say(stranger, id, 'still here');
      expect((await start(ann, [stranger.id])).id).to.equal(id);
    });
  });

  it('send a new name to people who share only a conversation', async () => {
    const { ann, cem, stranger, code } = await circle(app);
    await stranger.send('server:join', { code });
    const { id } = await start(ann, [stranger.id]);
    const [server] = (await stranger.send('server:list', {})).servers;
    await stranger.send('server:leave', { serverId: server!.id });
    await stranger.send('user:update', { displayName: 'Known' });
    await ann.waitFor('people', ({ people }) => people[stranger.id]?.name === 'Known');
    expect(cem.received('people')).to.deep.equal([]);
    const { people } = await ann.send('conversation:list', {});
    expect(people[stranger.id]?.name, id).to.equal('Known');
  });
});
