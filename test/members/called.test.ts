/** Finding members by what they are called: however they are called it, and however many there are. */
import { expect } from 'chai';
import { pino } from 'pino';
import { query, snapshot, type Db } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import { findCalled } from '../../server/members/called.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fill } from '../support/crowd.ts';
import type { Person } from '../support/person.ts';
import { peopled } from './peopled.ts';

describe('members by name', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_LOBBY: 'off' })));
  after(() => app.close());

  const idsOf = async (who: Person, serverId: string, query: string) =>
    (await who.send('member:list', { serverId, query })).members.map(({ userId }) => userId);

  it('are found by what they are called there, guests and bots too, whatever the case and accents', async () => {
    const { ann, mod, ben, guest, serverId, whom } = await peopled(app);
    const find = (query: string) => idsOf(ann, serverId, query);
    expect(await find('')).to.deep.equal([ann, mod, ben, guest].map(({ id }) => id).sort());
    expect(await find('EN')).to.deep.equal([]);
    expect(await find('be')).to.deep.equal([ben.id]);
    expect(await find('ues')).to.deep.equal([guest.id]);
    const { bot } = await ann.send('bot:create', { name: 'Größter Roboter' });
    await ann.send('bot:add', { botId: bot.id, serverId });
    for (const query of ['grosster', 'ROBO', 'ster ro', 'größ'])
      expect(await find(query), query).to.deep.equal([bot.id]);
    await ann.send('member:update', { ...whom(ben), nickname: 'Käpt’n Blaubär' });
    for (const query of ['kaptn', 'blaubar', 'UBÄ'])
      expect(await find(query), query).to.deep.equal([ben.id]);
    expect(await find('ben')).to.deep.equal([]);
    await ben.send('user:update', { displayName: 'Benjamin' });
    expect(await find('jamin')).to.deep.equal([]);
    await ann.send('member:update', { ...whom(ben), nickname: null });
    expect(await find('jamin')).to.deep.equal([ben.id]);
    expect(await find('blaubar')).to.deep.equal([]);
    await mod.send('user:update', { displayName: 'Marshal' });
    expect(await find('marsh')).to.deep.equal([mod.id]);
    for (const query of ['%', '_', 'nobody', '\\']) expect(await find(query)).to.deep.equal([]);
  });

  it('are those of this server alone, and nobody’s to find who is not in it', async () => {
    const [here, there] = [await peopled(app), await peopled(app)];
    expect(await idsOf(here.ann, here.serverId, 'ben')).to.deep.equal([here.ben.id]);
    const asked = { serverId: here.serverId, query: 'ben' };
    expect((await there.ann.fails('member:list', asked)).code).to.equal('not_found');
    const userIds = [here.ann.id, there.ben.id];
    const { members } = await here.ann.send('member:list', { ...asked, userIds });
    expect(members).to.deep.equal([]);
  });

  it('who were there before can be found as well', async () => {
    const { ann, ben, guest, serverId, whom } = await peopled(app);
    await ann.send('member:update', { ...whom(ben), nickname: 'Bosun' });
    const { db } = app.app;
    await query(db, `delete from migrations where name = '0043-called'`);
    await query(db, 'alter table members drop column folded_nickname, drop column nickname_parts');
    await query(
      db,
      `update users set folded_name = '', name_parts = '{}' where kind <> 'registered'`,
    );
    await migrate(app.where, pino({ level: 'silent' }));
    expect(await idsOf(ann, serverId, 'osu')).to.deep.equal([ben.id]);
    expect(await idsOf(ann, serverId, 'guest')).to.deep.equal([guest.id]);
  });

  describe('among twenty thousand', () => {
    let ann: Person;
    let serverId: string;
    before(async () => {
      ({ ann, serverId } = await peopled(app));
      const { db } = app.app;
      await fill(app, serverId, 20_000);
      for (const table of ['members', 'users']) await query(db, `vacuum analyze ${table}`);
    });

    it('come by pages: each once, in order, and all of them', async () => {
      const called = await query<{ id: string }>(
        app.app.db,
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

    it('are found without reading them all: a rare name, a common one, and nobody’s', async () => {
      const { db } = app.app;
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
        await snapshot(db, async (within) => {
          const before = await rowsRead(within);
          await findCalled(within, serverId, part, { limit: 51 });
          read[part] = (await rowsRead(within)) - before;
        });
      for (const [part, rows] of Object.entries(read)) expect(rows, part).to.be.below(2_000);
    });
  });

  /** How many rows of those tables this transaction has read, in whatever way. */
  async function rowsRead(db: Db): Promise<number> {
    const [read] = await query<{ rows: number }>(
      db,
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
       from pg_stat_xact_user_tables where relname in ('users', 'members')`,
    );
    return read?.rows ?? 0;
  }
});
