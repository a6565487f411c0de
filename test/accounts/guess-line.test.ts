import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { openGuessLine, type Guess, type GuessLine } from '../../server/accounts/guess-line.ts';
import { hashPassword, passwordFits, guessesOn } from '../../server/accounts/password.ts';
import { parseConfig } from '../../server/config.ts';
import { ChatError } from '../../shared/failure.ts';
import { startStrictApp } from '../support/app.ts';
import { newForm } from '../support/auth.ts';
import { MovableClock } from '../support/clock.ts';
import { post } from '../support/person.ts';
import { until } from '../support/time.ts';

const busy: Guess = { account: 'ann', address: '198.51.100.7', isQuiet: false, since: 0 };
const quiet: Guess = { ...busy, address: '203.0.113.1', isQuiet: true };

describe('a wrong guess', () => {
  it('is followed by a pause that delays only the next guess', async () => {
    // The cost is high enough that the pause outlasts the comparisons made meanwhile.
    const { config } = parseConfig({ PARLEY_PASSWORD_COST: '9' });
    const app = { config };
    const hash = await hashPassword(app, 'mine', 'quiet');
    const order: string[] = [];
    const compare = async (name: string, password: string, when: 'quiet' | Guess) => {
      await passwordFits(app, password, hash, when);
      order.push(name);
    };
    const guesses = ['first', 'second'].map((account) =>
      compare(account, 'wrong', { ...busy, account }),
    );
    await guesses[0];
    for (const name of ['one', 'two', 'three']) await compare(name, 'mine', 'quiet');
    await Promise.all(guesses);
    expect(order).to.deep.equal(['first', 'one', 'two', 'three', 'second']);
  });

  it('does not lengthen the pause by waiting for a processor', async () => {
    const clock = new MovableClock();
    clock.hold();
    const line = openGuessLine(clock);
    const compare = (ms: number, account: string) =>
      line.run(
        async () => {
          clock.pass(ms);
          return Promise.resolve(false);
        },
        { ...busy, account },
      );
    let isCompared = false;
    await compare(10, 'first');
    await turn();
    const slow = compare(60_000, 'slow');
    const next = line.run(() => Promise.resolve((isCompared = true)), busy);
    clock.pass(90);
    await slow;
    await turn();
    clock.pass(89);
    await turn();
    expect(isCompared).to.equal(false);
    clock.pass(1);
    expect(await next).to.equal(true);
  });
});

describe('the guess queue', () => {
  /** Returns the compared names, in order, and the refused names, after `enter` has made all guesses. */
  async function outcome(enter: (guess: (name: string, how: Guess) => void) => void) {
    const line: GuessLine = openGuessLine();
    const [compared, refused]: [string[], string[]] = [[], []];
    const all: Promise<void>[] = [];
    enter((name, how) => {
      const compare = () => Promise.resolve(compared.push(name) > 0);
      all.push(
        line.run(compare, how).then(
          () => undefined,
          (error: unknown) => {
            expect(error).to.be.instanceOf(ChatError).and.include({ code: 'busy' });
            refused.push(name);
          },
        ),
      );
    });
    await Promise.all(all);
    return { compared, refused };
  }

  const times = (count: number) => Array.from({ length: count }, (_, i) => i);

  it('serves guesses from quiet networks first, and reserves places for them', async () => {
    const { compared, refused } = await outcome((guess) => {
      for (const i of times(15))
        guess(`busy ${i}`, { ...busy, address: `198.51.${i}.7`, since: i });
      guess('quiet', quiet);
    });
    expect(compared.slice(0, 2)).to.include('quiet');
    expect(refused).to.deep.equal(times(5).map((i) => `busy ${i + 10}`));
  });

  it('alternates between accounts, so that many guesses at one do not delay another', async () => {
    const { compared, refused } = await outcome((guess) => {
      for (const i of times(25))
        guess(`ann ${i}`, { ...quiet, address: `198.51.${i}.7`, since: i });
      guess('ben', { ...quiet, account: 'ben', since: 100 });
    });
    expect(compared.slice(0, 3)).to.include('ben');
    expect(refused).to.have.length(16).and.include('ann 9');
  });

  it('alternates between networks that are busy', async () => {
    const { compared } = await outcome((guess) => {
      for (const i of times(20)) guess(`one ${i}`, { ...busy, account: `a${i}`, since: i });
      guess('other', { ...busy, address: '192.0.2.1', since: 100 });
    });
    expect(compared.slice(0, 3)).to.include('other');
  });

  it('refuses the youngest guess of a network with more than three for an account', async () => {
    const { refused } = await outcome((guess) => {
      guess('other', { ...quiet, address: '192.0.2.1' });
      for (const i of times(3)) guess(`late ${i}`, { ...quiet, since: 50 + i });
      guess('early', quiet);
    });
    expect(refused).to.deep.equal(['late 2']);
  });

  it('gives a network three places at a time for an account', async () => {
    const { compared, refused } = await outcome((guess) => {
      guess('other', { ...quiet, address: '192.0.2.1' });
      for (const i of times(5)) guess(`ann ${i}`, quiet);
    });
    expect([...compared].sort()).to.deep.equal(['ann 0', 'ann 1', 'ann 2', 'other']);
    expect(refused).to.deep.equal(['ann 3', 'ann 4']);
  });

  it('gives the place of the youngest guess to an older one', async () => {
    const { compared, refused } = await outcome((guess) => {
      for (const i of times(12))
        guess(`late ${i}`, { ...quiet, address: `198.51.${i}.7`, since: 50 + i });
      guess('early', { ...quiet, since: 20 });
    });
    expect(compared.slice(0, 2)).to.include('early');
    expect(refused).to.include('late 10').and.not.include('early');
  });
});

