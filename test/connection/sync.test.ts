import { expect } from 'chai';
import { serverRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('sync', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let server: Room;
  let timeline: Room;
  let timelineId: string;

  const versionIn = (entry: { version?: number }) => entry.version ?? -1;
  const sync = (person: Person, rooms: Partial<Record<Room, number>>, more = {}) =>
    person.send('sync', { epoch: ann.ready.epoch, rooms: rooms as Record<Room, number>, ...more });

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    ben = await app.person('Ben');
    const made = await ann.send('server:create', { name: 'Mended' });
    serverId = made.server.id;
    timelineId = made.server.defaultChannelId;
    [server, timeline] = [serverRoom(serverId), timelineRoom(timelineId)];
    for (const body of ['one', 'two', 'three'])
      await ann.send('message:send', { timelineId, body });
  });
  after(() => app.close());

  it('answers `current` for current rooms', async () => {
    await ann.send('channel:join', { channelId: timelineId });
    const opened = await ann.send('server:open', { serverId });
    const held = { [timeline]: 3, [server]: versionIn(opened as { version: number }) };
    const { rooms, epoch } = await sync(ann, held);
    expect(rooms.map(({ room, status }) => ({ room, status }))).to.have.deep.members([
      { room: timeline, status: 'current' },
      { room: server, status: 'current' },
    ]);
    expect(epoch).to.equal(ann.ready.epoch);
  });

  it('brings missing changes, and enters rooms on a socket that is in none', async () => {
    const tab = await ann.newTab();
    const { rooms } = await sync(tab, { [timeline]: 1 });
    expect(rooms).to.have.length(1);
    expect(rooms[0]).to.deep.include({ room: timeline, status: 'changes', from: 1, version: 3 });
    await ann.send('message:send', { timelineId, body: 'four' });
    await tab.waitFor('changes', ({ room }) => room === timeline);
  });

  it('brings a snapshot if a version is ahead of the room, or nothing is held', async () => {
    const { rooms } = await sync(ann, { [timeline]: 99, [userRoom(ann.id)]: 99 });
    expect(rooms.map(({ status }) => status)).to.deep.equal(['snapshot', 'snapshot']);
  });

  it('brings a snapshot to a client from another epoch', async () => {
    const { rooms } = await sync(ann, { [timeline]: 4 }, { epoch: 'another' });
    expect(rooms).to.have.length(1);
    expect(rooms[0]?.status).to.equal('snapshot');
  });

  it('brings presence beside a server’s state', async () => {
    const tab = await ann.newTab();
    const { rooms } = await sync(tab, { [server]: 0 });
    expect(rooms[0]).to.deep.include({ presence: { [ann.id]: 'online' } });
  });

  it('answers `gone` for rooms that may not be seen, as for rooms that do not exist', async () => {
    const nothing = timelineRoom('00000000-0000-7000-8000-000000000000');
    const held = { [timeline]: 1, [server]: 1, [userRoom(ann.id)]: 0, [nothing]: 1 };
    const { rooms } = await sync(ben, held);
    expect(rooms).to.have.deep.members(
      [timeline, server, userRoom(ann.id), nothing].map((room) => ({ room, status: 'gone' })),
    );
    const hers = await sync(ann, held);
    expect(hers.rooms.map(({ status }) => status)).to.have.members([
      'changes',
      'snapshot',
      'snapshot',
      'gone',
    ]);
  });

  it('refuses invalid room names, and more rooms than an account can have', async () => {
    for (const room of ['activity:' + serverId, `timeline:${timelineId.toUpperCase()}`, 'x']) {
      const failure = await ann.expectError('sync', { epoch: '', rooms: { [room as Room]: 1 } });
      expect(failure.code).to.equal('invalid');
    }
    const many = Array.from({ length: 201 }, (_, i): [Room, number] => [
      timelineRoom(`00000000-0000-7000-8000-${String(i).padStart(12, '0')}`),
      1,
    ]);
    const failure = await ann.expectError('sync', {
      epoch: '',
      rooms: Object.fromEntries(many) as Record<Room, number>,
    });
    expect(failure).to.deep.include({ code: 'invalid', field: 'rooms' });
  });

  it('closes all sockets when the epoch changes, and they begin again from snapshots', async () => {
    const cem = await app.person('Cem');
    await query(app.db, `update settings set value = 'restored' where key = 'life'`);
    const { code, retry } = await cem.waitFor('closing');
    expect({ code, retry }).to.deep.equal({ code: 'drain', retry: true });
    const back = await cem.newTab();
    expect(back.ready.epoch).not.to.equal(ann.ready.epoch);
    const { rooms, epoch } = await back.send('sync', {
      epoch: cem.ready.epoch,
      rooms: { [userRoom(cem.id)]: versionIn(cem.ready as { version: number }) },
    });
    expect(epoch).to.equal(back.ready.epoch);
    expect(rooms[0]?.status).to.equal('snapshot');
  });
});
