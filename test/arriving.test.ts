/** What it costs the database to let somebody in is about what they see, and not about how many others there are. */
import { expect } from 'chai';
import { query } from '../server/database/database.ts';
import { startApp, type TestApp } from './support/app.ts';
import { countRowsLookedAt } from './support/looked-at.ts';
import { post, type Person } from './support/person.ts';
import { countStatements, countWrites } from './support/statements.ts';

/** Whose session it is, where they hear of their servers; then their own room, one for each slice, what they have not read, what they are. */
const statements = 18;
/** Its session, its servers, and all else with what follows from it. */
const packets = 8;
/** The account and its place in Lobby in one transaction, the session in another. */
const guests = { statements: 21, packets: 10 };

describe('arriving', () => {
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

  /** The second time, when everything that is read once only has been read. */
  const rowsToArrive = async () => {
    await query(app.db, 'analyze');
    const arrive = async () => (await ann.newTab()).close();
    await arrive();
    return countRowsLookedAt(app.db, arrive);
  };

  const othersCome = (many: number) =>
    query(
      app.db,
      `with one as (select gen_random_uuid() as id, n from generate_series(1, $1::int) as n),
         room as (insert into rooms (id, kind) select id, 'user' from one)
       insert into users (id, kind, display_name) select id, 'guest', 'Other ' || n from one`,
      [many],
    );

  /** A few times: a connection that is new falls into some of them. */
  async function inTurn<T>(count: () => Promise<T>): Promise<T[]> {
    return [await count(), await count(), await count(), await count()];
  }

  it('asks no more than so many statements, of one moment', async () => {
    const arrive = async () => (await ann.newTab()).close();
    await arrive();
    const tries = await inTurn(() => countStatements(arrive));
    const sent = tries.reduce((one, other) => (other.length < one.length ? other : one));
    expect(sent, sent.join('\n')).to.have.length.of.at.most(statements);
    expect(sent.filter((text) => text.startsWith('begin'))).to.have.length(1);
    expect(sent.filter((text) => sent.indexOf(text) !== sent.lastIndexOf(text))).to.deep.equal([]);
  });

  it('as a guest, for the first time, asks each thing once, in a few packets', async () => {
    const comeIn = () => post(app.url, '/api/auth/guest', { displayName: 'Somebody' });
    await comeIn();
    const tries = await inTurn(() => countStatements(comeIn));
    const sent = tries.reduce((one, other) => (other.length < one.length ? other : one));
    expect(sent, sent.join('\n')).to.have.length.of.at.most(guests.statements);
    expect(Math.min(...(await inTurn(() => countWrites(comeIn))))).to.be.at.most(guests.packets);
  });

  it('sends them in a few packets: what does not wait for another goes out with it', async () => {
    const arrive = async () => (await ann.newTab()).close();
    await arrive();
    expect(Math.min(...(await inTurn(() => countWrites(arrive))))).to.be.at.most(packets);
  });

  it('looks at as many rows among ten thousand accounts as among one thousand', async () => {
    // In a table of a few pages the database looks at all rows.
    await othersCome(1_000);
    const among = await rowsToArrive();
    expect(Object.keys((await ann.newTab()).ready.timelines)).to.have.length(199);
    await othersCome(10_000);
    expect(await rowsToArrive()).to.be.within(among - 100, among + 100);
  });
});
