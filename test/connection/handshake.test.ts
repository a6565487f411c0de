import { once } from 'node:events';
import { expect } from 'chai';
import { Manager } from 'socket.io-client';
import { v7 } from 'uuid';
import type { People, Person as Known } from '../../shared/people.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { query } from '../../server/database/database.ts';
import { until } from '../support/time.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { withTableLock } from '../support/table-lock.ts';
import { openPerson, openSocket, type ClientSocket, type Person } from '../support/person.ts';
import { ask, pair } from '../support/relationships.ts';

type Said = [event: string, payload: unknown];

const personOf = (id: string): [string, Known] => [
  id,
  { id, name: 'Crowd', kind: 'guest', rev: 1 },
];

it('a client that sends a command before it is admitted is cut off', async () => {
  const app = await startApp();
  const says = (...packets: string[]) =>
    new Promise<string>((resolve) => {
      const options = { transports: ['websocket'], reconnection: false, autoConnect: false };
      const line = new Manager(app.url, options);
      line.once('close', () => resolve('cut off'));
      line.open(() => {
        line.engine.on('data', (said: string) => resolve(said.slice(0, 1)));
        for (const packet of packets) line.engine.send(packet);
      });
    });
  const refused = '4';
  const stranger = '0{"protocol":1}';
  const command = '20["server:list",{}]';
  expect(await says(stranger)).to.equal(refused);
  expect(await says(command)).to.equal('cut off');
  expect(await says(stranger, command)).to.equal('cut off');
  await app.close();
});

describe('a connecting socket', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  before(async () => void (app = await startPatientApp()));
  after(() => app.close());
  beforeEach(async () => {
    [ann, ben] = await pair(app);
  });

  /** Chores of the node read messages, too, and wait like the handshake. */
  const readsUnread = async () => {
    const waiting = await query(
      app.db,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%last_position as last%'`,
    );
    return waiting.length > 0;
  };

  /** Stops a handshake of Ann's between reading her own room and unread messages. Passes the socket and its events. */
  async function whileItWaits(work: (socket: ClientSocket, events: Said[]) => Promise<void>) {
    const events: Said[] = [];
    const arriving = await withTableLock(app.where, 'messages', 'access exclusive', async () => {
      const socket = openSocket(app.url, ann.cookie);
      socket.onAny((event: string, payload: unknown) => events.push([event, payload]));
      const arrival = openPerson(socket, app.url, ann.cookie).catch((error: unknown) => error);
      await until(() => readsUnread());
      await work(socket, events);
      return { arrival };
    });
    return { events, person: await arriving.arrival };
  }

  it('receives nothing before `ready`, and the changes committed meanwhile after it', async () => {
    const { person, events } = await whileItWaits(async (_socket, before) => {
      await ask(ben, ann);
      await ann.waitFor('changes');
      expect(before).to.deep.equal([]);
    });
    const { ready } = person as Person;
    await (person as Person).waitFor('changes');
    expect(events.map(([event]) => event)).to.deep.equal(['ready', 'changes']);
    const changes = events[1]?.[1] as RoomChanges;
    expect(changes).to.include({ room: userRoom(ann.id) });
    expect(ready).to.have.property('version', changes.from);
  });

  it('receives the answers to its commands after `ready`', async () => {
    const answered: number[] = [];
    await whileItWaits(async (socket, events) => {
      const { conn } = app.node.io.of('/').sockets.get(socket.id!)!;
      const received = once(conn as NodeJS.EventEmitter, 'packet');
      socket.emit('server:list', {}, () => answered.push(events.length));
      await received;
      // Waits as long as an answer would take.
      await ann.send('server:list', {});
    });
    await until(() => answered.length > 0);
    expect(answered).to.deep.equal([1]);
  });

  it('is closed, with the reason, if it would miss more than an answer holds', async () => {
    const people: People = Object.fromEntries(Array.from({ length: 3_000 }, () => personOf(v7())));
    const { events } = await whileItWaits(async (socket) => {
      const closed = new Promise<string>((resolve) => socket.once('disconnect', resolve));
      app.node.fanout.broadcast([userRoom(ann.id)], 'people', { people });
      expect(await closed).to.equal('io server disconnect');
    });
    expect(events).to.have.length(1);
    expect(events[0]).to.have.nested.property('[1].retry', true);
    expect(events[0]).to.have.nested.property('[1].code', 'slow');
    await ann.waitFor('people');
    expect(ann.received('people')).to.have.length(1);
  });
});
