/** A client that reads nothing more: it hurts nobody, and catches up when it comes back. */
import type { Socket as TcpSocket } from 'node:net';
import { expect } from 'chai';
import { timelineRoom } from '../shared/rooms.ts';
import { startApp, type TestApp } from './support/app.ts';
import type { Person } from './support/person.ts';
import { until } from './support/time.ts';

describe('a client that does not keep up', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let stuck: Person;
  let serverId: string;
  let timelineId: string;
  let wire: TcpSocket;

  /** The connection below the socket. */
  const wireOf = ({ socket }: Person) =>
    (socket.io.engine.transport as unknown as { ws: { _socket: TcpSocket } }).ws._socket;
  const waitingFor = ({ socket }: Person) =>
    (
      app.app.io.of('/').sockets.get(socket.id ?? '')?.conn as unknown as
        { writeBuffer: unknown[] } | undefined
    )?.writeBuffer.length;
  const fill = async (count: number) => {
    const body = 'x'.repeat(3_900);
    for (let i = 0; i < count; i += 1) await ann.send('message:send', { timelineId, body });
  };

  before(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    [ann, ben, stuck] = [await app.person('Ann'), await app.person('Ben'), await app.person('Cem')];
    const { server } = await ann.send('server:create', { name: 'Quick' });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    for (const person of [ben, stuck]) {
      await person.send('server:join', { code: invite.code });
      await person.send('server:open', { serverId });
      await person.send('channel:join', { channelId: timelineId });
    }
    wire = wireOf(stuck);
  });
  afterEach(() => void wire.destroy());
  after(() => app.close());

  it('is closed before much waits for it, and comes back to what it missed', async () => {
    wire.pause();
    let most = 0;
    for (let round = 0; round < 400 && waitingFor(stuck) !== undefined; round += 1) {
      await fill(5);
      most = Math.max(most, waitingFor(stuck) ?? 0);
    }
    expect(waitingFor(stuck)).to.equal(undefined);
    expect(most).to.be.within(1, 2_000);
    const { messages } = await ann.send('message:list', { timelineId, limit: 1 });
    const last = messages[0]?.position ?? 0;
    await ben.hears('changes', ({ to }) => to === last);
    const back = await stuck.again();
    const { rooms } = await back.send('sync', {
      epoch: back.ready.epoch,
      rooms: { [timelineRoom(timelineId)]: 0 } as never,
    });
    expect(rooms[0]).to.deep.include({ version: last });
  });

  it('that leaves before much is read, again and again, stays away for a while', async () => {
    await fill(70);
    const leave = async (device: Person) => {
      wireOf(device).pause();
      // Pages as large as an answer may be, more than the kernel takes.
      for (let i = 0; i < 60; i += 1)
        device.socket.emit('message:list', { timelineId, limit: 100 }, () => undefined);
      await until(() => (waitingFor(device) ?? 0) >= 2);
      device.socket.disconnect();
      await until(() => waitingFor(device) === undefined);
    };
    await leave(stuck);
    await leave(await stuck.again());
    const refused = await stuck.again().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).to.have.nested.property('data.code', 'rate_limited');
    expect(refused).to.have.nested.property('data.retryAfterMs').above(0).and.at.most(2_000);
    app.pass(2_000);
    (await stuck.again()).close();
  });

  it('is closed when nothing goes out for ten seconds', async () => {
    await ann.send('channel:create', { serverId, name: 'pause' });
    wire.pause();
    // More than the kernel takes, less than the other bounds.
    while ((waitingFor(stuck) ?? 0) === 0) await fill(20);
    for (let second = 0; second < 9; second += 1) app.pass(1_000);
    expect(waitingFor(stuck)).not.to.equal(undefined);
    let more = 0;
    await until(() => {
      app.pass(1_000);
      more += 1;
      return waitingFor(stuck) === undefined;
    });
    // And not because the connection itself gave it up, in real time.
    expect(more).to.be.below(30);
    expect(ben.socket.connected).to.equal(true);
  });
});
