import { expect } from 'chai';
import { fold } from '../../server/people/folding.ts';
import { query, readTransaction, type Db } from '../../server/database/database.ts';
import { findInServers } from '../../server/members/search.ts';
import { limits } from '../../shared/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { openServerWithRoles } from './server-with-roles.ts';

describe('search for members', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  const find = async (who: Person, query: string, more: object = {}) =>
    (await who.send('member:search', { query, ...more })).members;
  const idsOf = async (who: Person, query: string) =>
    (await find(who, query)).map(({ userId }) => userId);

  it('finds by nickname, by display name and by username: registered people, guests and bots', async () => {
    const { ann, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
    const { bot } = await ann.send('bot:create', { name: 'Größter Roboter' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    await ann.send('member:update', { ...targetOf(ben), nickname: 'Käpt’n Blaubär' });
    const { members, people } = await guest.send('member:search', { query: 'BLAUBAR' });
    expect(members).to.deep.equal([{ userId: ben.id, serverId, nickname: 'Käpt’n Blaubär' }]);
    expect(people[ben.id]).to.include({ name: 'Ben', username: ben.user.username });
    for (const [query, whom] of [
      ['ben', ben.id],
      [ben.user.username!, ben.id],
      ['ann', ann.id],
      ['robo', bot.id],
      ['ster rob', bot.id],
    ] as const)
      expect(await idsOf(guest, query), query).to.deep.equal([whom]);
    expect(await idsOf(ann, 'guest')).to.deep.equal([guest.id]);
    for (const query of ['%', 'nobody']) expect(await idsOf(ann, query), query).to.deep.equal([]);
    expect(await idsOf(guest, 'guest')).to.deep.equal([]);
  });

  it('finds each person once, best match first, across all shared servers', async () => {
    const [ann, ben] = [await app.person('Ann'), await app.person('Wal')];
    const people = [await app.person('Robin Walter'), await app.person('Walter')];
    await openPlace(ann, ben, ...people);
    await openPlace(ann, ben, ...people);
    expect(await idsOf(ann, 'wal')).to.deep.equal(
      [ben, people[1]!, people[0]!].map(({ id }) => id),
    );
    expect(await find(ann, 'wal', { limit: 1 })).to.have.length(1);
    for (const limit of [0, limits.searchResults + 1])
      expect((await ann.expectError('member:search', { query: 'w', limit })).code).to.equal(
        'invalid',
      );
  });

  it('finds nobody without a current shared server', async () => {
    const here = await openServerWithRoles(app);
    const there = await openServerWithRoles(app);
    expect(await idsOf(here.ann, 'ben')).to.deep.equal([here.ben.id]);
    await there.ann.send('server:delete', { serverId: there.serverId });
    expect(await idsOf(there.ann, 'ben')).to.deep.equal([]);
    await here.ann.send('member:remove', here.targetOf(here.ben));
    expect(await idsOf(here.ann, 'ben')).to.deep.equal([]);
    expect(await idsOf(here.ben, 'ann')).to.deep.equal([]);
  });

  it('finds nobody across a block, either way, until it is lifted', async () => {
    const { ann, ben } = await openServerWithRoles(app);
    await ben.send('block:create', { userId: ann.id });
    expect(await idsOf(ann, 'ben')).to.deep.equal([]);
    expect(await idsOf(ben, 'ann')).to.deep.equal([]);
    await ben.send('block:delete', { userId: ann.id });
    expect(await idsOf(ann, 'ben')).to.deep.equal([ben.id]);
  });

  describe('among forty thousand', () => {
    let ann: Person;
    let mine: string[];
    before(async () => {
      const { ann: one, serverId } = await openServerWithRoles(app);
      ann = one;
      const small = await openPlace(ann, await app.person('Guest 777 in person'));
      mine = [serverId, small.serverId];
      await addSilentMembers(app, serverId, 20_000);
      await addSilentMembers(app, (await openServerWithRoles(app)).serverId, 20_000);
      for (const table of ['members', 'users']) await query(app.db, `vacuum analyze ${table}`);
    });

    it('reads no table from end to end, nor more than a search may compare', async () => {
      const read: Record<string, { inTurn: number; byIndex: number }> = {};
      for (const text of ['guest 17345', '17345', 'ann', 'zz', 'zebra', 'guest', 'g', 'guest 12'])
        await readTransaction(app.db, async (db) => {
          const before = await rowsRead(db);
          const found = await findInServers(db, fold(text), {
            ...{ serverIds: mine, without: [ann.id], limit: 20 },
          });
          expect(found.length > 0, text).to.equal(!text.startsWith('z') && text !== 'ann');
          const after = await rowsRead(db);
          read[text] = {
            inTurn: after.inTurn - before.inTurn,
            byIndex: after.byIndex - before.byIndex,
          };
        });
      for (const [text, { inTurn, byIndex }] of Object.entries(read)) {
        expect(inTurn, text).to.equal(0);
        expect(byIndex, text).to.be.below(8_000);
      }
    });

    it('finds a member of a small server despite thousands of namesakes elsewhere', async () => {
      const eve = await app.person('Eve');
      const { serverId } = await openPlace(eve, await app.person('Guest Only'));
      const found = await find(eve, 'guest');
      expect(found.map((one) => one.serverId)).to.deep.equal([serverId]);
    });
  });

  async function rowsRead(db: Db) {
    const [read] = await query<{ inTurn: number; byIndex: number }>(
      db,
      `select sum(seq_tup_read)::int as "inTurn", sum(coalesce(idx_tup_fetch, 0))::int as "byIndex"
       from pg_stat_xact_user_tables where relname in ('users', 'members')`,
    );
    return read ?? { inTurn: 0, byIndex: 0 };
  }
});
