import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { readEpoch } from '../../server/node/instance.ts';
import { restoredTask } from '../../server/administration/restored.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { backUp, bringBack, loadRows, renameSchema } from '../support/backup.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { runStatement } from '../support/standby.ts';
import { until } from '../support/time.ts';

describe('a restore', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let mirror: Mirror;
  let timelineId: string;

  /** All clients have “kept” and “lost”; the backup has only “kept”. */
  beforeEach(async () => {
    app = await startApp();
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Backed up' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    mirror = new Mirror(ben);
    await mirror.open(timelineRoom(timelineId));
    await say(ann, 'kept');
    await transaction(app.db, backUp);
    await say(ann, 'lost');
    await mirror.becomesTrue();
  });
  afterEach(() => app.close());

  const sql = (text: string) => runStatement<Record<string, string>>(app.where, text);
  const say = async (person: Person, body: string) =>
    (await person.send('message:send', { timelineId, body })).message;
  const bodies = () =>
    (mirror.state(timelineRoom(timelineId))?.messages ?? []).map(
      (row) => 'body' in row && row.body,
    );
  const isReady = async () => (await fetch(`${app.url}/readyz`)).status === 200;

  async function comesBack(): Promise<void> {
    const [annAgain, benAgain] = [await ann.newTab(), await ben.newTab()];
    expect(benAgain.ready.epoch).not.to.equal(ben.ready.epoch);
    const before = mirror.changes.length;
    await mirror.comeBack(benAgain);
    expect(mirror.changes).to.have.length(before);
    expect(bodies()).to.deep.equal(['kept']);
    expect((await say(annAgain, 'after')).position).to.equal(2);
    await mirror.becomesTrue();
    expect(bodies()).to.deep.equal(['kept', 'after']);
  }

  it('is detected when it recreates the tables, although the stored identity is the same', async () => {
    const identity = await sql(`select value from settings where key = 'life'`);
    await renameSchema(app.where);
    await bringBack(app.where);
    expect(await sql(`select value from settings where key = 'life'`)).to.deep.equal(identity);
    for (const person of [ann, ben]) {
      const { code, retry } = await person.waitFor('closing');
      expect({ code, retry }).to.deep.equal({ code: 'drain', retry: true });
    }
    await until(isReady);
    await comesBack();
  });

  it('makes the node unready and commands busy while it is under way, and signs nobody out', async () => {
    await renameSchema(app.where);
    await until(async () => !(await isReady()));
    expect((await ann.expectError('message:send', { timelineId, body: 'nowhere' })).code).to.equal(
      'busy',
    );
    expect((await ben.expectError('server:list', {})).code).to.equal('busy');
    await sql('drop schema public; alter schema former rename to public');
    await until(isReady);
    expect((await say(ann, 'as before')).position).to.equal(3);
    expect(ann.received('closing')).to.deep.equal([]);
  });

  it('is under way until the primary keys exist, which are restored last', async () => {
    await transaction(app.db, async (db) => {
      const epoch = () => readEpoch((text) => query(db, text));
      expect(await epoch()).to.equal(ben.ready.epoch);
      await query(db, 'alter table rooms drop constraint rooms_pkey cascade');
      const error = await epoch().catch((reason: unknown) => reason as Error);
      expect(error).to.be.instanceOf(Error);
      await query(db, 'alter table rooms add primary key (id)');
      expect(await epoch()).not.to.equal(ben.ready.epoch);
      throw new Error('all as before');
    }).catch((error: unknown) => expect((error as Error).message).to.equal('all as before'));
  });

  it('with rows alone takes effect when the administrator reports it', async () => {
    await loadRows(app.where);
    const { said } = await restoredTask.run(app, [], {});
    expect(said).to.include('The database has a new identity');
    for (const person of [ann, ben]) await person.waitFor('closing');
    await comesBack();
  });
});
