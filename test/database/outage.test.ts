import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Message } from '../../shared/messages.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import type { FailureCode } from '../../shared/failure.ts';
import { isAway, query } from '../../server/database/database.ts';
import { connect } from '../../server/database/connect.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/database.ts';
import { seeded } from '../support/generate.ts';
import { expectOnceInOrder, Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { until } from '../support/time.ts';

/** Like PostgreSQL, but ends each connection at once: sends authenticated, ready for a query, and a shutdown error. */
async function startHasty() {
  const message = (type: string, body: string) => {
    const head = Buffer.from(`${type}....`);
    head.writeInt32BE(4 + body.length, 1);
    return Buffer.concat([head, Buffer.from(body)]);
  };
  const breath = Buffer.concat([
    message('R', '\0\0\0\0'),
    message('Z', 'I'),
    message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
  ]);
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(breath));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

describe('a PostgreSQL outage', () => {
  let wire: Proxy;
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let timelineId: string;

  before(async () => {
    const where = await freshDatabase();
    wire = await startProxy({ path: join(where.host, '.s.PGSQL.5432') });
    app = await startApp({}, { ...where, host: '127.0.0.1', port: wire.port });
    ann = await app.person('Ann');
    ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Stormy' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    await ben.send('channel:join', { channelId: timelineId });
  });
  after(async () => {
    await app.close();
    wire.close();
  });

  const readiness = async () => {
    const response = await fetch(`${app.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  const isReady = async () => (await readiness()).status === 200;

  /** Sends a message with one id until it is acknowledged. Returns it with the codes of the refusals. */
  async function insist(person: Person, body: string): Promise<[Message, FailureCode[]]> {
    const id = v7();
    const refusals: FailureCode[] = [];
    for (;;) {
      const answer = await person.ask('message:send', { timelineId, id, body });
      if (answer.ok) return [answer.value.message, refusals];
      refusals.push(answer.error.code);
      await sleep(50);
    }
  }

  const isReceivedOnce = (message: Message) =>
    ben
      .received('changes')
      .flatMap(({ changes }) => changes)
      .filter((change) => 'message' in change && change.message.id === message.id).length === 1;

  it('is reported as busy and not ready; the process and its sockets stay', async () => {
    wire.cut();
    const failure = await ann.expectError('message:send', { timelineId, body: 'Hello?' });
    expect(failure).to.deep.include({ code: 'busy', retryable: true });
    expect((await ann.expectError('server:list', {})).code).to.equal('busy');
    const { status, text } = await readiness();
    expect(status).to.equal(503);
    expect(text).to.include('database');
    expect((await fetch(`${app.url}/livez`)).status).to.equal(200);

    const insisting = insist(ann, 'Hello again.');
    // Longer than the second after which the database is tried again.
    await sleep(1_500);
    wire.mend();
    const [message, refusals] = await insisting;
    expect(new Set(refusals)).to.deep.equal(new Set(['busy']));
    await until(() => isReceivedOnce(message));
    await until(isReady);
    expect(ann.socket.connected && ben.socket.connected).to.equal(true);
  });

  it('is detected when connections look open but nothing answers', async () => {
    await insist(ann, 'Before.');
    wire.silence();
    const [message] = await insist(ann, 'Can you hear me?');
    await until(() => isReceivedOnce(message));
    await until(isReady);
  });

  it('ends no process when it closes a connection right after accepting it', async () => {
    const hasty = await startHasty();
    const sequelize = connect({ host: '127.0.0.1', port: hasty.port, database: 'a', user: 'a' }, 1);
    const failure: unknown = await query({ sequelize }, 'select 1').catch(
      (error: unknown) => error,
    );
    expect(isAway(failure)).to.equal(true);
    await sequelize.close();
    hasty.close();
  });

  it('repeatedly during a burst, loses and duplicates nothing', async () => {
    const random = seeded(7);
    const mirror = new Mirror(ben);
    await mirror.open(timelineRoom(timelineId));
    const writing = new AbortController();
    let acknowledged = 0;
    let cuts = 0;
    const cutting = (async () => {
      while (!writing.signal.aborted) {
        const before = acknowledged;
        for (let i = 0; i < 3; i += 1) {
          await sleep(random.int(20, 200));
          wire.cut();
          cuts += 1;
          await sleep(random.int(0, 60));
          wire.mend();
        }
        // On a slow machine, no message would be acknowledged between two cuts.
        await until(() => acknowledged > before || writing.signal.aborted);
      }
    })();
    const sent = await Promise.all(
      Array.from({ length: 8 }, async (_, sender) => {
        const messages: Message[] = [];
        for (let i = 0; i < 12; i += 1) {
          const [message] = await insist(sender % 2 === 0 ? ann : ben, `${sender} ${i}`);
          messages.push(message);
          acknowledged += 1;
          await sleep(random.int(0, 100));
        }
        return messages;
      }),
    );
    writing.abort();
    await cutting;
    expect(cuts).to.be.above(3);
    const { messages } = await ann.send('message:list', { timelineId, limit: 100 });
    const bodies = messages.map(({ body }) => body);
    for (const message of sent.flat()) {
      expect(bodies.filter((body) => body === message.body)).to.have.length(1);
      expect(messages.find(({ id }) => id === message.id)).to.deep.equal(message);
    }
    const first = messages[0]?.position ?? 0;
    expect(messages.map(({ position }) => position)).to.deep.equal(
      messages.map((_, i) => first + i),
    );
    await mirror.becomesTrue();
    expectOnceInOrder(mirror.changes.filter(({ type }) => type.startsWith('message')));
  });
});

describe('PostgreSQL with a full disk', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('is reported differently from a lost connection, and accepts writes once there is space', async () => {
    const { db } = app;
    const ann = await app.person('Ann');
    await query(
      db,
      `create function be_full() returns trigger language plpgsql as
       $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$`,
    );
    await query(db, 'create trigger is_full before insert on servers execute function be_full()');
    const refused = await ann.ask('server:create', { name: 'Place' });
    expect(!refused.ok && refused.error).to.include({
      code: 'busy',
      message: 'The server’s disk is full. Try again shortly.',
    });
    await query(db, 'drop trigger is_full on servers');
    await ann.send('server:create', { name: 'Place' });
  });
});
