import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { query } from '../../server/database/database.ts';
import type { File } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import type { Input } from '../../shared/protocol.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fileStores, settle, type FileStore } from '../support/file-stores.ts';
import { upload } from '../support/files.ts';
import { atLength, itAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const sound = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), randomBytes(200_000)]);

for (const { name: where, open } of fileStores)
  describe(`files in ${where}`, () => {
    let store: FileStore;
    let app: TestApp;
    let ann: Person;
    let ben: Person;
    let serverId: string;
    let timelineId: string;

    before(async () => {
      store = await open();
      app = await startApp({ PARLEY_LOBBY: 'off', PARLEY_FILE_MB: '1', ...store.settings });
    });
    beforeEach(async () => {
      [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
      const { server } = await ann.send('server:create', { name: 'Place' });
      ({ id: serverId, defaultChannelId: timelineId } = server);
      const { code } = (await ann.send('invite:create', { serverId })).invite;
      await ben.send('server:join', { code });
      for (const one of [ann, ben]) await one.send('channel:join', { channelId: timelineId });
    });
    afterEach(() => {
      for (const person of [ann, ben]) person.close();
    });
    after(async () => {
      await app.close();
      await store.close();
    });

    /** Tests of rules that are the same with every store. With other stores, they run only in `npm run prove`. */
    const itInOwn = where === fileStores[0]?.name ? it : itAtLength;

    const uploadKept = async (...all: Parameters<typeof upload>) => {
      const file = await upload(...all);
      await settle(app);
      return file;
    };
    const isKept = async (fileId: string) => (await store.sizes(app.db)).has(fileId);
    const bytesOf = async ({ id }: Pick<File, 'id'>) => {
      const headers = { cookie: ann.cookie };
      return Buffer.from(
        await (await fetch(`${app.url}/files/${id}/a`, { headers })).arrayBuffer(),
      );
    };
    const usage = async () =>
      (await query<{ bytes: number }>(app.db, 'select bytes from file_usage'))[0]?.bytes;

    it('are uploaded in chunks and attached to a message, which is the same for everyone', async () => {
      const file = await uploadKept(ann, timelineId, sound, 'Tea time.wav');
      expect(file).to.deep.include({ name: 'Tea time.wav', type: 'audio/wav', size: sound.length });
      const files = [{ id: file.id, alt: 'A pot of tea' }];
      const { message } = await ann.send('message:send', { timelineId, files });
      expect(message).to.deep.include({ body: '', files: [{ ...file, alt: 'A pot of tea' }] });
      const { changes } = await ben.waitFor(
        'changes',
        ({ room, to }) => room === timelineRoom(timelineId) && to === message.version,
      );
      expect(changes).to.deep.equal([
        { type: 'message:created', version: message.version, message },
      ]);
      const { messages } = await ben.send('message:list', { timelineId, limit: 1 });
      expect(messages).to.deep.equal([message]);
    });

    itInOwn(
      'continue where they were cut off, even if chunks are repeated or come too early',
      async () => {
        const begun = { timelineId, name: 'notes.txt', size: 10, id: v7() };
        const { fileId, offset } = await ann.send('file:begin', begun);
        expect(offset).to.equal(0);
        const chunk = async (at: number, text: string) =>
          (await ann.send('file:chunk', { fileId, offset: at, bytes: Buffer.from(text) })).offset;
        expect(await chunk(0, 'Hello')).to.equal(5);
        expect(await chunk(0, 'HELLO')).to.equal(5);
        expect(await chunk(7, 'lo')).to.equal(5);
        expect(await chunk(5, 'too much')).to.equal(5);
        expect((await ann.send('file:begin', begun)).offset).to.equal(5);
        expect((await ann.expectError('file:finish', { fileId })).code).to.equal('conflict');
        expect(await chunk(5, ', you')).to.equal(10);
        const sha256 = createHash('sha256').update('Hello, you').digest('hex');
        const { file } = await ann.send('file:finish', { fileId, sha256 });
        expect(file.type).to.equal('application/octet-stream');
        expect((await ann.send('file:finish', { fileId })).file).to.deep.equal(file);
      },
    );

    itInOwn('are sent again when the hash differs', async () => {
      const { fileId } = await ann.send('file:begin', { timelineId, name: 'a.txt', size: 3 });
      await ann.send('file:chunk', { fileId, offset: 0, bytes: Buffer.from('tee') });
      const sha256 = createHash('sha256').update('tea').digest('hex');
      expect((await ann.expectError('file:finish', { fileId, sha256 })).code).to.equal('conflict');
      await ann.send('file:chunk', { fileId, offset: 0, bytes: Buffer.from('tea') });
      expect((await ann.send('file:finish', { fileId, sha256 })).file.size).to.equal(3);
    });

    it('keep their order when many chunks are under way, of several files at once', async () => {
      const all = Array.from({ length: 4 }, () => randomBytes(300_000));
      const files = await Promise.all(
        all.map((bytes, i) => upload(ann, timelineId, bytes, `${i}`)),
      );
      await settle(app);
      for (const [i, file] of files.entries())
        expect((await bytesOf(file)).equals(all[i]!)).to.equal(true);
    });

    itInOwn(
      'belong to one message only, sent by their uploader where they were uploaded',
      async () => {
        const file = await uploadKept(ann, timelineId, sound);
        const { server } = await ann.send('server:create', { name: 'Elsewhere' });
        const send = { timelineId, body: 'Look', files: [{ id: file.id }] };
        const wrongs: [Person, Input<'message:send'>][] = [
          [ben, send],
          [ann, { ...send, timelineId: server.defaultChannelId }],
          [ann, { ...send, files: [{ id: file.id }, { id: file.id }] }],
          [ann, { ...send, files: [{ id: v7() }] }],
        ];
        for (const [person, wrong] of wrongs)
          expect((await person.expectError('message:send', wrong)).code).to.equal('invalid');
        const id = v7();
        const { message } = await ann.send('message:send', { ...send, id });
        expect((await ann.expectError('message:send', send)).field).to.equal('files');
        expect((await ann.send('message:send', { ...send, id })).message).to.deep.equal(message);
        expect((await ann.expectError('file:delete', { fileId: file.id })).code).to.equal(
          'not_found',
        );
      },
    );

    itInOwn('are at most ten in a message', async () => {
      const files: { id: string }[] = [];
      for (let i = 0; i < 11; i += 1) {
        const { id } = await upload(ann, timelineId, Buffer.from(`tea ${i}`), 'tea.txt');
        files.push({ id });
      }
      expect(await ann.expectError('message:send', { timelineId, files })).to.include({
        ...{ code: 'invalid', field: 'files', message: 'A message can have up to 10 files.' },
      });
      const ten = files.slice(0, 10);
      const { message } = await ann.send('message:send', { timelineId, files: ten });
      expect(message.files?.map(({ id }) => ({ id }))).to.deep.equal(ten);
    });

    it('stay with an edited message, and are deleted at once with a deleted one', async () => {
      const before = await usage();
      const file = await uploadKept(ann, timelineId, sound);
      expect(await usage()).to.equal((before ?? 0) + sound.length);
      const id = v7();
      const send = { timelineId, id, body: 'Look', files: [{ id: file.id }] };
      await ann.send('message:send', send);
      const { message } = await ann.send('message:edit', { messageId: id, body: 'Look!' });
      expect(message.files).to.deep.equal([file]);
      const deleted = (await ann.send('message:delete', { messageId: id })).message;
      expect(deleted).to.not.have.property('files');
      app.pass(1_000);
      await until(async () => !(await isKept(file.id)));
      await until(async () => (await usage()) === before);
      expect((await ann.send('message:send', send)).message).to.deep.equal(deleted);
    });

    it('are deleted at once with the messages that a ban deletes, and stay with those that it leaves', async () => {
      const say = async (person: Person) => {
        const { id } = await uploadKept(person, timelineId, sound);
        await person.send('message:send', { timelineId, files: [{ id }] });
        return id;
      };
      const old = await say(ben);
      await query(
        app.db,
        `update messages set created_at = created_at - interval '1 hour' where timeline_id = $1`,
        [timelineId],
      );
      const before = await usage();
      const [theirs, hers] = [[await say(ben), await say(ben)], await say(ann)];
      await ann.send('ban:create', { serverId, userId: ben.id, deleteMessages: 60 });
      await until(async () => {
        app.pass(1_000);
        return (await usage()) === (before ?? 0) + sound.length;
      });
      const stored = await store.sizes(app.db);
      expect([...theirs, old, hers].map((id) => stored.has(id))).to.deep.equal([
        ...[false, false, true, true],
      ]);
      const statuses = [...theirs, old, hers].map(async (id) => {
        const answer = await fetch(`${app.url}/files/${id}/a`, { headers: { cookie: ann.cookie } });
        await answer.body?.cancel();
        return answer.status;
      });
      expect(await Promise.all(statuses)).to.deep.equal([404, 404, 200, 200]);
    });

    it('are deleted after a day when no message has them, and with their channel', async () => {
      const { channel } = await ann.send('channel:create', {
        serverId,
        name: 'brief',
      });
      const [old, recent] = [
        await uploadKept(ann, timelineId, sound),
        await uploadKept(ann, timelineId, sound),
      ];
      const gone = await uploadKept(ann, channel.id, sound);
      await ann.send('message:send', { timelineId: channel.id, files: [{ id: gone.id }] });
      await ann.send('channel:delete', { channelId: channel.id });
      await query(
        app.db,
        `update files set created_at = now() - interval '25 hours' where id = $1`,
        [old.id],
      );
      for (const { id } of [old, gone])
        await until(async () => {
          app.pass(1_000);
          return !(await isKept(id));
        });
      expect(await isKept(recent.id)).to.equal(true);
      await ann.send('file:delete', { fileId: recent.id });
      app.pass(1_000);
      await until(async () => !(await isKept(recent.id)));
    });

    itInOwn('are refused where the uploader may not send', async () => {
      const begin = { timelineId, name: 'a.png', size: 3 };
      const cat = await app.person('Cat');
      expect((await cat.expectError('file:begin', begin)).code).to.equal('not_found');
      const { fileId } = await ben.send('file:begin', begin);
      await ben.send('file:chunk', { fileId, offset: 0, bytes: Buffer.from('tea') });
      await ann.send('member:remove', { serverId, userId: ben.id });
      expect((await ben.expectError('file:finish', { fileId })).code).to.equal('not_found');
      cat.close();
    });

    itInOwn('are refused by their size and name before anything is looked up', async () => {
      const begin = { timelineId: v7(), name: 'a.png', size: 1_000_001 };
      expect(await ann.expectError('file:begin', begin)).to.include({
        code: 'invalid',
        field: 'size',
      });
      for (const name of ['../a', 'a\\b', '', 'a\u202egnp.exe', 'x'.repeat(limits.fileName + 1)])
        expect((await ann.expectError('file:begin', { ...begin, size: 1, name })).field).to.equal(
          'name',
        );
      const bytes = randomBytes(limits.fileChunkBytes + 1);
      const chunk = { fileId: v7(), offset: 0, bytes };
      expect((await ann.expectError('file:chunk', chunk)).field).to.equal('bytes');
    });

    const uploaded = atLength(8, 25);
    it(`do not block messages: many are acknowledged during ${uploaded} MB of uploads`, async () => {
      const bytes = randomBytes(1_000_000);
      const uploads = { left: uploaded };
      const uploading = (async () => {
        for (; uploads.left > 0; uploads.left -= 1) await upload(ben, timelineId, bytes);
      })().finally(() => (uploads.left = 0));
      let acks = 0;
      for (; uploads.left > 0; acks += 1)
        await ann.send('message:send', { timelineId, body: 'Tea' });
      await uploading;
      expect(acks).to.be.above(atLength(6, 20));
    });
  });
