import { expect } from 'chai';
import { v7 } from 'uuid';
import { quotas } from '../../shared/quotas.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { handOver, settled } from '../support/place.ts';
import {
  addSilentPrivateMembers,
  allReceived,
  furnishSecrets,
  waitForChange,
  listPrivateChannels,
  say,
} from './secret.ts';

describe('private channels', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  it('add people, who can then read all of it, and remove them again', async () => {
    const { ann, cem, defaultId, conceal } = await furnishSecrets(app);
    const { id: channelId } = await conceal();
    await say(ann, channelId);
    expect((await cem.expectError('message:list', { timelineId: channelId })).code).to.equal(
      'not_found',
    );
    await ann.send('channel:addMember', { channelId, userId: cem.id });
    await ann.send('channel:addMember', { channelId, userId: cem.id });
    await waitForChange(cem, 'privateChannel:joined');
    const [mine] = await listPrivateChannels(ann);
    expect(mine?.memberIds).to.deep.equal([ann.id, cem.id].sort());
    expect((await cem.send('message:list', { timelineId: channelId })).messages).to.have.length(1);
    await cem.send('channel:join', { channelId });
    await ann.send('channel:removeMember', { channelId, userId: cem.id });
    const room = timelineRoom(channelId);
    await cem.waitFor('head', (head) => head.room === room && head.version === null);
    await waitForChange(cem, 'privateChannel:removed');
    expect(cem.received('head')).to.deep.equal([{ room, version: null }]);
    const { epoch } = cem.ready;
    expect((await cem.send('sync', { epoch, rooms: { [room]: 0 } })).rooms).to.deep.equal([
      { room, status: 'gone' },
    ]);
    await cem.send('channel:join', { channelId: defaultId });
    const [{ memberIds } = { memberIds: [] }] = await listPrivateChannels(ann);
    expect(memberIds).to.deep.equal([ann.id]);
  });

  it('can be left by their members, except by the owner, who cannot be removed either', async () => {
    const { ann, ben, cem, conceal, promote } = await furnishSecrets(app);
    const { id: channelId } = await conceal([ben.id, cem.id]);
    await promote(ben);
    await cem.send('channel:removeMember', { channelId, userId: cem.id });
    await waitForChange(cem, 'privateChannel:left');
    const again = await ben.expectError('channel:removeMember', { channelId, userId: cem.id });
    expect(again.code).to.equal('not_found');
    for (const person of [ann, ben]) {
      const failure = await person.expectError('channel:removeMember', {
        channelId,
        userId: ann.id,
      });
      expect(failure.code).to.equal('conflict');
    }
    expect((await listPrivateChannels(ben)).map(({ memberIds }) => memberIds)).to.deep.equal([
      [ann.id, ben.id].sort(),
    ]);
  });

  it('cannot be taken from a moderator by another, by removal or by making a channel private', async () => {
    const { ann, ben, cem, defaultId, serverId, conceal, promote } = await furnishSecrets(app);
    const { id: channelId } = await conceal([ben.id, cem.id]);
    await promote(ben);
    await promote(cem);
    const peer = { channelId, userId: cem.id };
    expect((await ben.expectError('channel:removeMember', peer)).code).to.equal('forbidden');
    const { channel } = await ben.send('channel:create', { serverId, name: 'for all' });
    for (const id of [channel.id, defaultId]) {
      const taking = { channelId: id, private: true, userIds: [ben.id] };
      expect((await ben.expectError('channel:update', taking)).code).to.equal('forbidden');
    }
    await ann.send('member:update', { serverId, userId: cem.id, role: 'member' });
    await ben.send('channel:removeMember', peer);
    await ann.send('channel:update', { channelId: channel.id, private: true });
  });

  it('are lost on leaving the server, and are not restored on return', async () => {
    const { ann, ben, cem, serverId, code, conceal } = await furnishSecrets(app);
    const { id: channelId } = await conceal([ben.id, cem.id]);
    await ann.send('member:remove', { serverId, userId: ben.id });
    await waitForChange(ben, 'privateChannel:removed');
    await cem.send('server:leave', { serverId });
    await waitForChange(cem, 'privateChannel:left');
    for (const person of [ben, cem]) {
      expect(await listPrivateChannels(person)).to.deep.equal([]);
      await person.send('server:join', { code });
      expect(await listPrivateChannels(person)).to.deep.equal([]);
      expect((await person.expectError('channel:join', { channelId })).code).to.equal('not_found');
    }
    const [mine] = await listPrivateChannels(ann);
    expect(mine?.memberIds).to.deep.equal([ann.id]);
  });

  it('are deleted with the server, and only their members receive that', async () => {
    const { ann, ben, cem, serverId, conceal } = await furnishSecrets(app);
    const { id } = await conceal([ben.id]);
    await settled(cem);
    await ann.send('server:delete', { serverId });
    await waitForChange(ben, 'privateChannel:deleted');
    await waitForChange(cem, 'server:deleted');
    await settled(cem);
    expect(allReceived(cem)).to.not.include(id);
    expect(await query(app.db, 'select id from rooms where id = $1', [id])).to.deep.equal([]);
  });

  it('include a new owner, even when they are full', async () => {
    const { ann: before, ben, serverId, conceal } = await furnishSecrets(app);
    const { id: channelId } = await conceal();
    await addSilentPrivateMembers(app, serverId, channelId, quotas.channelMembers - 1);
    const ann = await before.newTab();
    before.close();
    const full = await ann.expectError('channel:addMember', { channelId, userId: ben.id });
    expect(full).to.include({ code: 'conflict' });
    await handOver(serverId, ann, ben);
    await waitForChange(ben, 'privateChannel:joined');
    await ben.send('channel:join', { channelId });
    // The former owner remains a member, and can now be removed.
    await ben.send('channel:removeMember', { channelId, userId: ann.id });
    const [mine] = await listPrivateChannels(ben);
    expect(mine?.memberIds).to.have.length(quotas.channelMembers);
  });

  it('never exceed the member limit, however many are added at once', async () => {
    const { ann: before, ben, cem, serverId, conceal } = await furnishSecrets(app);
    const { id: channelId } = await conceal();
    await addSilentPrivateMembers(app, serverId, channelId, quotas.channelMembers - 2);
    const ann = await before.newTab();
    before.close();
    const outcomes = await Promise.allSettled(
      [ben, cem].map(({ id: userId }) => ann.send('channel:addMember', { channelId, userId })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const tooMany = Array.from({ length: quotas.channelMembers + 1 }, () => v7());
    const wanted = { serverId, name: 'full', private: true, userIds: tooMany };
    expect((await ann.expectError('channel:create', wanted)).code).to.equal('invalid');
  });
});
