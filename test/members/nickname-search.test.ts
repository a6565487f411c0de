import { expect } from 'chai';
import { pino } from 'pino';
import { query, readTransaction, type Db } from '../../server/database/database.ts';
import { bringUpToDate } from '../../server/open-node.ts';
import {
  findMembersByLook,
  findMembersByName,
  updateAllNicknames,
} from '../../server/members/nickname-search.ts';
import { rates } from '../../shared/limits.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { addSilentMembers } from '../support/crowd.ts';
import type { Person } from '../support/person.ts';
import { codesOf, openServerWithRoles } from './server-with-roles.ts';

describe('members by name', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  const idsOf = async (who: Person, serverId: string, query: string) =>
    (await who.send('member:list', { serverId, query })).members.map(({ userId }) => userId);

  it('are found by their name in the server, guests and bots too, ignoring case and accents', async () => {
    const { ann, mod, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
    const find = (query: string) => idsOf(ann, serverId, query);
    expect(await find('')).to.deep.equal([ann, mod, ben, guest].map(({ id }) => id).sort());
    expect(await find('EN')).to.deep.equal([]);
    expect(await find('be')).to.deep.equal([ben.id]);
    expect(await find('ues')).to.deep.equal([guest.id]);
    const { bot } = await ann.send('bot:create', { name: 'Größter Roboter' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    for (const query of ['grosster', 'ROBO', 'ster ro', 'größ'])
      expect(await find(query), query).to.deep.equal([bot.id]);
    await ann.send('member:update', { ...targetOf(ben), nickname: 'Käpt’n Blaubär' });
    for (const query of ['kaptn', 'blaubar', 'UBÄ'])
      expect(await find(query), query).to.deep.equal([ben.id]);
    expect(await find('ben')).to.deep.equal([]);
    await ben.send('user:update', { displayName: 'Benjamin' });
    expect(await find('jamin')).to.deep.equal([]);
    await ann.send('member:update', { ...targetOf(ben), nickname: null });
    expect(await find('jamin')).to.deep.equal([ben.id]);
    expect(await find('blaubar')).to.deep.equal([]);
    await mod.send('user:update', { displayName: 'Marshal' });
    expect(await find('marsh')).to.deep.equal([mod.id]);
    for (const query of ['%', '_', 'nobody', '\\']) expect(await find(query)).to.deep.equal([]);
  });

  it('are found only within their server, and only by its members', async () => {
    const [here, there] = [await openServerWithRoles(app), await openServerWithRoles(app)];
    expect(await idsOf(here.ann, here.serverId, 'ben')).to.deep.equal([here.ben.id]);
    const asked = { serverId: here.serverId, query: 'ben' };
    expect((await there.ann.expectError('member:list', asked)).code).to.equal('not_found');
    const userIds = [here.ann.id, there.ben.id];
    const { members } = await here.ann.send('member:list', { ...asked, userIds });
    expect(members).to.deep.equal([]);
  });

  describe('with lookalike names', () => {
    const alikeIn = (who: Person, serverId: string, looksLike: string) =>
      who
        .send('member:list', { serverId, looksLike })
        .then(({ members }) => members.map(({ userId }) => userId));

    it('are found in any letters, by their name in the server, guests and bots too', async () => {
      const { ann, mod, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
      const [alice, lookalike] = ['Alice', 'Аӏісе'];
      await ben.send('user:update', { displayName: alice });
      await guest.send('user:update', { displayName: lookalike });
      const { bot } = await ann.send('bot:create', { name: 'A1ICE' });
      await ann.send('bot:add', { botId: bot.id, serverId });
      const all = [ben, guest, bot].map(({ id }) => id).sort();
      for (const name of [alice, lookalike, 'a l i c e'])
        expect(await alikeIn(ann, serverId, name), name).to.deep.equal(all);
      for (const name of ['Alic', 'Alicia', 'Zoe', '%'])
        expect(await alikeIn(ann, serverId, name), name).to.deep.equal([]);
      await ann.send('member:update', { ...targetOf(mod), nickname: 'ALlCE' });
      await ann.send('member:update', { ...targetOf(ben), nickname: 'Bosun' });
      expect(await alikeIn(ann, serverId, alice)).to.deep.equal(
        [mod, guest, bot].map(({ id }) => id).sort(),
      );
      await ann.send('member:update', { ...targetOf(mod), nickname: null });
      await guest.send('user:update', { displayName: 'Igor' });
      expect(await alikeIn(ann, serverId, alice)).to.deep.equal([bot.id]);
    });

    it('are found only within their server, and only by its members', async () => {
      const [here, there] = [await openServerWithRoles(app), await openServerWithRoles(app)];
      const asked = { serverId: here.serverId, looksLike: 'Вen' };
      expect(await alikeIn(here.guest, here.serverId, 'Вen')).to.deep.equal([here.ben.id]);
      expect((await there.ann.expectError('member:list', asked)).code).to.equal('not_found');
      const both = { ...asked, query: 'ben' };
      expect((await here.ann.expectError('member:list', both)).code).to.equal('invalid');
    });

    it('cost as much as a search', async () => {
      const strict = await startStrictApp({ PARLEY_LOBBY: 'off' });
      const ann = await strict.person('Ann');
      const { server } = await ann.send('server:create', { name: 'Ours' });
      const asked = { serverId: server.id, looksLike: 'Вen' };
      const maxReads = Math.floor(rates.read.points / 4);
      const outcomes = await Promise.allSettled(
        Array.from({ length: maxReads + 5 }, () => ann.send('member:list', asked)),
      );
      // Connecting has used a few points.
      const codes = codesOf(outcomes);
      expect(codes.filter((code) => code === 'done').length).to.be.within(maxReads - 5, maxReads);
      expect(new Set(codes)).to.deep.equal(new Set(['done', 'rate_limited']));
      await strict.close();
    });
  });

  it('are found if they joined before the migration', async () => {
    const { ann, ben, guest, serverId, targetOf } = await openServerWithRoles(app);
    await ann.send('member:update', { ...targetOf(ben), nickname: 'Bosun' });
    const { db } = app;
    await query(db, `delete from migrations where name = '0043-called'`);
    await query(db, 'alter table members drop column folded_nickname, drop column nickname_parts');
    await query(
      db,
      `update users set folded_name = '', name_parts = '{}' where kind <> 'registered'`,
    );
    await bringUpToDate(app.where, pino({ level: 'silent' }));
    expect(await idsOf(ann, serverId, 'osu')).to.deep.equal([ben.id]);
    expect(await idsOf(ann, serverId, 'guest')).to.deep.equal([guest.id]);
  });

  it('are found by lookalike names from before the migration', async () => {
    const { ann, mod, guest, serverId, targetOf } = await openServerWithRoles(app);
    await ann.send('member:update', { ...targetOf(mod), nickname: 'GUEST' });
    const { db } = app;
    await query(db, `delete from migrations where name = '0085-looks'`);
    for (const [table, parts] of [
      ['users', 'name_parts'],
      ['members', 'nickname_parts'],
    ])
      await query(
        db,
        `update ${table} set ${parts} = array(select part from unnest(${parts}) as part where part not like 'looks:%')`,
      );
    const asked = { serverId, looksLike: 'Guest' };
    expect((await ann.send('member:list', asked)).members).to.deep.equal([]);
    await bringUpToDate(app.where, pino({ level: 'silent' }));
    const { members } = await ann.send('member:list', asked);
    expect(members.map(({ userId }) => userId)).to.deep.equal([mod.id, guest.id].sort());
  });

  describe('among twenty thousand', () => {
    let ann: Person;
    let serverId: string;
    before(async () => {
      ({ ann, serverId } = await openServerWithRoles(app));
      const { db } = app;
      await addSilentMembers(app, serverId, 20_000);
      for (const table of ['members', 'users']) await query(db, `vacuum analyze ${table}`);
    });

    it('are listed in pages: all of them, once each, in order', async () => {
      const called = await query<{ id: string }>(
        app.db,
        `select user_id as id from members join users on users.id = user_id
         where server_id = $1 and display_name like '%Guest 12%' order by user_id`,
        [serverId],
      );
      expect(called).to.have.length(1_111);
      const found: string[] = [];
      const asked = { serverId, query: 'guest 12', limit: 100 };
      for (let more = true; more;) {
        const after = found.at(-1);
        const page = await ann.send('member:list', { ...asked, ...(after && { after }) });
        expect(page.members).to.have.length(Math.min(100, called.length - found.length));
        found.push(...page.members.map(({ userId }) => userId));
        more = page.more.after;
      }
      expect(found).to.deep.equal(called.map(({ id }) => id));
    });

    it('are found by rare, common and unused names without reading all of them', async () => {
      const { db } = app;
      const read: Record<string, number> = {};
      for (const part of [
        'guest 17345',
        '17345',
        'ann',
        'an',
        'zz',
        'zebra',
        'guest',
        'g',
        'guest 12',
      ])
        await readTransaction(db, async (within) => {
          const before = await rowsRead(within);
          await findMembersByName(within, serverId, part, { limit: 51 });
          read[part] = (await rowsRead(within)) - before;
        });
      for (const name of ['Guеst 17345', 'Ann', 'Zebra'])
        await readTransaction(db, async (within) => {
          const before = await rowsRead(within);
          await findMembersByLook(within, serverId, name, { limit: 101 });
          read[`like ${name}`] = (await rowsRead(within)) - before;
        });
      for (const [part, rows] of Object.entries(read)) expect(rows, part).to.be.below(2_000);
    });
  });

  describe('among thousands that look alike, here and elsewhere', () => {
    let ann: Person;
    let serverId: string;
    before(async () => {
      ({ ann, serverId } = await openServerWithRoles(app));
      const { db } = app;
      const elsewhere = (await ann.send('server:create', { name: 'Elsewhere' })).server.id;
      await addSilentMembers(app, elsewhere, 2_500, 'Peter');
      await query(db, `update members set nickname = 'Karl' where server_id = $1`, [elsewhere]);
      await updateAllNicknames(db);
      await addSilentMembers(app, serverId, 1_000, 'David');
      for (const table of ['members', 'users']) await query(db, `vacuum analyze ${table}`);
    });

    it('are found without reading all of them', async () => {
      const maxRows = { David: 700, Peter: 4_100, Karl: 2_100 };
      for (const [name, rows] of Object.entries(maxRows))
        await readTransaction(app.db, async (within) => {
          const before = await rowsRead(within);
          const found = await findMembersByLook(within, serverId, name, { limit: 101 });
          expect(found, name).to.have.length(name === 'David' ? 101 : 0);
          expect((await rowsRead(within)) - before, name).to.be.below(rows);
        });
    });

    it('are listed in part, in pages: once each, in order', async () => {
      const found: string[] = [];
      const asked = { serverId, looksLike: 'Dаvid', limit: 100 };
      for (let more = true; more;) {
        const after = found.at(-1);
        const page = await ann.send('member:list', { ...asked, ...(after && { after }) });
        found.push(...page.members.map(({ userId }) => userId));
        more = page.more.after;
      }
      expect(found).to.have.length(300);
      expect(found).to.deep.equal([...new Set(found)].sort());
    });
  });

  async function rowsRead(db: Db): Promise<number> {
    const [read] = await query<{ rows: number }>(
      db,
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
       from pg_stat_xact_user_tables where relname in ('users', 'members')`,
    );
    return read?.rows ?? 0;
  }
});
