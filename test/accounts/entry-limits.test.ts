import { expect } from 'chai';
import { takeGuess, turnOf } from '../../server/accounts/entry-limits.ts';
import { query } from '../../server/database/database.ts';
import { networksOf } from '../../server/http/address.ts';
import { strangerRates } from '../../shared/limits.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { newForm, password, replyOf } from '../support/auth.ts';
import { connectAs, cookieOf, deviceCookieOf, post } from '../support/person.ts';
import { freshPrefix, withRedis, sharedRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';
import { guessesOn } from '../../server/accounts/password.ts';

const strict = { PARLEY_RATE_SCALE: '1', TRUST_PROXY: '1' };

type Door = 'register' | 'login' | 'guest';
const enter = (
  { url }: { url: string },
  door: Door,
  body: object,
  address: string,
  cookie?: string,
): Promise<Response> =>
  post(url, `/api/auth/${door}`, body, {
    'x-forwarded-for': address,
    ...(cookie !== undefined && { cookie }),
  });

const statuses = async (replies: Promise<Response>[]) =>
  (await Promise.all(replies)).map(({ status }) => status);

const waitOf = async (response: Response) => {
  expect(response.status).to.equal(429);
  const { error } = await replyOf(response);
  expect(error).to.include({ code: 'rate_limited', retryable: true });
  expect(response.headers.get('retry-after')).to.equal(
    String(Math.ceil((error?.retryAfterMs ?? 0) / 1_000)),
  );
  return (error?.retryAfterMs ?? 0) / 1_000;
};

describe('wrong passwords', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startStrictApp(strict)));
  afterEach(() => app.close());

  async function victim() {
    const body = newForm();
    const response = await enter(app, 'register', body, '192.0.2.1');
    expect(response.status).to.equal(201);
    const guess = { ...body, password: 'a guess of somebody else' };
    return { body, guess, device: deviceCookieOf(response), session: cookieOf(response) };
  }

  it('by other people do not lock an account, neither for a new address nor for its own device', async () => {
    const { body, guess, device } = await victim();
    for (let i = 0; i < 15; i += 1) await enter(app, 'login', guess, '198.51.100.7');
    await waitOf(await enter(app, 'login', body, '198.51.100.7'));
    for (let i = 0; i < 10; i += 1) await enter(app, 'login', guess, `198.51.${i}.9`);
    expect((await enter(app, 'login', body, '203.0.113.1')).status).to.equal(200);
    expect((await enter(app, 'login', body, '198.51.100.7', device)).status).to.equal(200);
  });

  it('from a thousand addresses leave every new address a few guesses, enough for the owner to sign in', async () => {
    const { body, guess, device } = await victim();
    const { points } = strangerRates.wrongPasswordOverall;
    // One after the other, because few slowed guesses can wait.
    for (let i = 0; i < points; i += 1)
      expect((await enter(app, 'login', guess, `198.18.${i}.1`)).status).to.equal(401);
    const fresh = await statuses(
      Array.from({ length: 5 }, () => enter(app, 'login', guess, '203.0.113.1')),
    );
    expect(fresh.sort()).to.deep.equal([401, 401, 401, 429, 429]);
    expect((await enter(app, 'login', body, '203.0.200.1')).status).to.equal(200);
    expect((await enter(app, 'login', body, '203.0.113.1', device)).status).to.equal(200);
  });

  it('count before they are compared, so that simultaneous ones do not exceed the limit', async () => {
    const { guess } = await victim();
    const replies = await statuses(
      Array.from({ length: 30 }, () => enter(app, 'login', guess, '198.51.100.7')),
    );
    const { points } = strangerRates.wrongPassword;
    expect(replies.filter((status) => status === 401)).to.have.length(points);
  });

  it('are the only attempts that count: repeated correct sign-ins are not slowed down', async () => {
    const { body } = await victim();
    for (let i = 0; i < 15; i += 1)
      expect((await enter(app, 'login', body, '203.0.113.1')).status).to.equal(200);
  });

  it('make their network wait behind others; correct passwords do not', async () => {
    const { body, guess } = await victim();
    // Each wrong guess counts as three.
    for (let i = 0; i < strangerRates.quietPerAddress.points / 3; i += 1) {
      await enter(app, 'login', body, '203.0.113.1');
      await enter(app, 'login', { ...guess, username: newForm().username }, '198.51.100.7');
    }
    expect(await turnOf(app.node, '203.0.113.1')).to.equal('quiet');
    expect(await turnOf(app.node, '198.51.100.7')).to.equal('busy');
  });

  it('are not counted by the longer limits while a shorter one refuses them', async () => {
    const [account, address] = ['somebody', '198.51.100.8'];
    const { wrongPassword, wrongPasswordAgain } = strangerRates;
    const guess = () =>
      takeGuess(app.node, account, address).then(
        () => true,
        () => false,
      );
    const admitted = [];
    for (let i = 0; i < 20; i += 1) admitted.push(await guess());
    expect(admitted.filter(Boolean)).to.have.length(wrongPassword.points);
    const left = wrongPasswordAgain.points - wrongPassword.points;
    const tryAgain = () => app.node.limits.tryTake('wrongPasswordAgain', `${address} ${account}`);
    for (let i = 0; i < left; i += 1) expect(await tryAgain()).to.equal(true);
    expect(await tryAgain()).to.equal(false);
  });

  it('for one account, from any address, are soon compared one at a time; other accounts are unaffected', async () => {
    const [one, two] = [await victim(), await victim()];
    const { points } = strangerRates.wrongPasswordSlow;
    for (let i = 0; i < points; i += 1) {
      await enter(app, 'login', one.guess, `198.51.${i}.9`);
      // A correct password takes its count back.
      await enter(app, 'login', two.body, `203.0.${i}.1`);
    }
    const isSlow = async ({ body }: typeof one) =>
      (await takeGuess(app.node, body.username, '192.0.2.77')).isSlow;
    expect(await isSlow(one)).to.equal(true);
    expect(await isSlow(two)).to.equal(false);
    expect((await enter(app, 'login', one.body, '192.0.2.78')).status).to.equal(200);
  });

  it('are slowed down equally for unknown names', async () => {
    const { guess } = await victim();
    const answers = async (username: string, address: string) => {
      const replies: string[] = [];
      for (let i = 0; i < 8; i += 1) {
        const response = await enter(app, 'login', { ...guess, username }, address);
        const { error } = await replyOf(response);
        replies.push(`${response.status} ${error?.code} ${error?.message}`);
        expect(response.headers.getSetCookie()).to.deep.equal([]);
      }
      return replies;
    };
    const known = await answers(guess.username, '198.51.100.7');
    expect(await answers('nobody.at.all', '198.51.100.8')).to.deep.equal(known);
  });

  it('on a known device count for that device only; a changed password makes the device unknown', async () => {
    const { body, guess, device, session } = await victim();
    const { points } = strangerRates.loginPerDevice;
    for (let i = 0; i < points; i += 1)
      expect((await enter(app, 'login', guess, '198.51.100.7', device)).status).to.equal(401);
    await waitOf(await enter(app, 'login', body, '198.51.100.7', device));
    expect((await enter(app, 'login', body, '198.51.100.7')).status).to.equal(200);

    const other = deviceCookieOf(await enter(app, 'login', body, '203.0.113.1'));
    for (let i = 0; i < 15; i += 1) await enter(app, 'login', guess, '198.51.100.7');
    expect((await enter(app, 'login', body, '198.51.100.7', other)).status).to.equal(200);
    const ann = await connectAs(app.url, session);
    const next = 'another long sentence';
    await ann.send('user:changePassword', { current: password, next });
    await waitOf(await enter(app, 'login', { ...body, password: next }, '198.51.100.7', other));
  });

  it('from all known devices of one account share a limit, and beyond it count as strangers’', async () => {
    const { body, guess, device } = await victim();
    const devices = [device];
    for (let i = 0; i < 3; i += 1)
      devices.push(deviceCookieOf(await enter(app, 'login', body, `192.0.2.${i + 2}`)));
    const { points } = strangerRates.wrongOnDevices;
    for (let i = 0; i < points; i += 1)
      expect(
        (await enter(app, 'login', guess, '192.0.2.1', devices[i % devices.length])).status,
      ).to.equal(401);
    // From here on, the limits of strangers apply: five in a row from one address.
    const more = [];
    for (let i = 0; i < 6; i += 1)
      more.push((await enter(app, 'login', guess, '192.0.2.1', devices[i % 4])).status);
    expect(more).to.deep.equal([401, 401, 401, 401, 401, 429]);
    expect((await enter(app, 'login', body, '203.0.113.1', device)).status).to.equal(200);
  });

  it('gain nothing from a device cookie that is forged or belongs to another account', async () => {
    const [one, two] = [await victim(), await victim()];
    for (let i = 0; i < 15; i += 1) await enter(app, 'login', one.guess, '198.51.100.7');
    const [name = '', value = ''] = two.device.split('=');
    const [id = '', entry = ''] = one.device.split('=')[1]?.split('.') ?? [];
    for (const cookie of [
      two.device,
      `${name}=${value.split('.')[0]}.${entry}`,
      `${name}=${id}.${'A'.repeat(44)}`,
      `${name}=${id}.${entry.slice(0, 22)}${'A'.repeat(22)}`,
      `${name}=`,
      `${name}=${'x'.repeat(4_000)}`,
    ])
      await waitOf(await enter(app, 'login', one.body, '198.51.100.7', cookie));
    expect((await enter(app, 'login', one.body, '198.51.100.7', one.device)).status).to.equal(200);
  });
});

