import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { quotas } from '../../shared/quotas.ts';
import { deviceName } from '../../server/accounts/device.ts';
import { sweepSessions } from '../../server/accounts/sessions.ts';
import { query } from '../../server/database/database.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { alive, countStoredSessions, dead, newForm, opens, replyOf } from '../support/auth.ts';
import { withTableLock } from '../support/table-lock.ts';
import { cookieOf, enterAs, post } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('the session cookie', () => {
  let app: TestApp;
  before(async () => void (app = await startPatientApp()));
  after(() => app.close());

  for (const door of ['register', 'login', 'guest'] as const)
    it(`is new after ${door}, and the previous one is invalid (S-01)`, async () => {
      const known = newForm();
      await post(app.url, '/api/auth/register', known);
      // The attacker's own session, planted in the victim's browser.
      const planted = cookieOf(await post(app.url, '/api/auth/register', newForm()));
      expect(await opens(app.url, planted)).to.deep.equal(alive);
      const body = { register: newForm(), login: known, guest: { displayName: 'Guest' } }[door];
      const response = await post(app.url, `/api/auth/${door}`, body, { cookie: planted });
      expect(response.status).to.equal(door === 'login' ? 200 : 201);
      expect(cookieOf(response)).to.not.equal(planted);
      expect(await opens(app.url, cookieOf(response))).to.deep.equal(alive);
      expect(await opens(app.url, planted)).to.deep.equal(dead);
    });

  it('is never taken over (S-01)', async () => {
    const [name] = cookieOf(await post(app.url, '/api/auth/guest', { displayName: 'A' })).split(
      '=',
    );
    const forged = `${name}=s%3A${randomBytes(24).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
    const response = await post(
      app.url,
      '/api/auth/guest',
      { displayName: 'B' },
      { cookie: forged },
    );
    expect(response.status).to.equal(201);
    expect(cookieOf(response)).to.not.equal(forged);
    expect(await opens(app.url, forged)).to.deep.equal(dead);
  });

  it('is HttpOnly, Lax, of this host alone, and named after the installation (S-02)', async () => {
    const response = await post(app.url, '/api/auth/guest', { displayName: 'A' });
    const [cookie = '', ...others] = response.headers
      .getSetCookie()
      .filter((one) => !one.includes('_device='));
    expect(others).to.deep.equal([]);
    expect(cookie).to.match(
      /^parley_[0-9a-f]{6}=s%3A[\w-]{32}\.[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    const sid = /s%3A([\w-]{32})/.exec(cookie)?.[1] ?? 'none';
    expect(JSON.stringify(await response.json())).to.not.include(sid);
    const rows = JSON.stringify(await query(app.db, 'select * from sessions'));
    expect(rows).to.not.include(sid);
    expect(rows).to.include(createHash('sha256').update(sid).digest('hex'));
  });

  it('is Secure and __Host- over https, and is not set over http (S-02)', async () => {
    const https = await startApp({ PUBLIC_URL: 'https://chat.example.org', TRUST_PROXY: '1' });
    const origin = 'https://chat.example.org';
    const enter = (headers: object) =>
      post(https.url, '/api/auth/guest', { displayName: 'A' }, { origin, ...headers });
    const secure = await enter({ 'x-forwarded-proto': 'https' });
    expect(secure.status).to.equal(201);
    expect(secure.headers.getSetCookie().find((one) => !one.includes('_device='))).to.match(
      /^__Host-parley=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    const plain = await enter({});
    expect(plain.status).to.equal(403);
    expect((await replyOf(plain)).error?.message).to.include('TRUST_PROXY');
    expect(plain.headers.getSetCookie()).to.deep.equal([]);
    await https.close();
    // Without a trusted proxy, a header cannot claim this (S-10).
    const alone = await startApp({ PUBLIC_URL: 'https://chat.example.org' });
    const claimed = await post(
      alone.url,
      '/api/auth/guest',
      { displayName: 'A' },
      {
        origin,
        'x-forwarded-proto': 'https',
      },
    );
    expect(claimed.status).to.equal(403);
    await alone.close();
  });

  it('is not set by requests that only read (S-03)', async () => {
    const before = await countStoredSessions(app);
    for (const path of ['/', '/livez', '/readyz', '/nothing.js', '/api/servers', '/api/auth/login'])
      for (let i = 0; i < 20; i += 1) {
        const response = await fetch(`${app.url}${path}`);
        expect(response.headers.getSetCookie(), path).to.deep.equal([]);
      }
    expect(await countStoredSessions(app)).to.equal(before);
    await post(app.url, '/api/auth/guest', { displayName: 'A' });
    expect(await countStoredSessions(app)).to.equal(before + 1);
  });
});

describe('sessions', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  async function twice() {
    const body = newForm();
    const desk = await enterAs(app.url, 'register', body);
    const phone = await enterAs(app.url, 'login', body);
    return { body, desk, phone };
  }

  it('end on sign-out: cookie invalid, sockets closed, other devices unaffected (S-05)', async () => {
    const { desk, phone } = await twice();
    const tab = await desk.newTab();
    expect(await desk.send('session:logout', {})).to.deep.equal({});
    for (const person of [desk, tab])
      expect(await person.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await opens(app.url, desk.cookie)).to.deep.equal(dead);
    expect(await opens(app.url, phone.cookie)).to.deep.equal(alive);
    expect((await phone.send('session:list', {})).sessions).to.have.length(1);
    expect(phone.received('closing')).to.deep.equal([]);
  });

  it('are not restored by a request that was under way (S-05)', async () => {
    const { desk } = await twice();
    const before = await countStoredSessions(app);
    // A slow request that has read the session, and saves its changes later.
    const slow = createServer((request, response) => {
      app.node.session(request, response, () => {
        const { session } = request as unknown as { session: Record<string, unknown> };
        session.changed = true;
        void desk.send('session:logout', {}).then(() => response.end('done'));
      });
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { port } = slow.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { cookie: desk.cookie } });
    expect(await response.text()).to.equal('done');
    slow.close();
    expect(await countStoredSessions(app)).to.equal(before - 1);
    expect(await opens(app.url, desk.cookie)).to.deep.equal(dead);
  });

  it('are listed with their devices and ended one by one, only by their own account', async () => {
    const { desk, phone } = await twice();
    const { sessions } = await desk.send('session:list', {});
    expect(sessions).to.have.length(2);
    expect(sessions.filter(({ current }) => current)).to.have.length(1);
    const others = sessions.find(({ current }) => !current);
    const stranger = await app.person();
    const [foreign] = (await stranger.send('session:list', {})).sessions;
    const refusals: string[] = [];
    for (const sessionId of [foreign?.id ?? '', '01890000-0000-7000-8000-000000000000']) {
      const { code, message } = await desk.expectError('session:revoke', { sessionId });
      expect(code).to.equal('not_found');
      refusals.push(message);
    }
    expect(refusals[0]).to.equal(refusals[1]);
    expect(await opens(app.url, stranger.cookie)).to.deep.equal(alive);
    await desk.send('session:revoke', { sessionId: others?.id ?? '' });
    expect(await phone.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect(await opens(app.url, phone.cookie)).to.deep.equal(dead);
    expect(await opens(app.url, desk.cookie)).to.deep.equal(alive);
  });

  it('answer earlier commands before they end, also when they end themselves', async () => {
    const { desk } = await twice();
    const { sessions } = await desk.send('session:list', {});
    const own = sessions.find(({ current }) => current);
    const { slow, ending } = await withTableLock(
      app.where,
      'channels',
      'access exclusive',
      async () => {
        const slow = desk.send('server:create', { name: 'Late' });
        const ending = desk.send('session:revoke', { sessionId: own?.id ?? '' });
        const left = () => query(app.db, 'select 1 from sessions where id = $1', [own?.id]);
        await until(async () => (await left()).length === 0);
        return { slow, ending };
      },
    );
    expect(await ending).to.deep.equal({});
    expect((await slow).server.name).to.equal('Late');
    expect(await desk.waitFor('closing')).to.include({ code: 'revoked', retry: false });
  });

  it('do not wait long for earlier commands before they end', async () => {
    const { desk, phone } = await twice();
    const { sessions } = await phone.send('session:list', {});
    const other = sessions.find(({ current }) => !current);
    await withTableLock(app.where, 'channels', 'access exclusive', async () => {
      desk.socket.emit('server:create', { name: 'Never' }, () => undefined);
      await phone.send('session:revoke', { sessionId: other?.id ?? '' });
      expect(await desk.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    });
  });

  it('expire, even if a socket only listens (S-06)', async () => {
    const { desk, phone } = await twice();
    const { sessions } = await phone.send('session:list', {});
    const old = sessions.find(({ current }) => !current);
    await query(app.db, `update sessions set expires_at = now() where id = $1`, [old?.id]);
    expect(await opens(app.url, desk.cookie)).to.deep.equal(dead);
    await sweepSessions(app);
    expect(await desk.waitFor('closing')).to.include({ code: 'expired', retry: false });
    expect(phone.received('closing')).to.deep.equal([]);
    expect(await opens(app.url, phone.cookie)).to.deep.equal(alive);
  });

  it('close their sockets even if the notification of their end was lost (S-42)', async () => {
    const { desk, phone } = await twice();
    const { sessions } = await phone.send('session:list', {});
    const other = sessions.find(({ current }) => !current);
    // As another node would, whose message was lost.
    await query(app.db, 'delete from sessions where id = $1', [other?.id]);
    await sweepSessions(app);
    expect(await desk.waitFor('closing')).to.include({ code: 'revoked', retry: false });
    expect((await phone.send('session:list', {})).sessions).to.have.length(1);
    expect(phone.received('closing')).to.deep.equal([]);
  });

  it('are extended by use, for half a year at most', async () => {
    const { desk } = await twice();
    const daysLeft = async () => {
      const [row] = await query<{ days: number }>(
        app.db,
        `select round(extract(epoch from max(expires_at) - now()) / 86400)::int as days
         from sessions where user_id = $1 and last_seen_at > now() - interval '1 minute'`,
        [desk.id],
      );
      return row?.days;
    };
    expect(await daysLeft()).to.equal(30);
    for (const [age, left] of [
      [20, 30],
      [170, 10],
    ] as const) {
      await query(
        app.db,
        `update sessions set created_at = now() - make_interval(days => $2),
           last_seen_at = now() - interval '2 days', expires_at = now() + interval '1 hour'
         where user_id = $1`,
        [desk.id, age],
      );
      await opens(app.url, desk.cookie);
      expect(await daysLeft(), `after ${age} days`).to.equal(left);
    }
  });

  it('are a hundred at most; the longest unused one ends', async () => {
    const body = newForm();
    const first = await enterAs(app.url, 'register', body);
    for (let i = 1; i < quotas.sessionsPerPerson; i += 1)
      expect((await post(app.url, '/api/auth/login', body)).status).to.equal(200);
    expect(await opens(app.url, first.cookie)).to.deep.equal(alive);
    await query(
      app.db,
      `update sessions set last_seen_at = last_seen_at - interval '30 s' where id in
      (select id from sessions where user_id = $1 order by created_at limit 1)`,
      [first.id],
    );
    expect((await post(app.url, '/api/auth/login', body)).status).to.equal(200);
    expect(await first.waitFor('closing')).to.include({ code: 'revoked' });
    expect(await opens(app.url, first.cookie)).to.deep.equal(dead);
  });

  it('make their sockets reconnect with the new cookie when renewed', async () => {
    const { body, desk } = await twice();
    const tab = await desk.newTab();
    const renewed = await enterAs(app.url, 'login', body, desk.cookie);
    expect(await tab.waitFor('closing')).to.include({ code: 'renewed', retry: true });
    expect(renewed.id).to.equal(desk.id);
    expect(renewed.received('closing')).to.deep.equal([]);
  });

  it('are answered as busy, not as unauthenticated, while their table cannot be read', async () => {
    const lonely = await startApp();
    const ann = await lonely.person();
    await lonely.db.sequelize.close();
    const asked = await fetch(`${lonely.url}/api/servers`, {
      headers: { cookie: ann.cookie, origin: lonely.url },
    });
    expect(asked.status).to.not.equal(401);
    await lonely.close();
  });

  it('name the device in plain words', () => {
    const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
    const names: [string | undefined, string][] = [
      [
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        'Firefox on Linux',
      ],
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
        'Edge on Windows',
      ],
      [
        'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
        'Chrome on Android',
      ],
      [
        `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${apple} Version/18.0 Safari/604.1`,
        'Safari on iPhone',
      ],
      [
        `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/18.0 Safari/605.1.15`,
        'Safari on Mac',
      ],
      ['curl/8.5.0', 'curl'],
      ['<script>', 'Unknown device'],
      [undefined, 'Unknown device'],
    ];
    for (const [agent, name] of names) expect(deviceName(agent)).to.equal(name);
  });

  it('end with a new SESSION_SECRET, and survive a restart with the same one', async () => {
    const secret = 'x'.repeat(40);
    const first = await startApp({ SESSION_SECRET: secret });
    const ann = await first.person();
    await first.close();
    const same = await startApp({ SESSION_SECRET: secret }, first.where);
    expect(await opens(same.url, ann.cookie)).to.deep.equal(alive);
    await same.close();
    const other = await startApp({ SESSION_SECRET: 'y'.repeat(40) }, first.where);
    expect(await opens(other.url, ann.cookie)).to.deep.equal(dead);
    await other.close();
  });
});
