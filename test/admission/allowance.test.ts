import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { query, transaction } from '../../server/database/database.ts';
import { commandRates } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, startStrictApp, type TestApp } from '../support/app.ts';
import { upload } from '../support/files.ts';
import { connectAs, type Person } from '../support/person.ts';
import { isBlocked } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

describe('the upload allowance', () => {
  const limited = (settings = {}, where?: TestApp['where']) =>
    startApp(
      { PARLEY_RATE_SCALE: '1', PARLEY_FILE_MB: '1', PARLEY_FILE_DAY_MB: '2', ...settings },
      where,
    );
  const inLobby = async (person: Person, size: number, id = v7()) => {
    const { servers } = await person.send('server:list', {});
    return { timelineId: servers[0]!.defaultChannelId, name: 'a', size, id };
  };

  it('is reported, and an upload beyond it is refused and not counted', async () => {
    const app = await limited();
    const ann = await app.person('Ann');
    const [first, large, small] = [
      await inLobby(ann, 1_000_000),
      await inLobby(ann, 1_000_000),
      await inLobby(ann, 400_000),
    ];
    const before = await ann.send('file:allowance', {});
    const most = 2_000_000;
    expect(before).to.deep.equal({ today: { most, left: most }, room: most });
    await ann.send('file:begin', first);
    await ann.send('file:begin', { ...first, id: v7(), size: 400_000 });
    const refused = await ann.expectError('file:begin', large);
    expect(refused).to.include({ code: 'rate_limited', field: 'size' });
    expect(refused.message).to.equal('You can upload only 600 kB more today.');
    expect(refused.retryAfterMs).to.be.within(86_000_000, 86_400_000);
    const { today } = await ann.send('file:allowance', {});
    expect(today).to.include({ most, left: 600_000 });
    const hours = (Date.parse(today.renewsAt ?? '') - Date.now()) / 3_600_000;
    expect(hours).to.be.within(23, 24.1);
    await ann.send('file:begin', small);
    await ann.send('file:begin', { ...small, id: v7(), size: 200_000 });
    const last = await ann.expectError('file:begin', { ...small, id: v7(), size: 1 });
    expect(last.message).to.equal('That’s all you can upload for today. Try again tomorrow.');
    const ben = await app.person('Ben');
    expect((await ben.send('file:allowance', {})).today.left).to.equal(most);
    await app.close();
  });

  it('counts an upload once, however often it restarts, and a refused one not at all', async () => {
    const app = await limited();
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const leftTo = async (person: Person) => (await person.send('file:allowance', {})).today.left;
    const begin = await inLobby(ann, 1_000_000);
    await ann.send('file:begin', begin);
    await ann.send('file:chunk', { fileId: begin.id, offset: 0, bytes: Buffer.from('tea') });
    await ann.send('file:begin', { ...begin, id: v7() });
    expect(await leftTo(ann)).to.equal(0);
    for (let i = 0; i < 3; i += 1) expect((await ann.send('file:begin', begin)).offset).to.equal(3);
    expect((await ben.expectError('file:begin', begin)).code).to.equal('conflict');
    const nowhere = { ...begin, id: v7(), timelineId: v7() };
    expect((await ben.expectError('file:begin', nowhere)).code).to.equal('not_found');
    // The bytes that a canceled upload never received are free for another upload.
    await ann.send('file:delete', { fileId: begin.id });
    expect(await leftTo(ann)).to.be.within(999_990, 1_000_000);
    const together = Array.from({ length: 4 }, () =>
      ben.send('file:begin', { ...begin, id: nowhere.id }),
    );
    await Promise.all(together);
    expect(await leftTo(ben)).to.equal(1_000_000);
    await app.close();
  });

  it('continues after a restart, also for a guest and their network', async () => {
    const before = await limited();
    const [ann, guest] = [await before.person('Ann'), await before.guest('Gil')];
    const begin = await inLobby(ann, 900_000);
    await ann.send('file:begin', begin);
    await guest.send('file:begin', { ...begin, id: v7() });
    await before.close();
    const after = await limited({}, before.where);
    const [again, same] = await Promise.all(
      [ann, guest].map(({ cookie }) => connectAs(after.url, cookie)),
    );
    const leftTo = async (person: Person) => (await person.send('file:allowance', {})).today.left;
    expect(await leftTo(again!)).to.equal(1_100_000);
    expect(await leftTo(same!)).to.equal(1_100_000);
    expect(await leftTo(await after.guest('Gus'))).to.equal(1_100_000);
    // Deleting an unfinished upload from before the restart frees exactly the bytes that it never received.
    await again!.send('file:delete', { fileId: begin.id });
    expect((await again!.send('file:allowance', {})).today).to.deep.equal({
      ...{ most: 2_000_000, left: 2_000_000 },
    });
    await after.close();
  });

  it('is returned for either of two uploads that began the day together', async () => {
    const app = await limited();
    const ann = await app.person('Ann');
    const [first, second] = [await inLobby(ann, 500_000), await inLobby(ann, 500_000)];
    const taken = new Error('the id is free again');
    const begun = { first: Promise.resolve({}) };
    await transaction(app.db, async (db) => {
      // The first upload waits for its id, and is counted after the second.
      await query(
        db,
        `insert into files (id, uploader_id, timeline_id, name, size) values ($1, $2, $3, 'a', 1)`,
        [first.id, ann.id, first.timelineId],
      );
      begun.first = ann.send('file:begin', first);
      await until(() => isBlocked(app.db));
      await ann.send('file:begin', second);
      throw taken;
    }).catch((error: unknown) => expect(error).to.equal(taken));
    await begun.first;
    const leftTo = async () => (await ann.send('file:allowance', {})).today.left;
    expect(await leftTo()).to.equal(1_000_000);
    await ann.send('file:delete', { fileId: first.id });
    expect(await leftTo()).to.equal(1_500_000);
    await ann.send('file:delete', { fileId: second.id });
    expect(await leftTo()).to.equal(2_000_000);
    await app.close();
  });

  it('resets after a day; deleting an earlier upload returns nothing', async () => {
    const app = await limited();
    const ann = await app.person('Ann');
    const begin = await inLobby(ann, 1_000_000);
    const today = async () => (await ann.send('file:allowance', {})).today;
    await ann.send('file:begin', begin);
    await ann.send('file:begin', { ...begin, id: v7() });
    const dayLater = [
      `update upload_days set began_at = began_at - interval '25 hours'`,
      `update files set created_at = created_at - interval '25 hours'`,
    ];
    for (const sql of dayLater) await query(app.db, sql);
    expect(await today()).to.deep.equal({ most: 2_000_000, left: 2_000_000 });
    await ann.send('file:begin', { ...begin, id: v7() });
    expect((await today()).left).to.equal(1_000_000);
    await ann.send('file:delete', { fileId: begin.id });
    expect((await today()).left).to.equal(1_000_000);
    for (const sql of dayLater) await query(app.db, sql);
    await until(async () => {
      app.pass(60_000);
      return (await query(app.db, 'select 1 from upload_days')).length === 0;
    });
    await app.close();
  });

  it('is limited by the space on the server; an upload without space is not counted', async () => {
    const app = await limited({ PARLEY_FILES_GB: '1' });
    const ann = await app.person('Ann');
    const begin = await inLobby(ann, 1_000_000);
    const fill = (bytes: number) => query(app.db, 'update file_usage set bytes = $1', [bytes]);
    await fill(899_300_000);
    expect((await ann.send('file:allowance', {})).room).to.equal(700_000);
    const refused = await ann.expectError('file:begin', begin);
    expect(refused).to.include({
      code: 'conflict',
      message: 'This server only has room for 700 kB more.',
    });
    await fill(900_000_000);
    const full = await ann.expectError('file:begin', begin);
    expect(full.message).to.equal('This server has no room for more files.');
    const { today, room } = await ann.send('file:allowance', {});
    expect([today.left, room]).to.deep.equal([2_000_000, 0]);
    await app.close();
  });

  it('reserves the last tenth of space for accounts over a week old', async () => {
    const app = await limited({ PARLEY_FILES_GB: '1' });
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { timelineId } = await inLobby(ann, 1);
    await query(app.db, `update users set created_at = now() - interval '8 days' where id = $1`, [
      ann.id,
    ]);
    await query(app.db, 'update file_usage set bytes = 899999999');
    const send = (person: Person) => upload(person, timelineId, Buffer.from('tea'), 'a.txt');
    expect(await ben.expectError('file:begin', await inLobby(ben, 3))).to.include({
      code: 'conflict',
    });
    expect((await send(ann)).size).to.equal(3);
    expect((await ann.send('file:allowance', {})).room).to.equal(2_000_000);
    expect((await ben.send('file:allowance', {})).room).to.equal(0);
    await app.close();
  });

  it('uses space as bytes arrive, not when uploads begin', async () => {
    const app = await limited({ PARLEY_FILE_DAY_MB: '8' });
    const ann = await app.person('Ann');
    const used = async () =>
      (await query<{ bytes: number }>(app.db, 'select bytes from file_usage'))[0]?.bytes;
    const begun = [];
    for (let i = 0; i < quotas.unfinishedFiles; i += 1) {
      const file = await inLobby(ann, 1_000_000);
      await ann.send('file:begin', file);
      begun.push(file);
    }
    expect(await used()).to.equal(0);
    const [first, second] = begun;
    const more = await inLobby(ann, 1_000_000);
    expect(await ann.ask('file:begin', more)).to.have.nested.property('error.code', 'busy');
    await ann.send('file:begin', first!);
    await ann.send('file:chunk', { fileId: first!.id, offset: 0, bytes: Buffer.from('tea') });
    expect(await used()).to.equal(2 * 'tea'.length);
    await ann.send('file:delete', { fileId: second!.id });
    await ann.send('file:begin', more);
    await app.close();
  });

  it('is returned when an upload makes no progress for ten minutes', async () => {
    const app = await limited();
    const ann = await app.person('Ann');
    const [stalled, slow] = [await inLobby(ann, 1_000_000), await inLobby(ann, 1_000_000)];
    const chunk = { offset: 0, bytes: Buffer.alloc(1_000) };
    for (const file of [stalled, slow]) {
      await ann.send('file:begin', file);
      await ann.send('file:chunk', { fileId: file.id, ...chunk });
    }
    await query(app.db, `update files set progressed_at = now() - interval '11 minutes'`);
    await ann.send('file:chunk', { fileId: slow.id, ...chunk, offset: 1_000 });
    await until(async () => {
      app.pass(1_000);
      return !(await ann.ask('file:chunk', { fileId: stalled.id, ...chunk })).ok;
    });
    expect((await ann.send('file:allowance', {})).today.left).to.equal(999_000);
    const next = { fileId: slow.id, ...chunk, offset: 2_000 };
    expect(await ann.send('file:chunk', next)).to.deep.equal({ offset: 3_000 });
    const [usage] = await query<{ bytes: number }>(app.db, 'select bytes from file_usage');
    expect(usage?.bytes).to.equal(2 * 3_000);
    await app.close();
  });

  it('counts bytes that are sent again after a wrong hash; the third wrong hash ends the upload', async () => {
    const app = await limited({ PARLEY_FILE_DAY_MB: '1' });
    const ann = await app.person('Ann');
    const leftTo = async (person: Person) => (await person.send('file:allowance', {})).today.left;
    const sha256 = '0'.repeat(64);
    const differs = async (person: Person, fileId: string, size: number) => {
      const bytes = Buffer.alloc(50_000);
      for (let offset = 0; offset < size; offset += bytes.length)
        await person.send('file:chunk', { fileId, offset, bytes });
      return (await person.expectError('file:finish', { fileId, sha256 })).code;
    };
    const file = await inLobby(ann, 100_000);
    await ann.send('file:begin', file);
    for (let times = 1; times < quotas.fileRestarts; times += 1) {
      expect(await differs(ann, file.id, file.size)).to.equal('conflict');
      expect(await leftTo(ann)).to.equal(1_000_000 - (times + 1) * file.size);
    }
    expect(await differs(ann, file.id, file.size)).to.equal('conflict');
    const again = { fileId: file.id, offset: 0, bytes: Buffer.alloc(1) };
    expect((await ann.expectError('file:chunk', again)).code).to.equal('not_found');
    // The file is deleted at once when the daily allowance is too small to send it again.
    const ben = await app.person('Ben');
    const large = await inLobby(ben, 600_000);
    await ben.send('file:begin', large);
    expect(await differs(ben, large.id, large.size)).to.equal('conflict');
    const whole = { ...again, fileId: large.id };
    expect((await ben.expectError('file:chunk', whole)).code).to.equal('not_found');
    await app.close();
  });

  it('charges ten times as much for chunks of an unknown file', async () => {
    const app = await startStrictApp({ PARLEY_RATE_SCALE: '0.01' });
    const ann = await app.person('Ann');
    const chunk = { fileId: v7(), offset: 0, bytes: Buffer.from('tea') };
    const maxChunks = (commandRates.chunk.points * 0.01) / 10;
    const codes = new Set<string>();
    for (let i = 0; i < maxChunks; i += 1)
      codes.add((await ann.expectError('file:chunk', chunk)).code);
    expect([...codes]).to.deep.equal(['not_found']);
    const refused = await ann.ask('file:chunk', chunk);
    expect(refused).to.have.nested.property('error.code', 'rate_limited');
    await app.close();
  });

  it('shows administrators the total usage and the accounts that use the most', async () => {
    const app = await startApp({ PARLEY_FILES_GB: '1' });
    const [owner, ann, ben] = [await app.owner(), await app.person('Ann'), await app.guest('Ben')];
    const { timelineId } = await inLobby(ann, 1);
    for (const [person, size] of [
      [ann, 300_000],
      [ben, 200_000],
      [ann, 100_000],
    ] as const)
      await upload(person, timelineId, randomBytes(size), 'a.bin');
    const usage = await owner.send('file:usage', {});
    expect(usage).to.deep.include({ bytes: 600_000, limit: 1_000_000_000 });
    expect(usage.uploaders).to.deep.equal([
      { userId: ann.id, files: 2, bytes: 400_000 },
      { userId: ben.id, files: 1, bytes: 200_000 },
    ]);
    expect(usage.people[ben.id]).to.include({ name: 'Ben', kind: 'guest' });
    for (const other of [ann, ben])
      expect((await other.expectError('file:usage', {})).code).to.equal('forbidden');
    await owner.send('account:update', { userId: ann.id, administrator: true });
    expect((await ann.send('file:usage', {})).bytes).to.equal(600_000);
    // Files of deleted accounts, and of more accounts than the answer lists.
    await query(
      app.db,
      `with rooms as (
         insert into rooms (id, kind)
         select gen_random_uuid(), 'user' from generate_series(1, 25) returning id
       ), crowd as (
         insert into users (id, kind, display_name) select id, 'guest', 'Extra' from rooms returning id
       ), uploaders as (
         select id from crowd union all select gen_random_uuid() from generate_series(1, 30)
       ) insert into files (id, uploader_id, timeline_id, name, size)
         select gen_random_uuid(), id, $1, 'old', 1000 from uploaders`,
      [timelineId],
    );
    const { uploaders } = await owner.send('file:usage', {});
    expect(uploaders.length).to.equal(20);
    expect(uploaders[2]).to.deep.equal({ files: 30, bytes: 30_000 });
    await app.close();
  });

  it('limits the bytes of a day, and the total of all files', async () => {
    const app = await startApp({
      PARLEY_RATE_SCALE: '1',
      PARLEY_FILE_MB: '1',
      PARLEY_FILE_DAY_MB: '2',
    });
    const [ann, guest, other] = [await app.person('Ann'), await app.guest(), await app.guest()];
    const { servers } = await ann.send('server:list', {});
    const begin = { timelineId: servers[0]!.defaultChannelId, name: 'a', size: 1_000_000 };
    for (let i = 0; i < 2; i += 1) await ann.send('file:begin', begin);
    expect(await ann.expectError('file:begin', begin)).to.include({ code: 'rate_limited' });
    // Guests of one network share an allowance.
    await guest.send('file:begin', begin);
    await other.send('file:begin', begin);
    expect(await other.expectError('file:begin', begin)).to.include({ code: 'rate_limited' });
    await query(app.db, 'update file_usage set bytes = 10000000000');
    const ben = await app.person('Ben');
    expect(await ben.expectError('file:begin', begin)).to.include({ code: 'conflict' });
    await app.close();
  });

  it('is zero where uploads are off', async () => {
    const app = await startApp({ PARLEY_FILE_MB: '0' });
    const ann = await app.person('Ann');
    expect(ann.ready.fileBytes).to.equal(0);
    const { servers } = await ann.send('server:list', {});
    const begin = { timelineId: servers[0]!.defaultChannelId, name: 'a', size: 1 };
    expect((await ann.expectError('file:begin', begin)).code).to.equal('forbidden');
    await app.close();
  });
});
