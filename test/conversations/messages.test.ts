import { expect } from 'chai';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { badge, circle, say, start } from './circle.ts';

describe('conversations', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('their messages', () => {
    it('are like those of a channel', async () => {
      const { ann, ben } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      const entry = await ben.send('conversation:open', { conversationId: id });
      expect(entry).to.include({ status: 'snapshot', room: timelineRoom(id) });
      const message = await say(ann, id, 'helo');
      await ann.send('message:edit', { messageId: message.id, body: 'hello' });
      const received = await ben.waitFor(
        'changes',
        ({ room, to }) => room === timelineRoom(id) && to === 2,
      );
      expect(received.people[ann.id]?.name ?? 'Ann').to.equal('Ann');
      expect(
        (await ben.expectError('message:edit', { messageId: message.id, body: 'x' })).code,
      ).to.equal('forbidden');
      expect((await ben.expectError('message:delete', { messageId: message.id })).code).to.equal(
        'forbidden',
      );
      await ann.send('message:delete', { messageId: message.id });
      const { messages } = await ben.send('message:list', { timelineId: id });
      expect(messages[0]).to.include({ body: '', position: 1 });
      const since = await ben.send('conversation:open', { conversationId: id, since: 1 });
      expect(since.status).to.equal('changes');
    });

    it('mention those who are in it, and nobody else', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      await say(ann, id, `<@${ben.id}> and <@${cem.id}>`);
      await ben.waitFor('activity', ({ timelines }) => timelines[id]?.mentions?.[1] === true);
      expect((await badge(ben, id))?.mentions).to.deep.equal([1]);
      const theirs = await start(ann, [cem.id]);
      await say(ann, theirs.id, 'For Cem');
      await cem.waitFor('activity', ({ timelines }) => theirs.id in timelines);
      expect(cem.received('activity').some(({ timelines }) => id in timelines)).to.equal(false);
    });

    it('are not accessible to others, and a channel cannot be opened as a conversation', async () => {
      const { ann, ben, cem } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      await say(ann, id);
      expect((await cem.expectError('conversation:open', { conversationId: id })).code).to.equal(
        'not_found',
      );
      expect((await cem.expectError('message:list', { timelineId: id })).code).to.equal(
        'not_found',
      );
      expect((await cem.expectError('message:send', { timelineId: id, body: 'x' })).code).to.equal(
        'not_found',
      );
      expect((await ann.expectError('channel:join', { channelId: id })).code).to.equal('not_found');
      const [server] = (await ann.send('server:list', {})).servers;
      const conversationId = server!.defaultChannelId;
      expect((await ann.expectError('conversation:open', { conversationId })).code).to.equal(
        'not_found',
      );
      const held = { [timelineRoom(id)]: 0 };
      const { rooms } = await cem.send('sync', { epoch: cem.ready.epoch, rooms: held });
      expect(rooms).to.deep.equal([{ room: timelineRoom(id), status: 'gone' }]);
    });

    it('are reported as activity, not as changes, to a person who closed it', async () => {
      const { ann, ben } = await circle(app);
      const { id } = await start(ann, [ben.id]);
      await ben.send('conversation:open', { conversationId: id });
      await ben.send('conversation:close', { conversationId: id });
      await say(ann, id);
      const { timelines } = await ben.waitFor('activity');
      expect(timelines).to.deep.equal({ [id]: { since: 0, last: 1 } });
      expect(ben.received('changes').filter(({ room }) => room === timelineRoom(id))).to.deep.equal(
        [],
      );
      await ben.send('read:update', { timelineId: id, position: 1 });
      expect(await badge(ben, id)).to.include({ last: 1, read: 1 });
    });
  });
});
