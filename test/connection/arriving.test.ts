import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { countRowsRead } from '../support/rows-read.ts';
import { post, type Person } from '../support/person.ts';
import { countStatements, countWrites } from '../support/statements.ts';

/** Bound until `ready`: session and servers, then the own room, a statement for each slice, and unread timelines. */
const statements = 20;
const packets = 8;
/** Bounds for a new guest: account and Lobby membership in one transaction, the session in another. */
const guests = { statements: 25, packets: 10 };

describe('connecting', () => {
  let app: TestApp;
  let ann: Person;
  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Large' });
    await query(
      app.db,
      `with channel as (
         select gen_random_uuid() as id, n from generate_series(2, 200) as n
       ), room as (
         insert into rooms (id, kind, version, last_position) select id, 'timeline', 9, 9 from channel
       ), said as (
         insert into messages (id, timeline_id, author_id, position, version, body, created_at)
         select gen_random_uuid(), id, $2, at, at, 'x', now() from channel, generate_series(1, 9) as at
       )
       insert into channels (id, server_id, name, position, version)
       select id, $1, 'c' || n, n, 0 from channel`,
      [server.id, ann.id],
    );
    app.hold();
  });
  after(() => app.close());

  /** Counts the second arrival, when everything that is read only once is cached. */
  const rowsToArrive = async () => {
    await query(app.db, 'analyze');
    const arrive = async () => (await ann.newTab()).close();
    await arrive();
    return countRowsRead(app.db, arrive);
  };

  const othersCome = (many: number) =>
    query(
      app.db,
      `with one as (select gen_random_uuid() as id, n from generate_series(1, $1::int) as n),
         room as (insert into rooms (id, kind) select id, 'user' from one)
       insert into users (id, kind, display_name) select id, 'guest', 'Other ' || n from one`,
      [many],
    );

  /** Counts several times, because some of the counts include a new connection. */
  async function inTurn<T>(count: () => Promise<T>): Promise<T[]> {
    return [await count(), await count(), await count(), await count()];
  }

  it('runs a limited number of statements, in one transaction', async () => {
    const arrive = async () => (await ann.newTab()).close();
    await arrive();
    const tries = await inTurn(() => countStatements(arrive));
    const sent = tries.reduce((one, other) => (other.length < one.length ? other : one));
    expect(sent, sent.join('\n')).to.have.length.of.at.most(statements);
    expect(sent.filter((text) => text.startsWith('begin'))).to.have.length(1);
    expect(sent.filter((text) => sent.indexOf(text) !== sent.lastIndexOf(text))).to.deep.equal([]);
  });

  it('runs few statements in a few packets for a new guest', async () => {
    const signInGuest = () => post(app.url, '/api/auth/guest', { displayName: 'Somebody' });
    await signInGuest();
    const tries = await inTurn(() => countStatements(signInGuest));
    const sent = tries.reduce((one, other) => (other.length < one.length ? other : one));
    expect(sent, sent.join('\n')).to.have.length.of.at.most(guests.statements);
    expect(Math.min(...(await inTurn(() => countWrites(signInGuest))))).to.be.at.most(
      guests.packets,
    );
  });

  it('sends its statements in a few packets: independent ones go out together', async () => {
    const arrive = async () => (await ann.newTab()).close();
    await arrive();
    expect(Math.min(...(await inTurn(() => countWrites(arrive))))).to.be.at.most(packets);
  });

  it('reads as many rows among ten thousand accounts as among one thousand', async () => {
    // PostgreSQL scans a table of a few pages completely.
    await othersCome(1_000);
    const among = await rowsToArrive();
    expect(Object.keys((await ann.newTab()).ready.timelines)).to.have.length(199);
    await othersCome(10_000);
    expect(await rowsToArrive()).to.be.within(among - 100, among + 100);
  });
});
