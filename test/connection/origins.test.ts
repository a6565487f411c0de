/** A cookie needs Parley's own Origin, because browsers attach it on their own; a token does not. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { io } from 'socket.io-client';
import { findPython } from '../../scripts/python.js';
import { createApp, type Running } from '../../server/app.ts';
import { parseConfig } from '../../server/config.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openWorkshop } from '../support/bots.ts';
import type { ClientSocket } from '../support/person.ts';

const run = promisify(execFile);
const own = 'http://chat.example.org';
const foreign = 'https://evil.example';

const openFrom = (url: string, headers: Record<string, string>, auth: object): ClientSocket =>
  io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { protocol: 1, ...auth },
    extraHeaders: headers,
  });

/** Opens a socket, and prints what arrives after the first packet: `ready`, or a refusal. */
const knocking = `
import sys, websocket
socket = websocket.create_connection(sys.argv[1], timeout=20)
socket.recv()
socket.send("40" + sys.argv[2])
said = "40"
while said.startswith("40"):
    said = socket.recv()
print(said)
`;

const outcome = async (socket: ClientSocket): Promise<string> => {
  const events = socket as unknown as NodeJS.EventEmitter;
  const refused = once(events, 'connect_error').then(
    ([error]) => (error as { data: { code: string } }).data.code,
  );
  const came = await Promise.race([once(events, 'ready').then(() => 'ready'), refused]);
  socket.disconnect();
  return came;
};

describe('the Origin of a socket', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  it('does not matter for a token, and neither does a cookie', async () => {
    const { token, ann } = await openWorkshop(app);
    for (const headers of [{}, { origin: foreign }, { cookie: 'route=1' }, { cookie: ann.cookie }])
      expect(await outcome(openFrom(app.url, headers, { token }))).to.equal('ready');
    const both = { origin: foreign, cookie: ann.cookie };
    expect(await outcome(openFrom(app.url, both, { token }))).to.equal('ready');
    expect(await outcome(openFrom(app.url, both, { token: 'pbot_wrong' }))).to.equal(
      'unauthenticated',
    );
  });

  it('must be Parley’s own for a cookie', async () => {
    const { cookie } = await app.person();
    const ours = { cookie, origin: app.url };
    expect(await outcome(openFrom(app.url, ours, {}))).to.equal('ready');
    for (const origin of [foreign, 'null', `${app.url}.evil.example`])
      expect(await outcome(openFrom(app.url, { cookie, origin }, {}))).to.equal('forbidden');
    expect(await outcome(openFrom(app.url, { cookie }, {}))).to.equal('forbidden');
  });
});

describe('a page of another address than PUBLIC_URL', () => {
  let node: Running;
  let url: string;
  let token: string;
  let written = '';
  before(async () => {
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.toString();
        done();
      },
    });
    const before = await startApp();
    ({ token } = await openWorkshop(before));
    await before.close();
    const { config } = parseConfig({ PORT: '0', HOST: '127.0.0.1', PUBLIC_URL: own });
    node = await createApp(config, pino({ level: 'warn' }, stream), before.where);
    url = node.url.replace('localhost', '127.0.0.1');
  });
  after(() => node.close());

  it('is refused, and the log names its origin, the expected one and the setting', async () => {
    expect(await outcome(openFrom(url, { origin: foreign }, {}))).to.equal('forbidden');
    expect(await outcome(openFrom(url, { origin: own }, {}))).to.equal('unauthenticated');
    const [line = ''] = written.split('\n');
    const logged = JSON.parse(line) as Record<string, string>;
    expect(logged).to.include({
      msg: 'rejected a request from another origin',
      got: foreign,
      expected: own,
    });
    expect(logged.hint).to.include('PUBLIC_URL');
  });

  it('is accepted with a token, because Python’s client always sends an Origin', async () => {
    const python = findPython();
    expect(python, 'a Python with python3-websocket: see scripts/tools.js').not.to.equal(undefined);
    const address = `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const auth = JSON.stringify({ protocol: 1, token });
    const { stdout } = await run(python!, ['-c', knocking, address, auth]);
    expect(stdout).to.match(/^42\["ready"/);
  });
});
