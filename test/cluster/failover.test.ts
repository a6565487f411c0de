/** A lost primary, replaced by an asynchronous standby that lacks the last acknowledged writes. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { databaseProblem } from '../../server/database/open.ts';
import { startEmbedded, type Embedded } from '../../server/database/embedded.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Mirror } from '../support/mirror.ts';
import { connectAs, type Person } from '../support/person.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import {
  runStatement,
  checkpointLoad,
  socketOf,
  startStandby,
  type Standby,
} from '../support/standby.ts';
import { until } from '../support/time.ts';

describe('a failover', () => {
  let directory: string;
  let primary: Embedded;
  let standby: Standby;
  let wire: Proxy;
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let mirror: Mirror;
  let timelineId: string;

  /** All clients have “kept” and “lost”; the standby has only “kept”. */
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-failover-'));
    await chmod(directory, 0o755);
    primary = await startEmbedded(join(directory, 'primary'));
    wire = await startProxy(socketOf(primary.connection));
    app = await startApp({}, { ...primary.connection, host: '127.0.0.1', port: wire.port });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Two lives' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    mirror = new Mirror(ben);
    await mirror.open(timelineRoom(timelineId));
    await say(ann, 'kept');
    standby = await startStandby(primary.connection, join(directory, 'standby'));
    await runStatement(primary.connection, checkpointLoad);
    await standby.caughtUp();
    standby.lag();
    await say(ann, 'lost');
    await mirror.becomesTrue();
  });
  afterEach(async () => {
    await app.close();
    wire.close();
    await standby.stop();
    await primary.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const say = async (person: Person, body: string) =>
    (await person.send('message:send', { timelineId, body })).message;
  const bodies = () =>
    (mirror.state(timelineRoom(timelineId))?.messages ?? []).map(
      (row) => 'body' in row && row.body,
    );
  const stored = async (where: DatabaseAddress) =>
    (
      await runStatement<{ body: string }>(where, 'select body from messages order by position')
    ).map(({ body }) => body);
  const readiness = async () => {
    const response = await fetch(`${app.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  const becomesReady = () => until(async () => (await readiness()).status === 200);
  const writeThere = async (body: string) => {
    const other = await startApp({}, standby.connection);
    await say(await connectAs(other.url, ann.cookie), body);
    await other.close();
  };

  it('is detected within seconds: everyone reconnects, and holds the data of the standby', async () => {
    wire.cut();
    await standby.promote();
    wire.leadTo(socketOf(standby.connection));
    wire.mend();
    for (const person of [ann, ben]) {
      const { code, retry } = await person.waitFor('closing');
      expect({ code, retry }).to.deep.equal({ code: 'drain', retry: true });
    }
    const [annAgain, benAgain] = [await ann.newTab(), await ben.newTab()];
    expect(benAgain.ready.epoch).not.to.equal(ben.ready.epoch);
    const before = mirror.changes.length;
    await mirror.comeBack(benAgain);
    expect(mirror.changes).to.have.length(before);
    expect(bodies()).to.deep.equal(['kept']);
    expect((await say(annAgain, 'after')).position).to.equal(2);
    await mirror.becomesTrue();
    expect(bodies()).to.deep.equal(['kept', 'after']);
    expect(await stored(standby.connection)).to.deep.equal(['kept', 'after']);
  });

  it('does not answer “current” for a version that the standby used for other content', async () => {
    const { epoch } = ben.ready;
    const room = timelineRoom(timelineId);
    const asked = { epoch, rooms: { [room]: 2 } };
    expect((await ben.send('sync', asked)).rooms).to.deep.include({
      status: 'current',
      room,
      version: 2,
    });
    wire.cut();
    await standby.promote();
    await writeThere('something else');
    wire.leadTo(socketOf(standby.connection));
    wire.mend();
    const answers: unknown[] = [];
    const closed = ben.waitFor('closing');
    while (ben.socket.connected)
      await Promise.race([
        ben.send('sync', asked).then(
          ({ rooms }) => answers.push(...rooms),
          () => undefined,
        ),
        // Asks again after 100 ms, as clients do, even while a request is under way.
        sleep(100),
      ]);
    await closed;
    expect(answers).to.deep.equal([]);
    await mirror.comeBack(await ben.newTab());
    expect(bodies()).to.deep.equal(['kept', 'something else']);
  });

  it('leaves no client with the former primary, although it still runs with open connections', async () => {
    await standby.promote();
    wire.leadTo(socketOf(standby.connection));
    await ann.waitFor('closing');
    await say(await ann.newTab(), 'after');
    expect(await stored(standby.connection)).to.deep.equal(['kept', 'after']);
    expect(await stored(primary.connection)).to.deep.equal(['kept', 'lost']);
  });

  it('is not reported while only a standby answers: the node is not ready, and closes no socket', async () => {
    wire.cut();
    wire.leadTo(socketOf(standby.connection));
    wire.mend();
    for (let i = 0; i < 30; i += 1) {
      expect(await readiness()).to.include({ status: 503 });
      // Real time: the node checks the role of its database once a second.
      await sleep(50);
    }
    expect((await ann.expectError('message:send', { timelineId, body: 'nowhere' })).code).to.equal(
      'busy',
    );
    expect(ann.received('closing')).to.deep.equal([]);
    const url = `postgres://parley@127.0.0.1:${wire.port}/parley`;
    expect(await databaseProblem({ ...app.config, DATABASE_URL: url })).to.include('standby');
    await standby.promote();
    await ann.waitFor('closing');
    await becomesReady();
    await mirror.comeBack(await ben.newTab());
    expect(bodies()).to.deep.equal(['kept']);
  });

  it('is not detected when the same primary comes back', async () => {
    await runStatement(primary.connection, 'checkpoint');
    wire.cut();
    await until(async () => (await readiness()).status === 503);
    wire.mend();
    await becomesReady();
    // Real time: the node checks the role of its database once a second.
    await sleep(1_500);
    expect((await say(ann, 'as before')).position).to.equal(3);
    expect(ann.received('closing')).to.deep.equal([]);
  });
});
