import { expect } from 'chai';
import { v7 } from 'uuid';
import { NoResponse, type ConnectionState } from '../../client/sync/connection.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectionTo } from '../support/client-connection.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { until } from '../support/time.ts';

describe('a silent connection', () => {
  let app: TestApp;
  let wire: Proxy;
  let connection: ReturnType<typeof connectionTo>;
  let states: ConnectionState['is'][];

  before(async () => {
    app = await startApp();
    wire = await startProxy({ port: Number(new URL(app.url).port) });
  });
  beforeEach(async () => {
    const { cookie } = await app.person('Ann');
    states = [];
    const changed = ({ is }: ConnectionState) => void states.push(is);
    const url = `http://127.0.0.1:${wire.port}`;
    connection = connectionTo({ url, origin: url, cookie }, { changed });
    connection.open();
    await until(() => connection.isReady);
    states = [];
  });
  afterEach(() => {
    connection.close();
  });
  after(async () => {
    wire.close();
    await app.close();
  });

  const failureOf = (sending: Promise<unknown>) =>
    sending.then(
      () => undefined,
      (error: unknown) => (error instanceof NoResponse ? error.how : error),
    );

  it('is replaced when a command gets no answer', async () => {
    wire.silence();
    expect(await failureOf(connection.send('server:list', {}))).to.equal('lost');
    await until(() => connection.isReady);
    expect(states).to.deep.equal(['waiting', 'connecting', 'ready']);
  });

  it('is kept while a file command is pending, because that may take long, but not afterwards', async () => {
    wire.silence();
    const chunk = { fileId: v7(), offset: 0, bytes: new Uint8Array(100) };
    const sent = [connection.send('file:chunk', chunk), connection.send('server:list', {})];
    expect(await Promise.all(sent.map(failureOf))).to.deep.equal(['late', 'late']);
    expect(states).to.deep.equal([]);
    expect(await failureOf(connection.send('server:list', {}))).to.equal('lost');
  });

  it('is kept if a packet arrives within the expected time, and replaced if none does', async () => {
    connection.expectPacket(500);
    await connection.send('server:list', {});
    wire.silence();
    connection.expectPacket(100);
    await until(() => states.includes('waiting'));
    await until(() => connection.isReady);
    expect(states).to.deep.equal(['waiting', 'connecting', 'ready']);
  });
});