describe('a device that signed in', () => {
  it('has an HttpOnly cookie for five accounts at most, which names none of them', async () => {
    const app = await startApp();
    let device = '';
    for (let i = 0; i < 7; i += 1) {
      const response = await enter(app, 'register', newForm(), '192.0.2.1', device);
      const [set = ''] = response.headers.getSetCookie().filter((one) => one.includes('_device='));
      expect(set).to.match(
        /^parley_[0-9a-f]{6}_device=[\w-]{22}(\.[\w-]{44}){1,5}; Max-Age=34560000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
      );
      const next = deviceCookieOf(response);
      if (device !== '') expect(next.slice(0, 42)).to.equal(device.slice(0, 42));
      device = next;
    }
    expect(device.split('.')).to.have.length(6);
    const guest = await enter(app, 'guest', { displayName: 'G' }, '192.0.2.1');
    expect(deviceCookieOf(guest)).to.match(/^parley_[0-9a-f]{6}_device=[\w-]{22}$/);
    await app.close();
    const https = await startApp({ PUBLIC_URL: 'https://chat.example.org', TRUST_PROXY: '1' });
    const secure = await post(https.url, '/api/auth/register', newForm(), {
      origin: 'https://chat.example.org',
      'x-forwarded-proto': 'https',
    });
    expect(secure.headers.getSetCookie().find((one) => one.includes('_device='))).to.match(
      /^__Host-parley_device=.*; Path=\/; .*; Secure; SameSite=Strict$/,
    );
    await https.close();
  });
});

