import { expect } from 'chai';
import { v7 } from 'uuid';
import { fold } from '../../server/people/folding.ts';
import { findByName, updateAllNames } from '../../server/people/name-search.ts';
import { query, readTransaction, type Db } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { enterAs, type Person } from '../support/person.ts';

describe('search for people', () => {
  let app: TestApp;
  let ann: Person;
  before(async () => {
    app = await startApp();
    ann = await app.person('Somebody who asks');
  });
  after(() => app.close());

  const find = async (query: string, who = ann, more: object = {}) =>
    (await who.send('user:search', { query, ...more })).users;
  const namesOf = async (query: string, who = ann) =>
    (await find(query, who)).map(({ name }) => name);
  const register = (username: string, displayName: string) =>
    enterAs(app.url, 'register', { username, displayName, password: 'a long enough one' });

  it('finds by the beginning and by inner parts of usernames and names alike', async () => {
    const person = await register('quentin.zorro', 'Xaver Quoll');
    for (const query of [
      'Xaver',
      'xav',
      'x',
      'quoll',
      'Qu',
      'uol',
      'aver quo',
      'QUENTIN',
      'zor',
      'ntin',
    ])
      expect(
        (await find(query)).map(({ id }) => id),
        query,
      ).to.deep.equal([person.id]);
    expect(await find('quentin.zorro')).to.deep.equal([
      { ...(await find('xaver'))[0], username: 'quentin.zorro', kind: 'registered' },
    ]);
    for (const query of ['xaverq', 'llo', 'entinz', 'nobody like that', '%', '\\'])
      expect(await find(query), query).to.deep.equal([]);
  });

  it('ignores case and accents, and accepts substitutes for special letters', async () => {
    const spellings: [name: string, queries: string[]][] = [
      ['Søren Ågård', ['soren', 'SØREN', 'agard', 'sören']],
      ['Łukasz Żółć', ['lukasz', 'zolc', 'Łuk']],
      ['Jürgen Weiß', ['jurgen', 'weiss', 'WEIẞ', 'weiß']],
      ['Þórður Æsir', ['thordur', 'aesir']],
      ['İpek Yıldız', ['ipek', 'yildiz', 'IPEK']],
      ['Conan O’Brien', ['obrien', "o'brien"]],
      ['Anne-Marie Lefèvre', ['anne marie', 'marie', 'lefevre']],
      ['Ｆｕｌｌ Width', ['full']],
      ['Алексей Ёлкин', ['алексеи', 'АЛЕКСЕЙ', 'елкин']],
      ['Γιώργος', ['γιωργος', 'ΓΙΩΡΓΟΣ']],
      ['山田 太郎', ['山', '山田', '太郎', '田 太']],
      ['김민수', ['김', '민수', '김민수'].slice(0, 1).concat('김민수')],
      ['नमन', ['नमन']],
      ['🦊🦊 Fox', ['🦊', 'fox']],
    ];
    for (const [name, queries] of spellings) {
      await register(`u${v7().slice(-12)}`, name);
      for (const query of queries)
        expect(await namesOf(query), query).to.include(name.normalize('NFKC'));
    }
    expect(fold('ΟΔΥΣΣΕΥΣ')).to.equal(fold('Οδυσσεύς'));
  });

  it('puts the best match first, up to the requested limit', async () => {
    await register('w1', 'Robinson Waldmeister');
    await register('w2', 'Schwaldmann');
    await register('waldm', 'Somebody Else');
    await register('w3', 'Waldmann');
    expect(await namesOf('waldm')).to.deep.equal([
      'Somebody Else',
      'Waldmann',
      'Robinson Waldmeister',
      'Schwaldmann',
    ]);
    expect((await find('waldm', ann, { limit: 2 })).map(({ name }) => name)).to.deep.equal([
      'Somebody Else',
      'Waldmann',
    ]);
    for (const limit of [0, 21, 1.5])
      expect((await ann.expectError('user:search', { query: 'x', limit })).code).to.equal(
        'invalid',
      );
    for (const query of ['', ' ', 'x'.repeat(65)])
      expect((await ann.expectError('user:search', { query })).code).to.equal('invalid');
    expect(await find('...')).to.deep.equal([]);
  });

  it('follows a new name at once', async () => {
    const person = await register('renamed.one', 'Before Kruger');
    expect(await namesOf('kruger')).to.deep.equal(['Before Kruger']);
    await person.send('user:update', { displayName: 'After Miller' });
    expect(await find('kruger')).to.deep.equal([]);
    expect(await namesOf('miller')).to.deep.equal(['After Miller']);
    expect(await namesOf('renamed.one')).to.deep.equal(['After Miller']);
  });

  it('finds only registered people: no guests, no bots, not the caller', async () => {
    const guest = await app.guest('Gustav Zwischen');
    expect(await find('zwischen')).to.deep.equal([]);
    const body = { username: 'gustav', password: 'a long enough one' };
    await enterAs(app.url, 'register', body, guest.cookie);
    expect(await namesOf('zwischen')).to.deep.equal(['Gustav Zwischen']);
    expect(await namesOf('gustav')).to.deep.equal(['Gustav Zwischen']);
    await ann.send('bot:create', { name: 'Zwischenbot' });
    expect(await find('zwischenbot')).to.deep.equal([]);
    expect(await find('somebody who asks')).to.deep.equal([]);
    expect(await namesOf('somebody who asks', await app.person())).to.have.lengthOf(1);
    const visitor = await app.guest();
    expect((await visitor.expectError('user:search', { query: 'gustav' })).code).to.equal(
      'forbidden',
    );
  });

  it('does not find across a block, either way, until it is lifted', async () => {
    const blocker = await register('heidrun', 'Heidrun Sperr');
    const other = await app.person('Walburga Offen');
    expect(await find('sperr', other)).to.have.lengthOf(1);
    await blocker.send('block:create', { userId: other.id });
    expect(await find('sperr', other)).to.deep.equal([]);
    expect(await find('heidrun', other)).to.deep.equal([]);
    expect(await find('walburga', blocker)).to.deep.equal([]);
    expect(await find('sperr')).to.have.lengthOf(1);
    await blocker.send('block:delete', { userId: other.id });
    expect(await find('sperr', other)).to.have.lengthOf(1);
  });

  it('works over HTTP, for numbers too', async () => {
    const person = await register('007', 'James');
    const ask = async (search: string) => {
      const headers = { cookie: ann.cookie, origin: app.url };
      const reply = await fetch(`${app.url}/api/users?${search}`, { headers });
      return { status: reply.status, ...((await reply.json()) as { users?: { id: string }[] }) };
    };
    expect((await ask('query=007&limit=1')).users?.[0]?.id).to.equal(person.id);
    expect((await ask('limit=1')).status).to.equal(400);
    expect((await ask('query=007&limit=x')).status).to.equal(400);
  });

  it('is limited, in a minute and in a day', async () => {
    const strict = await startApp({ PARLEY_RATE_SCALE: '0.1' });
    const person = await strict.person();
    const codes: string[] = [];
    for (let i = 0; i < 8; i += 1)
      codes.push(
        await person.send('user:search', { query: 'x' }).then(
          () => 'ok',
          (error: unknown) => (error as { code: string }).code,
        ),
      );
    expect(codes).to.deep.equal([...Array<string>(6).fill('ok'), 'rate_limited', 'rate_limited']);
    await strict.close();
  });

  it('reads no table from end to end among many accounts', async () => {
    const { db } = app;
    await populate(20_000);
    // As the migration does for older accounts.
    await updateAllNames(db);
    await query(db, 'analyze users');
    for (const text of ['u', 'us', 'use', 'user 19', 'er 1234', 'muller', 'm', 'zzz', '山田'])
      await readTransaction(db, async (db) => {
        const before = await readInTurn(db);
        const found = await findByName(db, fold(text), [ann.id], 20);
        expect(found.length > 0, text).to.equal(text !== 'zzz');
        expect(await readInTurn(db), text).to.equal(before);
      });
    expect((await find('user 12345'))[0]?.name).to.equal('User 12345 Müller');
  });

  async function readInTurn(db: Db) {
    const [read] = await query<{ scans: number }>(
      db,
      `select seq_scan as scans from pg_stat_xact_user_tables where relname = 'users'`,
    );
    return read?.scans;
  }

  async function populate(count: number) {
    const { db } = app;
    const ids = Array.from({ length: count }, () => v7());
    await query(db, `insert into rooms (id, kind) select unnest($1::uuid[]), 'user'`, [ids]);
    await query(
      db,
      `insert into users (id, kind, username, display_name, password_hash)
       select id, 'registered', 'user' || n,
         case when n % 7 = 0 then '山田 ' else 'User ' end || n || ' Müller', 'none'
       from unnest($1::uuid[]) with ordinality as made (id, n)`,
      [ids],
    );
  }
});
