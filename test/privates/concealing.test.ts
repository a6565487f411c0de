import { expect } from 'chai';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { settled } from '../support/place.ts';
import { allReceived, furnishSecrets, waitForChange, say } from './secret.ts';

describe('private channels', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  describe('made from a public one', () => {
    async function openToAll() {
      const place = await furnishSecrets(app);
      const { ann, ben, cem, serverId } = place;
      const channelId = (await ann.send('channel:create', { serverId, name: 'plan' })).channel.id;
      for (const person of [ann, ben, cem]) await person.send('channel:join', { channelId });
      await say(cem, channelId);
      for (const person of [ann, ben, cem]) await waitForChange(person, 'message:created');
      return { ...place, channelId };
    }

    it('evict everybody else at once; members who stay miss nothing', async () => {
      const { ann, ben, cem, serverId, update, stateFor, channelId } = await openToAll();
      const { version } = await stateFor(ann);
      const channel = await update(channelId, { private: true, userIds: [ben.id] });
      expect(channel).to.deep.include({ private: true, memberIds: [ann.id, ben.id].sort() });
      await say(ann, channelId, 'Between us');
      await cem.waitFor('head', ({ room }) => room === timelineRoom(channelId));
      const closed = await waitForChange(cem, 'channel:closed', serverRoom(serverId));
      expect(closed.changes).to.deep.equal([
        { type: 'channel:closed', version: version + 1, channelId },
      ]);
      await cem.waitFor('activity', ({ timelines }) => timelines[channelId] === null);
      await ben.waitFor('changes', ({ changes }) =>
        changes.some((change) => 'message' in change && change.message.body === 'Between us'),
      );
      await Promise.all([settled(ben), settled(cem)]);
      expect(allReceived(cem)).to.not.include('Between us');
      expect(
        cem.received('activity').filter(({ timelines }) => timelines[channelId] !== null),
      ).to.deep.equal([]);
      expect(ben.received('head')).to.deep.equal([]);
      expect(ben.received('activity')).to.deep.equal([]);
      for (const failure of await Promise.all([
        cem.expectError('message:send', { timelineId: channelId, body: 'Hello?' }),
        cem.expectError('message:list', { timelineId: channelId }),
        cem.expectError('channel:join', { channelId }),
      ]))
        expect(failure.code).to.equal('not_found');
    });

    it('announce the private channel to its members before the public one ends', async () => {
      const { ben, update, channelId } = await openToAll();
      await update(channelId, { private: true, userIds: [ben.id] });
      await waitForChange(ben, 'channel:closed');
      const types = ben
        .received('changes')
        .flatMap(({ changes }) => changes.map(({ type }) => type));
      expect(types.slice(-2)).to.deep.equal(['privateChannel:joined', 'channel:closed']);
      await update(channelId, { private: false });
      await waitForChange(ben, 'privateChannel:opened');
      const after = ben
        .received('changes')
        .flatMap(({ changes }) => changes.map(({ type }) => type));
      expect(after.slice(-2)).to.deep.equal(['channel:opened', 'privateChannel:opened']);
    });

    it('reveal neither the new name to those outside nor the old one to those who enter', async () => {
      const { ann, cem, serverId, channelId } = await openToAll();
      await ann.send('channel:update', { channelId, private: true, name: 'coup' });
      await waitForChange(cem, 'channel:closed');
      const opened = await ann.send('channel:update', { channelId, private: false, name: 'party' });
      expect(opened.channel).to.include({ private: false, name: 'party' });
      const { changes } = await waitForChange(cem, 'channel:opened', serverRoom(serverId));
      expect(changes).to.deep.equal([
        { type: 'channel:opened', version: opened.channel.version, channel: opened.channel },
      ]);
      expect(allReceived(cem)).to.not.include('coup');
      await cem.send('channel:join', { channelId });
    });

    it('stay unchanged when the current values are set', async () => {
      const { ben, cem, update, channelId } = await openToAll();
      const channel = await update(channelId, { private: true, userIds: [ben.id] });
      for (const what of [{ private: true }, { private: true, userIds: [ben.id] }, {}])
        expect(await update(channelId, what)).to.deep.equal(channel);
      const more = await update(channelId, { private: true, userIds: [cem.id] });
      expect(more).to.have.property('memberIds').with.length(3);
      const open = await update(channelId, { private: false });
      expect(await update(channelId, { private: false })).to.deep.equal(open);
    });

    it('keep the read position of members who stay, and start as read for new ones', async () => {
      const { ann, ben, cem, update, channelId } = await openToAll();
      for (const person of [ben, cem]) await person.send('channel:leave', { channelId });
      await update(channelId, { private: true, userIds: [ben.id] });
      await say(ann, channelId);
      const unread = async (person: Person) => {
        const fresh = await person.newTab();
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

    it('send activity only to their members', async () => {
      const { ann, ben, cem, serverId, update, channelId } = await openToAll();
      for (const person of [ben, cem]) await person.send('channel:leave', { channelId });
      await update(channelId, { private: true, userIds: [ben.id] });
      const said = (await say(ann, channelId)).message;
      const { timelines } = await ben.waitFor('activity');
      expect(timelines).to.deep.equal({
        [channelId]: { since: 1, last: said.position, serverId },
      });
      await settled(cem);
      expect(
        cem.received('activity').flatMap(({ timelines }) => Object.values(timelines)),
      ).to.deep.equal([null]);
    });
  });
});