describe('strangers', () => {
  it('sign in from other networks while two addresses send 120 guesses', async () => {
    // Costly enough that guesses arrive faster than they are served; on a busy machine they rarely do.
    const app = await startStrictApp({ ...strict, PARLEY_PASSWORD_COST: '6' });
    const body = newForm();
    await enter(app, 'register', body, '192.0.2.1');
    let answered = 0;
    const flood = Array.from({ length: 120 }, (_, i) =>
      enter(app, 'login', newForm(), `198.51.${100 + (i % 2)}.1`).then((response) => {
        answered += 1;
        return response.status;
      }),
    );
    const guesses = guessesOn(app.node);
    await until(() => guesses.size >= 10);
    const before = answered;
    const { status } = await enter(app, 'login', body, '203.0.113.1');
    expect(status).to.equal(200);
    // Not refused: the ten that wait, and the guesses of an address before it counts as busy (a wrong one as three).
    const { points } = strangerRates.quietPerAddress;
    const refused = (await Promise.all(flood)).filter((one) => one !== 401).length;
    expect(answered - before).to.be.above(0);
    expect(refused).to.be.at.most(120 - 2 * Math.ceil(points / 3) - 10);
    await app.close();
  });

  it('sign in from other networks while 34 networks of one /48 use up the shared limit', async () => {
    const app = await startStrictApp({ ...strict, PARLEY_RATE_SCALE: '0.05' });
    const body = newForm();
    expect((await enter(app, 'register', body, '192.0.2.1')).status).to.equal(201);
    const replies = [];
    for (let round = 0; round < 3; round += 1)
      for (let network = 0; network < 34; network += 1)
        replies.push(
          enter(app, 'login', newForm(), `2001:db8:0:${network.toString(16)}ff::${round}`),
        );
    const refused = (await statuses(replies)).filter((status) => status === 429);
    expect(refused).to.have.length.above(34);
    for (const address of ['203.0.113.1', '2001:db8:1::1'])
      expect((await enter(app, 'login', body, address)).status).to.equal(200);
    await app.close();
  });

  it('are counted together in a /64, with larger limits for a /56, a /48, a /40 and a /24', async () => {
    const app = await startStrictApp({ ...strict, PARLEY_RATE_SCALE: '0.05' });
    const { points } = strangerRates.guestPerAddress;
    const allowed = async (addresses: string[]) => {
      const replies = await statuses(
        addresses.map((address) => enter(app, 'guest', { displayName: 'G' }, address)),
      );
      return replies.filter((status) => status === 201).length / (points * 0.05);
    };
    const many = (address: (i: number) => string) =>
      Array.from({ length: 50 }, (_, i) => address(i));
    expect(await allowed(many((i) => `2001:db8:1:1::${i.toString(16)}`))).to.equal(1);
    expect(await allowed(many((i) => `2001:db8:2:12${(i + 16).toString(16)}::1`))).to.equal(2);
    expect(await allowed(many((i) => `2001:db8:3:${(i + 16).toString(16)}00::1`))).to.equal(4);
    expect(await allowed(many((i) => `2001:db8:50${(i + 16).toString(16)}::1`))).to.equal(16);
    expect(await allowed(many(() => '192.0.2.1'))).to.equal(1);
    expect(await allowed(many((i) => `198.51.100.${i}`))).to.equal(8);
    // One address in different spellings.
    expect(await allowed(['2001:db8:4::1', '2001:DB8:4:0::2', '2001:0db8:0004::3'])).to.equal(1);
    expect(await allowed(['203.0.113.1', '::ffff:203.0.113.1', '::FFFF:cb00:7101'])).to.equal(1);
    await app.close();
  });

  it('are counted per network, up to the /32 of a small provider', () => {
    const rooms = (address: string) =>
      networksOf(address).map(({ name, room }) => `${name} ${room}`);
    expect(rooms('2001:db8:1234:5678::/64')).to.deep.equal([
      '2001:db8:1234:5678::/64 1',
      '2001:db8:1234:5600::/56 2',
      '2001:db8:1234::/48 4',
      '2001:db8:1200::/40 16',
      '2001:db8::/32 64',
    ]);
    expect(rooms('198.51.100.7')).to.deep.equal(['198.51.100.7 1', '198.51.100.0/24 8']);
  });

  it('cannot choose their address without a trusted proxy (S-10)', async () => {
    const alone = await startStrictApp({ PARLEY_RATE_SCALE: '0.05' });
    const guest = (address: string) => enter(alone, 'guest', { displayName: 'A' }, address);
    expect((await guest('192.0.2.1')).status).to.equal(201);
    expect((await guest('192.0.2.2')).status).to.equal(201);
    expect((await guest('192.0.2.3')).status).to.equal(429);
    await alone.close();
  });

  it('wait only in busy networks when the overall limit on new guests is reached', async () => {
    const app = await startStrictApp({ ...strict, PARLEY_RATE_SCALE: '0.1' });
    const visit = (address: string) => enter(app, 'guest', { displayName: 'G' }, address);
    const { points } = strangerRates.guestOverall;
    // Only the second and later guests of a network count in the overall limit.
    const flood = Array.from({ length: points * 0.1 + 60 }, (_, i) =>
      visit(`198.${18 + (i % 50)}.0.1`),
    );
    expect(await statuses(flood)).to.include(429);
    expect((await visit('203.0.113.1')).status).to.equal(201);
    const rows = await query(app.db, `select 1 from users where kind = 'guest'`);
    expect(rows).to.have.length.below(points * 0.1 + 60);
    await app.close();
  });
});

