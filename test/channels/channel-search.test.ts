import { expect } from 'chai';
import { pino } from 'pino';
import { fold } from '../../server/people/folding.ts';
import { findNamedChannels } from '../../server/channels/search.ts';
import { query, readTransaction, type Db } from '../../server/database/database.ts';
import { bringUpToDate } from '../../server/open-node.ts';
import { commandRates } from '../../shared/limits.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('search for channels', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  beforeEach(async () => void ([ann, ben] = [await app.person('Ann'), await app.person('Ben')]));
  after(() => app.close());

  const find = async (who: Person, query: string, more: object = {}) =>
    (await who.send('channel:search', { query, ...more })).channels;
  const namesOf = async (who: Person, query: string, more: object = {}) =>
    (await find(who, query, more)).map(({ name }) => name);
  const create = async (serverId: string, name: string, more: object = {}) =>
    (await ann.send('channel:create', { serverId, name, ...more })).channel;

  it('finds channels of joined servers, opened or not, in any spelling', async () => {
    const [one, other] = [await openPlace(ann, ben), await openPlace(ann, ben)];
    const plan = await create(one.serverId, 'plattform-größe');
    await create(other.serverId, 'platz');
    await create(other.serverId, 'my-platypus');
    expect(await find(ben, 'plattform')).to.deep.equal([
      { id: plan.id, serverId: one.serverId, name: 'plattform-größe', private: false },
    ]);
    for (const query of ['#Plattform', 'GRÖSSE', 'grosse', 'form gr', 'orm-gr'])
      expect(await namesOf(ben, query), query).to.deep.equal(['plattform-größe']);
    // The order is: names that begin with the text, names with a word that does, names that contain it.
    expect(await namesOf(ben, 'pla')).to.deep.equal(['platz', 'plattform-größe', 'my-platypus']);
    expect(await namesOf(ben, 'pl', { limit: 1 })).to.deep.equal(['platz']);
    expect(await namesOf(ben, 'at')).to.deep.equal([]);
    expect(await namesOf(ben, '#%_\\')).to.deep.equal([]);
    await ann.send('channel:update', { channelId: plan.id, name: 'roof' });
    expect(await namesOf(ben, 'plattform')).to.deep.equal([]);
    expect(await namesOf(ben, 'roof')).to.deep.equal(['roof']);
    for (const query of ['', ' ', 'x'.repeat(65)])
      expect((await ben.expectError('channel:search', { query })).code).to.equal('invalid');
  });

  it('finds nothing in servers that the user left or never joined', async () => {
    const { serverId } = await openPlace(ann, ben);
    await create(serverId, 'submarine');
    const stranger = await app.person();
    expect(await namesOf(ben, 'submarine')).to.have.length(1);
    expect(await namesOf(stranger, 'submarine')).to.deep.equal([]);
    await ann.send('member:remove', { serverId, userId: ben.id });
    expect(await namesOf(ben, 'submarine')).to.deep.equal([]);
    await ann.send('server:delete', { serverId });
    expect(await namesOf(ann, 'submarine')).to.deep.equal([]);
  });

  it('finds a private channel only for its members, regardless of their role', async () => {
    const guest = await app.guest('Guest');
    const mod = await app.person('Mod');
    const { serverId } = await openPlace(ann, ben, mod, guest);
    await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });
    const { id } = await create(serverId, 'hush', { private: true, userIds: [ben.id, guest.id] });
    const found = [{ id, serverId, name: 'hush', private: true }];
    for (const insider of [ann, ben, guest])
      expect(await find(insider, 'hush')).to.deep.equal(found);
    expect(await find(mod, 'hush')).to.deep.equal([]);
    await ann.send('channel:removeMember', { channelId: id, userId: ben.id });
    expect(await find(ben, 'hush')).to.deep.equal([]);
    await ann.send('channel:update', { channelId: id, private: false });
    for (const anyone of [ben, mod]) expect(await namesOf(anyone, 'hush')).to.deep.equal(['hush']);
  });

  it('works over HTTP, and costs as much as four reads', async () => {
    const strict = await startStrictApp({ PARLEY_LOBBY: 'off' });
    const eve = await strict.person('Eve');
    await openPlace(eve);
    const headers = { cookie: eve.cookie, origin: strict.url };
    const reply = await fetch(`${strict.url}/api/channels?query=gen`, { headers });
    expect(((await reply.json()) as { channels: unknown[] }).channels).to.have.length(1);
    let asked = 1;
    while (
      await eve.send('channel:search', { query: 'gen' }).then(
        () => true,
        () => false,
      )
    )
      asked += 1;
    // Setting up the server has used some of the reads.
    expect(asked).to.be.within(commandRates.read.points / 4 - 2, commandRates.read.points / 4);
    await strict.close();
  });

  it('finds channels from before the migration', async () => {
    const { serverId } = await openPlace(ann, ben);
    await create(serverId, 'Äther');
    const { db } = app;
    await query(db, `delete from migrations where name = '0046-found-channels'`);
    await query(db, 'create index channels_server on channels (server_id)');
    await query(db, 'alter table channels drop column folded_name');
    await bringUpToDate(app.where, pino({ level: 'silent' }));
    expect(await namesOf(ben, 'ather')).to.deep.equal(['Äther']);
  });

  it('reads only channels of joined servers, by an index, however many others exist', async () => {
    const { db } = app;
    const { serverId } = await openPlace(ann, ben);
    await fillWith(db, serverId, 400);
    for (let i = 0; i < 20; i += 1) await fillWith(db, (await openPlace(ann)).serverId, 500);
    for (const table of ['channels', 'members', 'channel_members'])
      await query(db, `vacuum analyze ${table}`);
    for (const text of ['room', 'r', 'room 123', 'zzz'])
      await readTransaction(db, async (within) => {
        const before = await rowsRead(within);
        const found = await findNamedChannels(within, ben.id, fold(text), 20);
        expect(found, text).to.have.length({ 'room 123': 1, zzz: 0 }[text] ?? 20);
        const after = await rowsRead(within);
        expect(after.inTurn - before.inTurn, text).to.equal(0);
        expect(after.byIndex - before.byIndex, text).to.be.below(500);
      });
  });

  async function rowsRead(db: Db) {
    const [read] = await query<{ inTurn: number; byIndex: number }>(
      db,
      `select seq_tup_read::int as "inTurn", coalesce(idx_tup_fetch, 0)::int as "byIndex"
       from pg_stat_xact_user_tables where relname = 'channels'`,
    );
    if (!read) throw new Error('there is no such table');
    return read;
  }

  const fillWith = (db: Db, serverId: string, count: number) =>
    query(
      db,
      `with channel as (
         select gen_random_uuid() as id, n from generate_series(2, $2::int) as n
       ), room as (
         insert into rooms (id, kind) select id, 'timeline' from channel
       )
       insert into channels (id, server_id, name, folded_name, position, version)
       select id, $1, 'room-' || n, 'room ' || n, n, 0 from channel`,
      [serverId, count],
    );
});
