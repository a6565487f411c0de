import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { createApp } from '../../server/app.ts';
import { limits, rates } from '../../shared/limits.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { openWorkshop } from '../support/bots.ts';
import { freshDatabase } from '../support/database.ts';
import { connectAs, openSocket, post, type Person } from '../support/person.ts';
import { countStatements } from '../support/statements.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** Ignores the statements of the node's own background work. */
const lookups = (sent: string[]) => sent.filter((sql) => sql.includes('token_hash = $1')).length;
const many = (count: number, one: (i: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)));

describe('a stranger', () => {
  let app: TestApp;
  let ann: Person;
  let token: string;
  beforeEach(async () => {
    app = await startStrictApp();
    ({ ann, token } = await openWorkshop(app));
  });
  afterEach(() => app.close());

  const list = async (headers: Record<string, string>) =>
    (await fetch(`${app.url}/api/servers`, { headers })).status;

  it('with wrong tokens causes a limited number of look-ups, and shuts out nobody', async () => {
    expect(await list(bearer(token))).to.equal(200);
    const statuses: number[] = [];
    const { points } = rates.unknownPerAddress;
    const sent = await countStatements(() =>
      many(points + 200, async (i) => statuses.push(await list(bearer(`pbot_${i}`)))),
    );
    expect(lookups(sent)).to.be.within(1, points);
    expect(statuses.filter((status) => status === 429)).to.have.length.above(190);
    // An authenticated client has its own count, and so has a signed cookie.
    expect(await list(bearer(token))).to.equal(200);
    expect(await list({ cookie: ann.cookie })).to.equal(200);
    (await connectAs(app.url, ann.cookie)).close();
  });

  it('shuts out nobody at the same address by connecting repeatedly', async () => {
    const refusals = new Set<string | undefined>();
    await many(rates.unknownPerAddress.points + 20, () => refusalOf(undefined, refusals));
    expect([...refusals]).to.have.members(['unauthenticated', 'rate_limited']);
    (await connectAs(app.url, ann.cookie)).close();
  });

  it('with an ended session causes a limited number of look-ups, too', async () => {
    const eve = await app.guest('Eve');
    expect(await list({ cookie: eve.cookie })).to.equal(200);
    await eve.send('session:logout', {});
    expect(await list({ cookie: eve.cookie })).to.equal(401);
    const { points } = rates.unknownPerCredential;
    const sent = await countStatements(() =>
      many(points + 100, () => list({ cookie: eve.cookie })),
    );
    expect(lookups(sent)).to.be.within(1, points);
  });

  it('causes at most one readiness check a second', async () => {
    app.hold();
    const sent = await countStatements(() =>
      many(100, async () => {
        expect((await fetch(`${app.url}/readyz`)).status).to.equal(200);
      }),
    );
    expect(sent.filter((sql) => sql === 'select 1')).to.have.length(1);
  });

  const refusalOf = (cookie: string | undefined, into: Set<string | undefined>) =>
    new Promise<void>((resolve) => {
      const socket = openSocket(app.url, cookie);
      socket.once('connect_error', (error: Error & { data?: { code: string } }) => {
        into.add(error.data?.code);
        socket.disconnect();
        resolve();
      });
    });
});

describe('the log of a stranger’s requests', () => {
  it('is short, and is written once a second', async () => {
    let written = '';
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.toString();
        done();
      },
    });
    const database = await freshDatabase();
    const silent = await startApp({}, database);
    await silent.close();
    const log = pino({ level: 'warn' }, stream);
    const node = await createApp(silent.config, log, database);
    const long = `https://${'e'.repeat(7_000)}.example`;
    await many(50, async () => {
      const { status } = await post(
        node.url.replace('localhost', '127.0.0.1'),
        '/api/auth/login',
        { username: 'x'.repeat(limits.username), password: 'y' },
        { origin: long },
      );
      expect(status).to.equal(403);
    });
    await node.close();
    expect(written).to.include('rejected a request from another origin');
    expect(written.length).to.be.below(2_000);
  });
});
