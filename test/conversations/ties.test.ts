import { expect } from 'chai';
import { v7 } from 'uuid';
import { userRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { befriend } from '../support/relationships.ts';
import { about, acceptConversation, circle, waitForChange, say, start } from './circle.ts';

describe('conversations', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('with friends and across blocks', () => {
    const block = (one: Person, other: Person) => one.send('block:create', { userId: other.id });
    const seen = (who: Person, whom: Person, status: string) =>
      who.waitFor(
        'presence',
        ({ room, users }) => room === userRoom(who.id) && users[whom.id] === status,
      );

    it('can be started with a friend, or joined by one, without a shared server', async () => {
      const { ann, ben, cem, stranger } = await circle(app);
      await befriend(ann, stranger);
      const pair = await start(ann, [stranger.id]);
      expect(pair.participantIds).to.deep.equal([ann.id, stranger.id]);
      const group = await start(ben, [ann.id, cem.id]);
      const adding = { conversationId: group.id, addUserIds: [stranger.id] };
      expect((await ben.expectError('conversation:update', adding)).code).to.equal('not_found');
      await ann.send('conversation:update', adding);
      await waitForChange(stranger, about(group.id, 'conversation:created'));
    });

    it('cannot be started, and the blocked person gets no reason', async () => {
      const { ann, ben, cem } = await circle(app);
      await block(ann, ben);
      const nobody = await ben.expectError('conversation:create', { userIds: [v7()] });
      const blocked = await ben.expectError('conversation:create', { userIds: [ann.id] });
      expect({ ...blocked, requestId: '' }).to.deep.equal({ ...nobody, requestId: '' });
      const mine = await ann.expectError('conversation:create', { userIds: [ben.id] });
      expect(mine.code).to.equal('conflict');
      const together = await ben.expectError('conversation:create', { userIds: [ann.id, cem.id] });
      expect(together.code).to.equal('not_found');
      await ann.send('block:delete', { userId: ben.id });
      await start(ben, [ann.id]);
    });

    it('stay readable for two blocked people, who can delete their own messages but not write', async () => {
      const { ann, ben } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      const message = await say(ben, id, 'Let us talk');
      const other = await say(ann, id, 'Rather not');
      await block(ann, ben);
      for (const person of [ann, ben]) {
        const { code } = await person.expectError('message:send', { timelineId: id, body: 'x' });
        expect(code).to.equal('forbidden');
        expect((await person.send('message:list', { timelineId: id })).messages).to.have.length(2);
        await person.send('conversation:open', { conversationId: id });
        expect((await start(person, [person === ann ? ben.id : ann.id])).id).to.equal(id);
      }
      const edit = await ben.expectError('message:edit', { messageId: message.id, body: 'x' });
      expect(edit.code).to.equal('forbidden');
      await ben.send('message:delete', { messageId: message.id });
      const theirs = await ben.expectError('message:delete', { messageId: other.id });
      expect(theirs.code).to.equal('forbidden');
      await ann.send('block:delete', { userId: ben.id });
      await say(ben, id, 'Thank you');
    });

    it('continue unchanged in a group with two blocked people', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id, cem.id]);
      await block(ann, ben);
      await say(ben, id);
      await say(ann, id);
      const { messages } = await ann.send('message:list', { timelineId: id });
      expect(messages).to.have.length(2);
    });

    it('show the presence of the other person, until a block', async () => {
      const { ann, stranger, code } = await circle(app);
      const { server } = await stranger.send('server:join', { code });
      const { id } = await start(stranger, [ann.id]);
      await stranger.send('server:leave', { serverId: server.id });
      await acceptConversation(ann, id);
      await Promise.all([seen(ann, stranger, 'online'), seen(stranger, ann, 'online')]);
      expect((await ann.newTab()).ready).to.have.nested.property(
        `presence.${stranger.id}`,
        'online',
        id,
      );
      await stranger.send('presence:set', { status: 'dnd' });
      await seen(ann, stranger, 'dnd');
      await block(ann, stranger);
      await Promise.all([seen(ann, stranger, 'offline'), seen(stranger, ann, 'offline')]);
      const before = ann.received('presence').length;
      await stranger.send('presence:set', { status: 'idle' }).catch(() => undefined);
      const later = await app.person('Later');
      await befriend(ann, later);
      await later.send('presence:set', { status: 'dnd' });
      app.pass(1_000);
      await seen(ann, later, 'dnd');
      const received = ann.received('presence').slice(before);
      expect(received.filter(({ users }) => stranger.id in users)).to.deep.equal([]);
      expect((await ann.newTab()).ready).to.not.have.nested.property(`presence.${stranger.id}`);
      await ann.send('block:delete', { userId: stranger.id });
      await seen(ann, stranger, 'idle');
    });
  });
});
