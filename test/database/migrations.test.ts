import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Sequelize } from 'sequelize';
import { query, transaction } from '../../server/database/database.ts';
import { migrate } from '../../server/database/migrate.ts';
import type { Migration } from '../../server/database/migrations.ts';
import { StartupProblem } from '../../server/startup.ts';
import { connect, type DatabaseAddress } from '../../server/database/connect.ts';
import { startApp } from '../support/app.ts';
import { emptyDatabase } from '../support/database.ts';
import { until } from '../support/time.ts';

const silent = pino({ level: 'silent' });

describe('migrations', () => {
  let where: DatabaseAddress;
  let sequelize: Sequelize;
  beforeEach(async () => {
    where = await emptyDatabase();
    sequelize = connect(where, 4);
  });
  afterEach(() => sequelize.close());

  const run = (...migrations: Migration[]) => migrate(where, silent, migrations);
  const ask = <Row extends object>(sql: string) => query<Row>({ sequelize }, sql);
  const applied = async () =>
    (await ask<{ name: string }>('select name from migrations order by name')).map(
      ({ name }) => name,
    );
  const failed = (work: Promise<unknown>) =>
    work.then(
      () => new Error('it worked'),
      (reason: unknown) => reason as Error,
    );

  const notes = {
    name: '0001-notes',
    sql: `create table notes (id int, body text);
      insert into notes select i, 'note ' || i from generate_series(1, 1000) as i`,
  };
  const byBody = {
    name: '0002-notes-by-body',
    index: 'notes_by_body',
    sql: 'create unique index concurrently notes_by_body on notes (body)',
  };

  it('have no time limit, even while they wait for a lock', async () => {
    await run(notes);
    let held: Promise<unknown> = Promise.resolve();
    await new Promise<void>((holds) => {
      held = transaction({ sequelize }, async (db) => {
        await query(db, `update notes set body = 'held' where id = 1`);
        holds();
        // Real time: longer than the two seconds for which a statement of the service waits for a lock.
        await sleep(2_500);
      });
    });
    await run(notes, {
      name: '0002-limits',
      sql: `alter table notes add column limits text;
        update notes set limits = current_setting('statement_timeout') || ' ' ||
          current_setting('lock_timeout') || ' ' ||
          current_setting('idle_in_transaction_session_timeout')`,
    });
    await held;
    expect(await ask('select distinct limits from notes')).to.deep.equal([{ limits: '0 0 0' }]);
  });

  it('run in a transaction each: a failed one leaves nothing, and earlier ones stay', async () => {
    const wrong = { name: '0002-wrong', sql: 'create table half (id int); select 1 / 0' };
    const right = { name: '0002-wrong', sql: 'create table half (id int)' };
    const last = {
      name: '0003-last',
      sql: 'create table whole (id int)',
      fill: async (db: object) => {
        await query(db as { sequelize: Sequelize }, 'insert into whole values (7)');
      },
    };
    expect((await failed(run(notes, wrong, last))).message).to.include('division by zero');
    expect(await applied()).to.deep.equal(['0001-notes']);
    expect(await ask(`select to_regclass('half') as half`)).to.deep.equal([{ half: null }]);
    await run(notes, right, last);
    expect(await applied()).to.deep.equal(['0001-notes', '0002-wrong', '0003-last']);
    expect(await ask('select id from whole')).to.deep.equal([{ id: 7 }]);
  });

  it('create an index while people write', async () => {
    await run(notes);
    const enough = new AbortController();
    let written = 0;
    const writer = (async () => {
      for (; !enough.signal.aborted; written += 1)
        await query({ sequelize }, `insert into notes values ($1, $2)`, [0, `more ${written}`]);
    })();
    await until(() => written > 0);
    await run(notes, byBody);
    enough.abort();
    await writer;
    expect(await applied()).to.deep.equal(['0001-notes', '0002-notes-by-body']);
    expect(
      await ask(`select indisvalid from pg_index where indexrelid = 'notes_by_body'::regclass`),
    ).to.deep.equal([{ indisvalid: true }]);
  });

  it('drop the invalid index that an interrupted one left, and create it again', async () => {
    await run(notes);
    await ask(`insert into notes values (0, 'note 1')`);
    expect((await failed(run(notes, byBody))).message).to.include('could not create unique index');
    const isValid = () =>
      ask(`select indisvalid from pg_index where indexrelid = to_regclass('notes_by_body')`);
    expect(await isValid()).to.deep.equal([{ indisvalid: false }]);
    expect(await applied()).to.deep.equal(['0001-notes']);
    await ask('delete from notes where id = 0');
    await run(notes, byBody);
    expect(await isValid()).to.deep.equal([{ indisvalid: true }]);
    expect(await applied()).to.deep.equal(['0001-notes', '0002-notes-by-body']);
  });

  it('keep the index that was complete when its node ended', async () => {
    await run(notes);
    await ask(byBody.sql);
    const oid = () => ask(`select 'notes_by_body'::regclass::oid as oid`);
    const before = await oid();
    await run(notes, byBody);
    expect(await oid()).to.deep.equal(before);
    expect(await applied()).to.deep.equal(['0001-notes', '0002-notes-by-body']);
  });

  it('are applied once by nodes that start together, while the others wait', async () => {
    const slow = { name: '0000-slow', sql: 'create table slow (id int); select pg_sleep(2.5)' };
    await Promise.all([1, 2, 3].map(() => run(slow, notes, byBody)));
    expect(await applied()).to.deep.equal(['0000-slow', '0001-notes', '0002-notes-by-body']);
    expect(await ask('select count(*)::int as count from notes')).to.deep.equal([{ count: 1000 }]);
  });

  it('are taken over from a node that is lost during one', async () => {
    const slow = (seconds: number) => ({
      name: '0000-slow',
      sql: `create table slow (id int); select pg_sleep(${seconds})`,
    });
    const lost = failed(run(slow(60)));
    const end = async () =>
      (
        await ask(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%pg_sleep(60)' and pid <> pg_backend_pid()`)
      ).length;
    // `end` terminates the session that runs the slow migration.
    const other = sleep(300).then(() => run(slow(0), notes));
    await until(async () => (await end()) > 0);
    expect(await lost).to.be.instanceOf(Error);
    await other;
    expect(await applied()).to.deep.equal(['0000-slow', '0001-notes']);
  });

  it('from a newer version prevent this version from starting, with an error that gives the remedy', async () => {
    const app = await startApp();
    await query(app.db, `insert into migrations (name) values ('9999-of-tomorrow')`);
    await app.close();
    const error = await failed(startApp({}, app.where));
    expect(error).to.be.instanceOf(StartupProblem);
    expect(error.message).to.include('doesn’t know 9999-of-tomorrow');
    expect(error.message).to.include('restore a backup');
    await query({ sequelize: connect(app.where, 1) }, 'delete from migrations where name > $1', [
      '9',
    ]);
    await (await startApp({}, app.where)).close();
  });
});
