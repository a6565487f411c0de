import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { limits } from '../../shared/limits.ts';
import { sameOrigin } from '../../server/http/origin.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { newForm, replyOf } from '../support/auth.ts';
import { cookieOf, post } from '../support/person.ts';

describe('/api/auth endpoints', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());
  const guest = { displayName: 'Guest' };
  const raw = (init: RequestInit, path = '/api/auth/guest') =>
    fetch(`${app.url}${path}`, { method: 'POST', body: JSON.stringify(guest), ...init });
  const json = { 'content-type': 'application/json' };

  it('take POST only (S-04)', async () => {
    for (const path of ['register', 'login', 'guest'])
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const response = await fetch(`${app.url}/api/auth/${path}`, { method });
        expect(response.status, method).to.equal(405);
        expect(response.headers.get('allow')).to.equal('POST');
        expect((await replyOf(response)).error?.code).to.equal('invalid');
        expect(response.headers.getSetCookie()).to.deep.equal([]);
      }
  });

  it('take JSON only, so that no form of another site can use them (S-04)', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonp',
    ];
    for (const type of types) {
      const response = await raw({ headers: { 'content-type': type, origin: app.url } });
      expect(response.status, type).to.equal(415);
      expect(response.headers.getSetCookie()).to.deep.equal([]);
    }
    const response = await raw({
      headers: { 'content-type': 'Application/JSON; charset=utf-8', origin: app.url },
    });
    expect(response.status).to.equal(201);
  });

  it('serve our own pages only (S-04)', async () => {
    const { host } = new URL(app.url);
    const cookie = cookieOf(await post(app.url, '/api/auth/guest', guest));
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://sub.${host}` },
      { origin: `${app.url}.evil.example` },
      { origin: `${app.url}0` },
      { origin: 'http://127.0.0.1' },
      { origin: `${app.url}/` },
      { origin: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: app.url },
      { 'sec-fetch-site': 'same-origin, cross-site' },
      { cookie },
    ];
    for (const headers of refused) {
      const response = await raw({ headers: { ...json, ...headers } });
      expect(response.status, JSON.stringify(headers)).to.equal(403);
      expect((await replyOf(response)).error?.code).to.equal('forbidden');
      expect(response.headers.getSetCookie()).to.deep.equal([]);
    }
    const allowed: Record<string, string>[] = [
      { origin: app.url },
      { origin: app.url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin' },
      { origin: app.url, cookie },
      {},
    ];
    for (const headers of allowed) {
      const response = await raw({ headers: { ...json, ...headers } });
      expect(response.status, JSON.stringify(headers)).to.equal(201);
    }
  });

  it('accept only PUBLIC_URL as their origin when it is set', () => {
    const config = { PUBLIC_URL: 'https://chat.example.org' };
    const ask = (headers: object) => sameOrigin(config, { host: 'localhost:3000', ...headers });
    expect(ask({ origin: 'https://chat.example.org' })).to.equal(true);
    for (const origin of [
      'http://chat.example.org',
      'https://chat.example.org:8443',
      'https://CHAT.example.org',
      'https://chat.example.org.',
      'http://localhost:3000',
    ])
      expect(ask({ origin, 'sec-fetch-site': 'same-origin' }), origin).to.equal(false);
  });

  it('let no other site read their answers (S-07)', async () => {
    for (const origin of ['https://evil.example', 'null', `${app.url}.evil.example`, app.url])
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const response = await fetch(`${app.url}/api/auth/guest`, {
          method,
          headers: { ...json, origin, 'access-control-request-method': 'POST' },
        });
        const names = [...response.headers.keys()].filter((name) =>
          name.startsWith('access-control'),
        );
        expect(names).to.deep.equal([]);
      }
  });

  it('take at most 8 KB of plain JSON (S-11)', async () => {
    const send = (body: BodyInit, headers: object = {}) =>
      raw({ headers: { ...json, origin: app.url, ...headers }, body });
    const padded = (size: number) => JSON.stringify(guest).padEnd(size, ' ');
    expect((await send(padded(limits.authBodyBytes))).status).to.equal(201);
    for (const size of [limits.authBodyBytes + 1, 1_000_000]) {
      const response = await send(padded(size));
      expect(response.status).to.equal(413);
      expect((await replyOf(response)).error).to.include({ code: 'invalid', retryable: false });
    }
    const bomb = await send(gzipSync(padded(5_000_000)), { 'content-encoding': 'gzip' });
    expect(bomb.status).to.equal(415);
    for (const body of ['{', '[]', '"text"', 'null', '']) {
      const response = await send(body);
      expect(response.status, body).to.equal(400);
      expect((await replyOf(response)).error?.code).to.equal('invalid');
    }
  });

  it('take strings in known fields, and nothing else (S-11, S-53)', async () => {
    const wrong: [object, string][] = [
      [newForm({ username: ['a'] }), 'username'],
      [newForm({ password: { length: 99 } }), 'password'],
      [newForm({ displayName: 7 }), 'displayName'],
      [newForm({ kind: 'bot' }), 'kind'],
      [newForm({ id: '01890000-0000-7000-8000-000000000000' }), 'id'],
      [
        JSON.parse(
          '{"__proto__":{"admin":true},"username":"ab","password":"long enough"}',
        ) as object,
        '__proto__',
      ],
    ];
    for (const [body, field] of wrong) {
      const response = await post(app.url, '/api/auth/register', body);
      expect(response.status, field).to.equal(400);
      expect((await replyOf(response)).error).to.include({ code: 'invalid', field });
    }
    expect('admin' in {}).to.equal(false);
    expect((await post(app.url, '/api/auth/register', newForm())).status).to.equal(201);
  });

  it('report all errors of a form at once', async () => {
    const body = { username: 'no spaces', password: 'short', displayName: '' };
    const { error, fields } = await replyOf(await post(app.url, '/api/auth/register', body));
    expect(Object.keys(fields ?? {})).to.have.members(['username', 'password', 'displayName']);
    expect(error?.field).to.equal('username');
    expect(error?.requestId).to.be.a('string');
  });
});

