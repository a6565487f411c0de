import { expect } from 'chai';
import pg from 'pg';
import { v7 } from 'uuid';
import { serverRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('the work of a sync', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let channelIds: string[];
  let statements = 0;
  // oxlint-disable-next-line typescript/unbound-method -- restored later, and called as a method
  const { query } = pg.Client.prototype;

  const sync = (person: Person, rooms: Room[], version = 1) =>
    person.send('sync', {
      epoch: person.ready.epoch,
      rooms: Object.fromEntries(rooms.map((room) => [room, version])) as Record<Room, number>,
    });
  /** The fewest statements of three tries, because a new connection adds some. */
  const cost = async (work: () => Promise<unknown>) => {
    let fewest = Infinity;
    for (let i = 0; i < 3; i += 1) {
      const before = statements;
      await work();
      fewest = Math.min(fewest, statements - before);
    }
    return fewest;
  };
  const nowhere = (many: number): Room[] =>
    Array.from({ length: many }, (_, i) => {
      const id = v7();
      return i % 3 === 0 ? serverRoom(id) : i % 3 === 1 ? timelineRoom(id) : userRoom(id);
    });

  before(async () => {
    const counted = function (this: pg.Client, ...given: unknown[]) {
      statements += 1;
      return Reflect.apply(query, this, given) as unknown;
    };
    pg.Client.prototype.query = counted as typeof query;
    app = await startApp();
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Wide' });
    channelIds = [server.defaultChannelId];
    for (let i = 0; i < 99; i += 1) {
      const { channel } = await ann.send('channel:create', { serverId: server.id, name: `c-${i}` });
      channelIds.push(channel.id);
    }
    for (const timelineId of channelIds) await ann.send('message:send', { timelineId, body: 'x' });
    app.hold();
  });
  after(async () => {
    await app.close();
    pg.Client.prototype.query = query;
  });

  const few = 20;
  /** Statements of new connections. */
  const slack = 8;

  it('is the same for two hundred rooms that do not exist as for three', async () => {
    const little = await cost(() => sync(ann, nowhere(3)));
    const much = await cost(() => sync(ann, nowhere(200)));
    expect(little).to.be.below(few);
    expect(much).to.be.at.most(little + slack);
  });

  it('is small for an account that has used up its limit for entering rooms', async () => {
    const strict = await startStrictApp();
    const eve = await strict.guest();
    const refused = async () => {
      const error: unknown = await sync(eve, nowhere(200)).catch((error: unknown) => error);
      return (error as { code?: string }).code === 'rate_limited';
    };
    for (let i = 0; i < 3; i += 1) expect(await refused()).to.equal(false);
    expect(await refused()).to.equal(true);
    strict.hold();
    const much = await cost(async () => {
      for (let i = 0; i < 20; i += 1) expect(await refused()).to.equal(true);
    });
    // A single check of the rights would take twelve.
    expect(much).to.be.below(3 * 20);
    await strict.close();
  });

  it('is the same for a hundred hidden timelines as for one', async () => {
    const rooms = channelIds.map(timelineRoom);
    const little = await cost(() => sync(ben, rooms.slice(0, 1)));
    const much = await cost(async () => {
      const answer = await sync(ben, rooms);
      expect(new Set(answer.rooms.map(({ status }) => status))).to.deep.equal(new Set(['gone']));
    });
    expect(much).to.be.at.most(little + slack);
  });

  it('is the same for a hundred current timelines as for one', async () => {
    const rooms = channelIds.map(timelineRoom);
    // Each try has a connection that has not joined any of the rooms.
    const fresh = async () => [await ann.newTab(), await ann.newTab(), await ann.newTab()];
    const ones = await fresh();
    const others = await fresh();
    const last = others[0];
    const little = await cost(() => sync(ones.pop() ?? ann, rooms.slice(0, 1)));
    const much = await cost(async () => {
      const answer = await sync(others.pop() ?? ann, rooms);
      expect(answer.rooms.map(({ status }) => status)).to.deep.equal(rooms.map(() => 'current'));
    });
    expect(much).to.be.at.most(little + slack);
    await ann.send('message:send', { timelineId: channelIds[50] ?? '', body: 'heard' });
    await last?.waitFor('changes', ({ room }) => room === rooms[50]);
  });
});
