import { expect } from 'chai';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openSocket, type ClientSocket, type Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const asked = quotas.socketsPerPerson + 10;

describe('connections of one account', () => {
  let app: TestApp;
  let eve: Person;
  let opened: ClientSocket[] = [];
  before(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    eve = await app.guest('Eve');
    eve.close();
    await until(() => connected() === 0);
  });
  afterEach(async () => {
    for (const socket of opened) socket.disconnect();
    opened = [];
    await until(() => connected() === 0);
  });
  after(() => app.close());

  const connected = () =>
    [...app.node.io.of('/').sockets.values()].filter(({ data }) => data.caller.user.id === eve.id)
      .length;

  const open = (): Promise<string> =>
    new Promise((resolve) => {
      const socket = openSocket(app.url, eve.cookie);
      opened.push(socket);
      socket.once('ready', () => resolve('ready'));
      socket.once('connect_error', (error: Error & { data?: { code: string } }) =>
        resolve(error.data?.code ?? error.message),
      );
      // On a slow machine the server can give up a connection before it is ready.
      socket.once('disconnect', (reason) => resolve(reason));
    });

  it(`are ${quotas.socketsPerPerson} if ${asked} are opened at the same moment`, async () => {
    const outcomes = await Promise.all(Array.from({ length: asked }, open));
    expect(outcomes.filter((outcome) => outcome === 'ready')).to.have.length(
      quotas.socketsPerPerson,
    );
    expect(outcomes.filter((outcome) => outcome === 'conflict')).to.have.length(10);
  });

  it('are counted until they end, not longer', async () => {
    await Promise.all(Array.from({ length: quotas.socketsPerPerson }, open));
    expect(await open()).to.equal('conflict');
    opened[0]!.disconnect();
    await until(() => connected() === quotas.socketsPerPerson - 1);
    expect(await open()).to.equal('ready');
  });

  it('carry one socket each, however many are requested', async () => {
    const socket = openSocket(app.url, eve.cookie);
    opened.push(socket);
    let peak = 0;
    app.node.io.of('/').on('connection', () => (peak = Math.max(peak, connected())));
    socket.io.once('open', () => {
      for (let i = 0; i < asked; i += 1) socket.io.engine.write('0{"protocol":1}');
    });
    await new Promise<void>((resolve) => {
      socket.once('disconnect', () => resolve());
      // A connection that stays open emits nothing else to wait for.
      setTimeout(resolve, 2_000);
    });
    expect(peak).to.be.at.most(1);
  });

  it('release their slots if they end during the handshake', async () => {
    for (let i = 0; i < asked; i += 1) {
      const socket = openSocket(app.url, eve.cookie);
      socket.io.once('open', () => socket.io.engine.close());
    }
    const tried = await Promise.all(Array.from({ length: 20 }, open));
    await until(() => connected() === tried.filter((outcome) => outcome === 'ready').length);
    for (const socket of opened) socket.disconnect();
    await until(() => connected() === 0);
    const outcomes = await Promise.all(Array.from({ length: quotas.socketsPerPerson }, open));
    expect(new Set(outcomes)).to.deep.equal(new Set(['ready']));
  });
});