describe('on two nodes with Redis', () => {
  it('wrong passwords count together, each wait is longer than the last, and devices are known', async () => {
    const { url: redis } = await sharedRedis();
    const prefix = freshPrefix();
    const settings = { ...strict, REDIS_URL: redis, PARLEY_REDIS_PREFIX: prefix };
    const one = await startApp(settings);
    const two = await startApp(settings, one.where);
    const nodes = [one, two] as const;
    const body = newForm();
    const device = deviceCookieOf(await enter(one, 'register', body, '192.0.2.1'));
    const guess = { ...body, password: 'a guess of somebody else' };
    const ladder = ['wrongPassword', 'wrongPasswordAgain', 'wrongPasswordOften'] as const;
    let shortest = 0;
    for (const [i, rate] of ladder.entries()) {
      const address = `198.51.100.${i}`;
      for (let n = 0; n < strangerRates[rate].points; n += 1) {
        // As if the shorter limits had expired.
        await forget(ladder.slice(0, i));
        expect((await enter(nodes[n % 2] ?? one, 'login', guess, address)).status).to.equal(401);
      }
      await forget(ladder.slice(0, i));
      const { seconds } = strangerRates[rate];
      for (const node of nodes)
        expect(await waitOf(await enter(node, 'login', guess, address))).within(shortest, seconds);
      shortest = seconds;
    }
    for (const node of nodes) {
      expect((await enter(node, 'login', body, '198.51.100.0', device)).status).to.equal(200);
      expect((await enter(node, 'login', body, '203.0.113.1')).status).to.equal(200);
    }
    for (const node of nodes) await node.close();

    async function forget(names: readonly string[]) {
      await withRedis(redis, async (asked) => {
        for (const name of names) {
          const keys = await asked.keys(`${prefix}rate:${name}:*`);
          if (keys.length > 0) await asked.del(...keys);
        }
      });
    }
  });
});