describe('every response', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('restricts the browser by its headers, also for errors and files (S-08, S-09)', async () => {
    const known = newForm();
    const requests: [string, Promise<Response>, number[]][] = [
      ['/', fetch(`${app.url}/`), [200, 404]],
      ['/nothing.js', fetch(`${app.url}/nothing.js`), [404]],
      ['/api/nothing', fetch(`${app.url}/api/nothing`), [404]],
      ['/bad path', fetch(`${app.url}/%E0%A4%A`), [200, 404]],
      ['gateway', fetch(`${app.url}/api/servers`), [401]],
      ['/livez', fetch(`${app.url}/livez`), [200]],
      ['/readyz', fetch(`${app.url}/readyz`), [200]],
      ['method', fetch(`${app.url}/api/auth/login`), [405]],
      [
        'foreign',
        post(app.url, '/api/auth/login', known, { origin: 'https://evil.example' }),
        [403],
      ],
      ['invalid', post(app.url, '/api/auth/login', {}), [400]],
      ['unknown', post(app.url, '/api/auth/login', known), [401]],
      ['success', post(app.url, '/api/auth/guest', { displayName: 'A' }), [201]],
    ];
    const { host } = new URL(app.url);
    const policy =
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' blob: data:;media-src 'self' blob:;font-src 'self';" +
      `connect-src 'self' ws://${host} wss://${host};manifest-src 'self';base-uri 'none';form-action 'self';` +
      "frame-ancestors 'none';require-trusted-types-for 'script';trusted-types svelte-trusted-html parley-worker";
    for (const [name, request, statuses] of requests) {
      const { status, headers } = await request;
      expect(status, name).to.be.oneOf(statuses);
      expect(headers.get('content-security-policy'), name).to.equal(policy);
      expect(headers.get('x-content-type-options'), name).to.equal('nosniff');
      expect(headers.get('cross-origin-opener-policy'), name).to.equal('same-origin');
      expect(headers.get('cross-origin-resource-policy'), name).to.equal('same-origin');
      expect(headers.get('referrer-policy'), name).to.equal('no-referrer');
      expect(headers.get('permissions-policy'), name).to.include('camera=()');
      expect(headers.get('x-powered-by'), name).to.equal(null);
      expect(headers.get('strict-transport-security'), name).to.equal(null);
      if (!name.startsWith('/')) expect(headers.get('cache-control'), name).to.equal('no-store');
    }
  });

  it('requires https for a year if PUBLIC_URL is https', async () => {
    const https = await startApp({ PUBLIC_URL: 'https://chat.example.org' });
    const { headers } = await fetch(`${https.url}/livez`);
    expect(headers.get('strict-transport-security')).to.equal('max-age=31536000');
    expect(headers.get('content-security-policy')).to.include(
      "connect-src 'self' wss://chat.example.org;",
    );
    await https.close();
  });

  it('is a `not_found` error as JSON for unknown paths', async () => {
    for (const path of ['/nothing.js', '/api/nothing', '/api/auth/nothing', '/assets/x.css']) {
      const response = await fetch(`${app.url}${path}`);
      expect(response.status, path).to.equal(404);
      expect((await replyOf(response)).error?.code).to.equal('not_found');
    }
  });

  it('reports a node without its database as alive, not ready', async () => {
    const lonely = await startApp();
    expect((await fetch(`${lonely.url}/readyz`)).status).to.equal(200);
    await lonely.db.sequelize.close();
    // A node caches its health for a second.
    expect((await fetch(`${lonely.url}/readyz`)).status).to.equal(200);
    lonely.pass(1_000);
    expect((await fetch(`${lonely.url}/readyz`)).status).to.equal(503);
    expect((await fetch(`${lonely.url}/livez`)).status).to.equal(200);
    await lonely.close();
  });
});
