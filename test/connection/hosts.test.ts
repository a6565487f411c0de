/** The host names that a node answers to. A page whose name points at this machine would have the node's origin. */
import { once } from 'node:events';
import { request, type OutgoingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { parseConfig } from '../../server/config.ts';
import { Refused } from '../../shared/events.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openSocket } from '../support/person.ts';

interface Answer {
  status: number | undefined;
  type: string | undefined;
  text: string;
}

/** Uses no `fetch`, because it does not allow setting Host. */
const ask = (url: string, path: string, headers: OutgoingHttpHeaders, body?: object) =>
  new Promise<Answer>((resolve, reject) => {
    const asked = request(url + path, { method: body ? 'POST' : 'GET', headers }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      const { statusCode: status, headers } = response;
      response.on('end', () => resolve({ status, type: headers['content-type'], text }));
    });
    asked.on('error', reject).end(body && JSON.stringify(body));
  });

const visit = (url: string, host: string, more: OutgoingHttpHeaders = {}) => {
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/json', ...more };
  return ask(url, '/api/auth/guest', headers, { displayName: 'Page' });
};

const connects = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      ...{ host, origin: `http://${host}`, connection: 'Upgrade', upgrade: 'websocket' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    };
    const asked = request(`${url}/socket.io/?EIO=4&transport=websocket`, { headers });
    asked.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    asked.once('response', ({ statusCode }) => resolve(statusCode));
    asked.once('error', reject).end();
  });

describe('without PUBLIC_URL', () => {
  let app: TestApp;
  let port: string;
  before(async () => {
    app = await startApp();
    ({ port } = new URL(app.url));
  });
  after(() => app.close());

  it('a page with another host name for this machine gets only an error that names the setting', async () => {
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'evil-localhost',
      '127.0.0.1.evil.example',
      `${hostname()}.evil.example`,
      'evil.local',
      '1.evil',
      'localhost@evil.example',
      'localhost, evil.example',
      '[::1].evil.example',
    ].map((name) => `${name}:${port}`)) {
      for (const path of ['/', '/livez', '/api/servers', '/docs/', '/nothing']) {
        const { status, text } = await ask(app.url, path, { host });
        expect(status, `${host}${path}`).to.equal(421);
        expect(text).to.include('PUBLIC_URL');
      }
      expect((await visit(app.url, host, { 'sec-fetch-site': 'same-origin' })).status).to.equal(
        421,
      );
      expect(await connects(app.url, host), host).to.equal(400);
    }
    const { type, text } = await ask(app.url, '/api/servers', { host: 'evil.example' });
    expect(type).to.include('application/json');
    expect(Refused.parse((JSON.parse(text) as { error: object }).error)).to.include({
      code: 'forbidden',
    });
  });

  it('localhost, addresses and this machine’s own names are answered', async () => {
    const [label = ''] = hostname().split('.');
    for (const name of [
      'localhost',
      'LOCALHOST.',
      '127.0.0.1',
      '192.168.1.20',
      '[::1]',
      label,
      `${label}.local`,
    ]) {
      const host = `${name}:${port}`;
      expect((await ask(app.url, '/livez', { host })).status, host).to.equal(200);
      expect((await visit(app.url, host)).status, host).to.equal(201);
      expect(await connects(app.url, host), host).to.equal(101);
    }
  });

  it('a page of another name gains nothing behind a proxy that rewrites Host', async () => {
    const origin = { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' };
    expect((await visit(app.url, `127.0.0.1:${port}`, origin)).status).to.equal(403);
  });
});

describe('PUBLIC_URL', () => {
  it('is the only origin, regardless of the Host that a proxy sends', async () => {
    const app = await startApp({ PUBLIC_URL: 'http://chat.example.org' });
    const own = { origin: 'http://chat.example.org' };
    for (const host of ['chat.example.org', 'node1:3000', 'localhost'])
      expect((await visit(app.url, host, own)).status, host).to.equal(201);
    for (const host of ['evil.example', 'localhost'])
      expect((await visit(app.url, host)).status, host).to.equal(403);
    expect(await connects(app.url, 'evil.example')).to.equal(101);
    const socket = openSocket(app.url, undefined);
    const [error] = (await once(socket as unknown as NodeJS.EventEmitter, 'connect_error')) as [
      object,
    ];
    expect(error).to.have.nested.property('data.code', 'forbidden');
    await app.close();
  });

  it('is needed in production, which says so before it starts', () => {
    const production = { NODE_ENV: 'production' };
    expect(() => parseConfig(production)).to.throw(/PUBLIC_URL: required in production/);
    expect(() => parseConfig({ ...production, PUBLIC_URL: '' })).to.throw(/PUBLIC_URL/);
    const { config } = parseConfig({ ...production, PUBLIC_URL: 'http://localhost:3000' });
    expect(config.PUBLIC_URL).to.equal('http://localhost:3000');
  });
});