describe('the owner of an account that many networks guess at', () => {
  it('signs in on a new device, because a retry goes ahead of later callers', async () => {
    const app = await startStrictApp({ TRUST_PROXY: '1' });
    const clock = new MovableClock();
    // After the first wrong guess, no guess is compared until the clock moves.
    clock.hold();
    guessesOn.put(app.node, openGuessLine(clock));
    const waiting = () => guessesOn(app.node).size;
    const enter = (body: object, address: string, cookie = '') =>
      post(app.url, '/api/auth/login', body, { 'x-forwarded-for': address, cookie });
    const body = newForm();
    await post(app.url, '/api/auth/register', body, { 'x-forwarded-for': '192.0.2.1' });
    let networks = 0;
    const guesses: Promise<unknown>[] = [];
    let answered = 0;
    const guessFromMany = () => {
      for (let i = 0; i < 20; i += 1)
        guesses.push(
          enter({ ...body, password: 'wrong' }, `198.18.${(networks += 1)}.1`).then(
            () => (answered += 1),
            () => undefined,
          ),
        );
    };
    guessFromMany();
    await until(() => waiting() === 10);
    const refused = await enter(body, '203.0.113.1');
    expect(refused.status).to.equal(503);
    const set = refused.headers.getSetCookie().find((one) => one.includes('_waiting='));
    expect(set).to.match(/; HttpOnly; SameSite=Strict$/);
    const [cookie = ''] = set?.split(';') ?? [];
    // Four of the first guesses are compared, and others take their places.
    for (let left = 9; left > 5; left -= 1) {
      await until(() => {
        if (waiting() === left) return true;
        clock.pass(60_000);
        return false;
      });
    }
    guessFromMany();
    await until(() => waiting() === 10);
    // The cookie is valid for its account and address only, and is ignored if it was changed.
    const [name = '', value = ''] = cookie.split('=');
    const [since = '', mark = ''] = value.split('.');
    for (const [from, changed] of [
      ['203.0.200.1', value],
      ['203.0.113.1', `${Number(since) - 1}.${mark}`],
      ['203.0.113.1', `${since}.${'A'.repeat(22)}`],
      ['203.0.113.1', `${since}.${mark.slice(0, -1)}é`],
      ['203.0.113.1', ''],
    ] as const)
      expect((await enter(body, from, `${name}=${changed}`)).status, changed).to.equal(503);
    // Refused attempts do not count, so the network stays quiet.
    for (let i = 0; i < 12; i += 1) expect((await enter(body, '203.0.113.1')).status).to.equal(503);
    const before = answered;
    const owner = enter(body, '203.0.113.1', cookie);
    let isOver = false;
    guesses.push(owner.finally(() => (isOver = true)));
    // The owner must take the place of a guess before the clock frees another one.
    await until(() => answered > before || isOver);
    await until(() => {
      clock.pass(60_000);
      return isOver;
    });
    expect((await owner).status).to.equal(200);
    await app.close();
    await Promise.allSettled(guesses);
  });
});
