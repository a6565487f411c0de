import { expect } from 'chai';
import type { Status } from '../shared/presence.ts';
import { serverRoom, timelineRoom } from '../shared/rooms.ts';
import { startApp, type TestApp } from './support/app.ts';
import { holding } from './support/holding.ts';
import { enterAs } from './support/person.ts';

describe('presence', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  async function watching() {
    const ann = await app.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    const entry = await ann.send('server:open', { serverId });
    return { ann, serverId, entry };
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('is part of opening a server, and follows who comes', async () => {
    const early = await app.guest('Early');
    const { ann, entry } = await watching();
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    expect(entry.presence).to.include({ [early.id]: 'online', [ann.id]: 'online' });
    const late = await app.guest('Late');
    await ann.hears('presence', ({ users }) => users[late.id] === 'online');
  });

  it('is answered as it is at the end of a long catching up, not as it was at the beginning', async () => {
    const { ann, serverId } = await watching();
    const [lobby] = (await ann.send('server:list', {})).servers;
    const ben = await app.guest('Ben');
    const back = await ann.again();
    const rooms = { [serverRoom(serverId)]: 0, [timelineRoom(lobby!.defaultChannelId)]: 0 };
    // One message, so that there is something to read.
    await ben.send('message:send', { timelineId: lobby!.defaultChannelId, body: 'Bye' });
    const answer = await holding(app.where, 'messages', 'access exclusive', async () => {
      const asked = back.send('sync', { epoch: back.ready.epoch, rooms });
      await pause(200);
      await ben.send('session:logout', {});
      await back.hears('presence', ({ users }) => users[ben.id] === 'offline');
      return { asked };
    });
    const [entry] = (await answer.asked).rooms;
    expect(entry)
      .to.have.property('presence')
      .that.includes({ [ann.id]: 'online' });
    expect(entry).to.have.property('presence').that.does.not.have.property(ben.id);
  });

  it('ends at once with a sign-out', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const before = Date.now();
    await ben.send('session:logout', {});
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
    // The batch of a second, and not the patience of five that a lost connection has.
    expect(Date.now() - before).to.be.below(4_000);
  });

  it('stays while another tab is open, and outlives a reload', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    const tab = await ben.again();
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    tab.close();
    await pause(1_500);
    ben.close();
    const reloaded = await ben.again();
    await pause(6_500);
    const wentOff = () => ann.heard('presence').some(({ users }) => users[ben.id] === 'offline');
    expect(wentOff()).to.equal(false);
    reloaded.close();
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
  });

  it('is not told to those who share no server', async () => {
    const { ann, serverId } = await watching();
    const { server } = await ann.send('server:create', { name: 'Alone' });
    await ann.send('server:open', { serverId: server.id });
    await ann.send('server:leave', { serverId });
    const stranger = await app.guest('Stranger');
    await pause(2_500);
    expect(ann.heard('presence').some(({ users }) => stranger.id in users)).to.equal(false);
  });

  it('survives becoming registered', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    const body = { username: 'ben.of.presence', password: 'a long enough one' };
    const claimed = await enterAs(app.url, 'register', body, ben.cookie);
    expect(claimed.id).to.equal(ben.id);
    await pause(6_500);
    expect(ann.heard('presence').some(({ users }) => users[ben.id] === 'offline')).to.equal(false);
  });

  it('chosen is seen by others, told to one’s other devices, and kept', async () => {
    const { ann, serverId } = await watching();
    const ben = await app.person('Ben');
    const tab = await ben.again();
    expect(ben.ready.seenAs).to.equal('online');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    await ben.send('presence:set', { status: 'dnd' });
    await ann.hears('presence', ({ users }) => users[ben.id] === 'dnd');
    await tab.hears('seenAs', ({ status }) => status === 'dnd');
    await tab.send('session:logout', {});
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
    const { username } = ben.user;
    const password = `the password of ${username}`;
    const back = await enterAs(app.url, 'login', { username, password });
    expect(back.ready.seenAs).to.equal('dnd');
    const { presence } = await ann.send('member:list', { serverId, limit: 100 });
    expect(presence).to.include({ [ben.id]: 'dnd' });
  });

  it('invisible is offline for everybody, in everything that is told of it', async () => {
    const { ann, serverId } = await watching();
    const ben = await app.guest('Ben');
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
    await ben.send('presence:set', { status: 'invisible' });
    await ann.hears('presence', ({ users }) => users[ben.id] === 'offline');
    const heard = ann.heard('presence').length;
    const tab = await ben.again();
    expect(tab.ready.seenAs).to.equal('invisible');
    await tab.send('presence:update', { active: false });
    await tab.send('presence:update', { active: true });
    const opened = await ann.send('server:open', { serverId });
    const listed = await ann.send('member:list', { serverId, limit: 100 });
    const read = await fetch(`${app.url}/api/servers/${serverId}`, {
      headers: { cookie: ann.cookie },
    });
    expect(opened.status).to.not.equal('gone');
    for (const told of [opened, listed, await read.json()])
      expect((told as { presence: object }).presence)
        .to.include({ [ann.id]: 'online' })
        .and.to.not.have.property(ben.id);
    expect(JSON.stringify([opened, listed])).to.not.include('invisible');
    await pause(2_500);
    const since = ann.heard('presence').slice(heard);
    expect(since.filter(({ users }) => ben.id in users)).to.deep.equal([]);
    await ben.send('presence:set', { status: 'online' });
    await ann.hears('presence', ({ users }) => users[ben.id] === 'online');
  });

  it('is idle only while no device is in use, and what was chosen counts more', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    const tab = await ben.again();
    const seen = () => ann.heard('presence').flatMap(({ users }) => users[ben.id] ?? []);
    const becomes = async (...statuses: Status[]) => {
      await ann.hears('presence', () => seen().length >= statuses.length);
      await pause(1_500);
      expect(seen()).to.deep.equal(statuses);
    };
    await becomes('online');
    await ben.send('presence:update', { active: false });
    await becomes('online');
    await tab.send('presence:update', { active: false });
    await becomes('online', 'idle');
    await tab.send('presence:update', { active: true });
    await becomes('online', 'idle', 'online');
    await ben.send('presence:set', { status: 'idle' });
    await becomes('online', 'idle', 'online', 'idle');
    await ben.send('presence:set', { status: 'dnd' });
    await tab.send('presence:update', { active: false });
    await becomes('online', 'idle', 'online', 'idle', 'dnd');
    await ben.send('presence:set', { status: 'online' });
    await becomes('online', 'idle', 'online', 'idle', 'dnd', 'idle');
  });

  it('refuses what is no status to choose', async () => {
    const ben = await app.guest('Ben');
    const failure = await ben.fails('presence:set', { status: 'offline' as never });
    expect(failure).to.include({ code: 'invalid', field: 'status' });
  });
});
