import { monitorEventLoopDelay } from 'node:perf_hooks';
import bcrypt from 'bcrypt';
import { expect } from 'chai';
import pLimit from 'p-limit';
import { Password } from '../shared/accounts.ts';
import { ChatError } from '../shared/failure.ts';
import { limits } from '../shared/limits.ts';
import { hashPassword, passwordFits } from '../server/accounts/password.ts';
import { readConfig } from '../server/config.ts';
import { query } from '../server/database/database.ts';
import { startApp, type TestApp } from './support/app.ts';
import { post } from './support/person.ts';

const { config } = readConfig({ PARLEY_PASSWORD_COST: '4' });
const hashing = () => ({ config, hashing: pLimit(2) });

describe('a password', () => {
  it('counts whole: no end of it is cut off (S-20)', async () => {
    const app = hashing();
    const pairs: [string, string][] = [
      [`${'a'.repeat(72)}X`, `${'a'.repeat(72)}Y`],
      ['🔑'.repeat(18), `${'🔑'.repeat(18)}x`],
      ['before\0after', 'before\0other'],
      ['ä'.repeat(limits.password), `${'ä'.repeat(limits.password - 1)}b`],
    ];
    for (const [mine, other] of pairs) {
      const hash = await hashPassword(app, mine);
      expect(await passwordFits(app, mine, hash)).to.equal(true);
      expect(await passwordFits(app, other, hash)).to.equal(false);
    }
  });

  it('is the same however its accents were typed (S-21)', () => {
    expect(Password.parse('caf\u0065\u0301 noir')).to.equal(Password.parse('caf\u00e9 noir'));
  });

  it('is 8 to 256 characters, of any kind', () => {
    const fits = (text: string) => Password.safeParse(text).success;
    expect(fits('1234567')).to.equal(false);
    expect(fits('12345678')).to.equal(true);
    expect(fits('🔑'.repeat(7))).to.equal(false);
    expect(fits('🔑'.repeat(8))).to.equal(true);
    expect(fits('🔑'.repeat(limits.password))).to.equal(true);
    expect(fits('🔑'.repeat(limits.password + 1))).to.equal(false);
    expect(fits('with a \0 in it')).to.equal(false);
  });

  it('fits nobody who has none, after the same work', async () => {
    const app = hashing();
    const compared: string[] = [];
    const { compare } = bcrypt;
    bcrypt.compare = ((data: string, hash: string) => {
      compared.push(hash);
      return compare(data, hash);
    }) as typeof compare;
    for (const hash of [undefined, null])
      expect(await passwordFits(app, 'anything', hash)).to.equal(false);
    bcrypt.compare = compare;
    expect(compared.map((hash) => bcrypt.getRounds(hash))).to.deep.equal([4, 4]);
    // A text that is no hash would be refused without work.
    expect(compared[0]).to.match(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
  });

  it('waits its turn to be hashed, unless too many wait already (S-25)', async () => {
    const app = hashing();
    const tries = Array.from({ length: 110 }, () =>
      hashPassword(app, 'anything').then(
        () => 'hashed',
        (error: unknown) => (error instanceof ChatError ? error.toFailure() : error),
      ),
    );
    const outcomes = await Promise.all(tries);
    const refused = outcomes.filter((outcome) => outcome !== 'hashed');
    expect(refused).to.have.length.within(1, 10);
    expect(refused[0]).to.include({ code: 'busy', retryable: true, retryAfterMs: 3_000 });
    expect(await hashPassword(app, 'anything')).to.be.a('string');
  });
});

describe('signing in with a password', () => {
  let app: TestApp;
  before(async () => void (app = await startApp({ PARLEY_PASSWORD_COST: '8' })));
  after(() => app.close());
  const password = 'a long enough sentence';
  const login = (username: string, guess = 'not the password') =>
    post(app.url, '/api/auth/login', { username, password: guess });

  /** Everybody who cannot get in, for whatever reason. */
  async function unwelcome() {
    await post(app.url, '/api/auth/register', { username: 'known', password });
    await post(app.url, '/api/auth/guest', { displayName: 'visitor' });
    const id = '01890000-0000-7000-8000-0000000000b0';
    await query(
      app.app.db,
      `insert into rooms (id, kind) values ($1, 'user') on conflict do nothing`,
      [id],
    );
    await query(
      app.app.db,
      `insert into users (id, kind, username, display_name) values ($1, 'bot', 'robot', 'Robot')
       on conflict do nothing`,
      [id],
    );
    return ['known', 'unknown', 'visitor', 'robot', 'no such name!', 'x'.repeat(1_000), ''];
  }

  it('fails alike for a wrong password, an unknown name, a guest and a bot (S-22)', async () => {
    const answers = new Set<string>();
    for (const username of await unwelcome()) {
      const response = await login(username);
      const body = (await response.json()) as { error: { requestId?: string } };
      delete body.error.requestId;
      const headers = [...response.headers.keys()].filter((name) => name !== 'date').sort();
      answers.add(JSON.stringify([response.status, body, headers]));
    }
    expect([...answers]).to.have.length(1);
    expect([...answers][0])
      .to.include('401')
      .and.include('unauthenticated');
    expect((await login('known', password)).status).to.equal(200);
  });

  it('takes as long for those who do not exist (S-22)', async function () {
    const names = (await unwelcome()).slice(0, 4);
    const times = new Map(names.map((name) => [name, [] as number[]]));
    for (let round = 0; round < 25; round += 1)
      for (const name of names) {
        const start = performance.now();
        await (await login(name)).text();
        times.get(name)?.push(performance.now() - start);
      }
    const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0;
    const known = median(times.get('known') ?? []);
    const ratios = names.map(
      (name) => `${name} ${(median(times.get(name) ?? []) / known).toFixed(2)}`,
    );
    // Told, not asserted: a machine under load is no proof of anything.
    console.log(`      median ${known.toFixed(1)} ms; against it: ${ratios.join(', ')}`);
  });

  it('reads a password that is too long not at all (S-20)', async () => {
    const { hashing } = app.app;
    let hashed = 0;
    app.app.hashing = Object.assign(
      (...work: Parameters<typeof hashing>) => {
        hashed += 1;
        return hashing(...work);
      },
      { pendingCount: 0 },
    ) as typeof hashing;
    expect((await login('known', 'x'.repeat(1_000_000))).status).to.equal(413);
    expect((await login('known', 'x'.repeat(limits.password + 1))).status).to.equal(400);
    expect(hashed).to.equal(0);
    expect((await login('known', 'x'.repeat(limits.password))).status).to.equal(401);
    expect(hashed).to.equal(1);
    app.app.hashing = hashing;
  });

  it('keeps the rest of the server going while many sign in, and tells the last to wait (S-25)', async function () {
    // Dear enough that so many come in faster than they are served.
    const slow = await startApp({ PARLEY_PASSWORD_COST: '9' });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const ann = await slow.person();
    const enter = () =>
      post(slow.url, '/api/auth/login', { username: ann.user.username, password });
    delay.enable();
    const flood = Promise.all(Array.from({ length: 160 }, enter));
    const asked: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const start = performance.now();
      await ann.send('server:list', {});
      asked.push(performance.now() - start);
    }
    const responses = await flood;
    delay.disable();
    const counted = new Map<number, number>();
    for (const { status } of responses) counted.set(status, (counted.get(status) ?? 0) + 1);
    expect([...counted.keys()]).to.have.members([401, 503]);
    const refused = responses.find(({ status }) => status === 503);
    expect(refused?.headers.get('retry-after')).to.equal('3');
    expect(((await refused?.json()) as { error: object }).error).to.include({
      code: 'busy',
      retryable: true,
    });
    const p99 = (delay.percentile(99) / 1e6).toFixed(0);
    console.log(
      `      event loop p99 ${p99} ms; slowest of 20 commands ${Math.max(...asked).toFixed(0)} ms`,
    );
  });
});
