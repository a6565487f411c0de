import type { Socket as TcpSocket } from 'node:net';
import { expect } from 'chai';
import { leavesUnread } from '../../server/realtime/backpressure.ts';
import { limits } from '../../shared/limits.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('a client that does not keep up', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let stuck: Person;
  let serverId: string;
  let timelineId: string;
  let wire: TcpSocket;

  const wireOf = ({ socket }: Person) =>
    (socket.io.engine.transport as unknown as { ws: { _socket: TcpSocket } }).ws._socket;
  const waitingFor = ({ socket }: Person) =>
    (
      app.node.io.of('/').sockets.get(socket.id ?? '')?.conn as unknown as
        { writeBuffer: unknown[] } | undefined
    )?.writeBuffer.length;
  const body = 'x'.repeat(3_900);
  const fill = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => ann.send('message:send', { timelineId, body })),
    );
  /** Stops reading, and asks for pages until the kernel takes no more of them and `holds`. */
  const standStill = async (device: Person, holds = () => (waitingFor(device) ?? 0) >= 1) => {
    wireOf(device).pause();
    await until(() => {
      device.socket.emit('message:list', { timelineId, limit: limits.page }, () => undefined);
      return holds();
    });
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

  it('is closed before much is queued, and catches up when it comes back', async () => {
    await fill(limits.page);
    await standStill(stuck);
    let peak = 0;
    for (let round = 0; round < 400 && waitingFor(stuck) !== undefined; round += 1) {
      await fill(5);
      peak = Math.max(peak, waitingFor(stuck) ?? 0);
    }
    expect(waitingFor(stuck)).to.equal(undefined);
    expect(peak).to.be.within(1, 2_000);
    const { messages } = await ann.send('message:list', { timelineId, limit: 1 });
    const last = messages[0]?.position ?? 0;
    await ben.waitFor('changes', ({ to }) => to === last);
    const back = await stuck.newTab();
    const { rooms } = await back.send('sync', {
      epoch: back.ready.epoch,
      rooms: { [timelineRoom(timelineId)]: 0 },
    });
    expect(rooms[0]).to.deep.include({ version: last });
  });

  it('is refused for a while after it leaves repeatedly with much unread', async () => {
    await fill(limits.page);
    // Holds the clock, so that the reconnect is always too early.
    app.hold();
    const leave = async (device: Person) => {
      const { id = '' } = device.socket;
      const there = app.node.io.of('/').sockets.get(id)!;
      let looks = 0;
      // For a while, because the buffers of the kernel grow, and take more.
      await standStill(device, () => (looks = leavesUnread(there) ? looks + 1 : 0) === 10);
      device.socket.disconnect();
      // The client forgets its id immediately, before the server notices the disconnect.
      await until(() => !app.node.io.of('/').sockets.has(id));
    };
    await leave(stuck);
    await leave(await stuck.newTab());
    const refused = await stuck.newTab().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).to.have.nested.property('data.code', 'rate_limited');
    expect(refused).to.have.nested.property('data.retryAfterMs').above(0).and.at.most(2_000);
    app.pass(2_000);
    (await stuck.newTab()).close();
  });

  it('is closed if it accepts no bytes for ten seconds', async () => {
    await fill(limits.page);
    // Holds the clock, so that the real time until then does not count.
    app.hold();
    await standStill(stuck);
    for (let second = 0; second < 9; second += 1) app.pass(1_000);
    expect(waitingFor(stuck)).not.to.equal(undefined);
    let more = 0;
    await until(() => {
      app.pass(1_000);
      more += 1;
      return waitingFor(stuck) === undefined;
    });
    // And not because the connection itself timed out, in real time.
    expect(more).to.be.below(30);
    expect(ben.socket.connected).to.equal(true);
  });
});
