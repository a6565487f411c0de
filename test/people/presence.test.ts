import { expect } from 'chai';
import type { Status } from '../../shared/presence.ts';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { withTableLock } from '../support/table-lock.ts';
import { enterAs, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('presence', () => {
  let app: TestApp;
  before(async () => void (app = await startPatientApp()));
  after(() => app.close());

  async function watching() {
    const ann = await app.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    const serverId = lobby?.id ?? '';
    const entry = await ann.send('server:open', { serverId });
    return { ann, serverId, entry };
  }
  async function leaves(person: Person) {
    const id = person.socket.id ?? '';
    person.close();
    await until(() => !app.node.io.of('/').sockets.has(id));
  }
  /** Waits until all earlier presence has arrived: connects another guest, whose presence comes last. */
  async function waitForPresence(to: Person) {
    const { id } = await app.guest('Last');
    app.pass(1_000);
    await to.waitFor('presence', ({ users }) => users[id] === 'online');
  }

  it('is part of the answer to opening a server, and follows later arrivals', async () => {
    const early = await app.guest('Early');
    const { ann, entry } = await watching();
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    expect(entry.presence).to.include({ [early.id]: 'online', [ann.id]: 'online' });
    const late = await app.guest('Late');
    await ann.waitFor('presence', ({ users }) => users[late.id] === 'online');
  });

  it('is read at the end of a long catch-up, not at its beginning', async () => {
    const { ann, serverId } = await watching();
    const [lobby] = (await ann.send('server:list', {})).servers;
    const ben = await app.guest('Ben');
    const back = await ann.newTab();
    const rooms = { [serverRoom(serverId)]: 0, [timelineRoom(lobby!.defaultChannelId)]: 0 };
    await ben.send('message:send', { timelineId: lobby!.defaultChannelId, body: 'Bye' });
    const answer = await withTableLock(app.where, 'messages', 'access exclusive', async () => {
      const asked = back.send('sync', { epoch: back.ready.epoch, rooms });
      await ben.send('session:logout', {});
      await back.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
      return { asked };
    });
    const [entry] = (await answer.asked).rooms;
    expect(entry)
      .to.have.property('presence')
      .that.includes({ [ann.id]: 'online' });
    expect(entry).to.have.property('presence').that.does.not.have.property(ben.id);
  });

  it('ends at once with a sign-out', async () => {
    const still = await startApp();
    const ann = await still.person('Ann');
    const [lobby] = (await ann.send('server:list', {})).servers;
    await ann.send('server:open', { serverId: lobby?.id ?? '' });
    const ben = await still.guest('Ben');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    still.hold();
    await ben.send('session:logout', {});
    // Up to 4 s: enough for the batch of one second, but less than the 5 s after which a lost connection is offline.
    let passed = 0;
    await until(() => {
      if (passed < 4_000) still.pass(20);
      passed += 20;
      return ann.received('presence').some(({ users }) => users[ben.id] === 'offline');
    });
    await still.close();
  });

  it('stays while another tab is open, and outlives a reload', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    const tab = await ben.newTab();
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    await leaves(tab);
    app.pass(6_000);
    await waitForPresence(ann);
    await leaves(ben);
    const reloaded = await ben.newTab();
    app.pass(6_000);
    await waitForPresence(ann);
    const isOffline = () =>
      ann.received('presence').some(({ users }) => users[ben.id] === 'offline');
    expect(isOffline()).to.equal(false);
    await leaves(reloaded);
    // Real time passes in addition: several seconds on a slow machine.
    app.pass(500);
    await waitForPresence(ann);
    expect(isOffline(), 'for five seconds it may come back').to.equal(false);
    app.pass(6_000);
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
  });

  it('is not sent to people without a shared server', async () => {
    const { ann, serverId } = await watching();
    const { server } = await ann.send('server:create', { name: 'Alone' });
    await ann.send('server:open', { serverId: server.id });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    const known = await app.person('Known');
    await known.send('server:join', { code: invite.code });
    await ann.send('server:leave', { serverId });
    const stranger = await app.guest('Stranger');
    await known.send('presence:set', { status: 'dnd' });
    app.pass(1_000);
    await ann.waitFor('presence', ({ users }) => users[known.id] === 'dnd');
    expect(ann.received('presence').some(({ users }) => stranger.id in users)).to.equal(false);
  });

  it('survives becoming registered', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    const body = { username: 'ben.of.presence', password: 'a long enough one' };
    const claimed = await enterAs(app.url, 'register', body, ben.cookie);
    expect(claimed.id).to.equal(ben.id);
    await until(() => !app.node.io.of('/').sockets.has(ben.socket.id ?? ''));
    app.pass(6_000);
    await waitForPresence(ann);
    expect(ann.received('presence').some(({ users }) => users[ben.id] === 'offline')).to.equal(
      false,
    );
  });

  it('is shown to others, sent to other devices, and kept when chosen', async () => {
    const { ann, serverId } = await watching();
    const ben = await app.person('Ben');
    const tab = await ben.newTab();
    expect(ben.ready.seenAs).to.equal('online');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    await ben.send('presence:set', { status: 'dnd' });
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'dnd');
    await tab.waitFor('seenAs', ({ status }) => status === 'dnd');
    await tab.send('session:logout', {});
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
    const { username } = ben.user;
    const password = `the password of ${username}`;
    const back = await enterAs(app.url, 'login', { username, password });
    expect(back.ready.seenAs).to.equal('dnd');
    const { presence } = await ann.send('member:list', { serverId, limit: 100 });
    expect(presence).to.include({ [ben.id]: 'dnd' });
  });

  it('appears as offline to everybody, in every answer and event, when set to invisible', async () => {
    const { ann, serverId } = await watching();
    const ben = await app.guest('Ben');
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
    await ben.send('presence:set', { status: 'invisible' });
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'offline');
    const before = ann.received('presence').length;
    const tab = await ben.newTab();
    expect(tab.ready.seenAs).to.equal('invisible');
    await tab.send('presence:update', { active: false });
    await tab.send('presence:update', { active: true });
    const opened = await ann.send('server:open', { serverId });
    const listed = await ann.send('member:list', { serverId, limit: 100 });
    const read = await fetch(`${app.url}/api/servers/${serverId}`, {
      headers: { cookie: ann.cookie },
    });
    expect(opened.status).to.not.equal('gone');
    for (const answer of [opened, listed, await read.json()])
      expect((answer as { presence: object }).presence)
        .to.include({ [ann.id]: 'online' })
        .and.to.not.have.property(ben.id);
    expect(JSON.stringify([opened, listed])).to.not.include('invisible');
    await waitForPresence(ann);
    const since = ann.received('presence').slice(before);
    expect(since.filter(({ users }) => ben.id in users)).to.deep.equal([]);
    await ben.send('presence:set', { status: 'online' });
    await ann.waitFor('presence', ({ users }) => users[ben.id] === 'online');
  });

  it('is idle only while no device is in use, and a chosen status takes precedence', async () => {
    const { ann } = await watching();
    const ben = await app.guest('Ben');
    const tab = await ben.newTab();
    const seen = () => ann.received('presence').flatMap(({ users }) => users[ben.id] ?? []);
    const becomes = async (...statuses: Status[]) => {
      await ann.waitFor('presence', () => seen().length >= statuses.length);
      await waitForPresence(ann);
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

  it('cannot be set to a status that is not selectable', async () => {
    const ben = await app.guest('Ben');
    const failure = await ben.expectError('presence:set', { status: 'offline' as never });
    expect(failure).to.include({ code: 'invalid', field: 'status' });
  });
});
