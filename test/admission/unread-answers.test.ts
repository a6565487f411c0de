import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket as TcpSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Socket } from 'socket.io-client';
import { limits } from '../../shared/limits.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp } from '../support/app.ts';
import { freshDatabase } from '../support/database.ts';
import { fillTimelines } from '../support/full.ts';
import { atLength } from '../support/length.ts';
import { startNode } from '../support/node.ts';
import { connectAs, enterAs, type Person } from '../support/person.ts';

const megabyte = 1_048_576;

describe('fifty clients that read nothing', () => {
  let node: { url: string; process: ChildProcess };
  let honest: Person;
  const deaf: Person[] = [];
  let timelineIds: string[];

  const memory = async () => {
    const status = await readFile(`/proc/${node.process.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
  };
  const wireOf = ({ socket }: Person) =>
    (socket.io.engine.transport as unknown as { ws: { _socket: TcpSocket } }).ws._socket;
  const everything = () => ({
    epoch: 'another life',
    rooms: Object.fromEntries(timelineIds.map((id) => [timelineRoom(id), 0])),
  });
  const page = (i: number) => ({ timelineId: timelineIds[i % timelineIds.length], limit: 100 });
  const ask = ({ socket }: Person, round: number) => {
    for (let i = 0; i < 4; i += 1) {
      (socket as Socket).emit('sync', everything(), () => undefined);
      (socket as Socket).emit('message:list', page(4 * round + i), () => undefined);
    }
  };

  before(async () => {
    const where = await freshDatabase();
    const app = await startApp({}, where);
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Full' });
    timelineIds = [server.defaultChannelId];
    for (let i = 1; i < limits.roomsPerSync; i += 1) {
      const name = `channel-${i}`;
      const { channel } = await ann.send('channel:create', { serverId: server.id, name });
      timelineIds.push(channel.id);
    }
    const body = '😀'.repeat(limits.body);
    await fillTimelines(app, timelineIds, { authorId: ann.id, body, many: 100 });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    const people = [ann];
    for (let i = 0; i < 4; i += 1) {
      const person = await app.person();
      await person.send('server:join', { code: invite.code });
      people.push(person);
    }
    await app.close();
    node = await startNode({ settings: { PARLEY_RATE_SCALE: '1' }, where, heap: 128 });
    for (const { cookie } of people)
      for (let i = 0; i < 10; i += 1) deaf.push(await connectAs(node.url, cookie));
    honest = await enterAs(node.url, 'guest', { displayName: 'Ben' });
  });
  after(() => void node.process.kill('SIGKILL'));

  it('cost a node less than 150 MB, and clients that read are still served', async () => {
    const before = await memory();
    let peak = before;
    for (const person of deaf) wireOf(person).pause();
    for (let i = 0; i < atLength(50, 300) && node.process.exitCode === null; i += 1) {
      if (i % 20 === 0) for (const person of deaf) ask(person, i / 20);
      peak = Math.max(peak, await memory().catch(() => 0));
      // Five seconds, or half a minute at length, in real time, because the memory of the node is real.
      await sleep(100);
    }
    for (const person of deaf) person.close();
    expect(node.process.exitCode, 'the node lives').to.equal(null);
    await honest.send('server:list', {});
    expect((peak - before) / megabyte, 'MB').to.be.below(150);
  });
});
