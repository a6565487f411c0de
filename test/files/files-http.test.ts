import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import type { Failure } from '../../shared/failure.ts';
import type { File } from '../../shared/files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fileStores, settle, type FileStore } from '../support/file-stores.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { befriend } from '../support/relationships.ts';
import { until } from '../support/time.ts';

const sound = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), randomBytes(200_000)]);

for (const { name: where, open } of fileStores)
  describe(`files over HTTP, in ${where}`, () => {
    let store: FileStore;
    let app: TestApp;
    let ann: Person;
    let ben: Person;
    let cat: Person;
    let serverId: string;
    let timelineId: string;

    before(async () => {
      store = await open();
      app = await startApp({ PARLEY_LOBBY: 'off', PARLEY_FILE_MB: '1', ...store.settings });
    });
    beforeEach(async () => {
      [ann, ben, cat] = (await Promise.all(
        ['Ann', 'Ben', 'Cat'].map((name) => app.person(name)),
      )) as [Person, Person, Person];
      const { server } = await ann.send('server:create', { name: 'Place' });
      ({ id: serverId, defaultChannelId: timelineId } = server);
      const { code } = (await ann.send('invite:create', { serverId })).invite;
      await ben.send('server:join', { code });
    });
    afterEach(() => {
      for (const person of [ann, ben, cat]) person.close();
    });
    after(async () => {
      await app.close();
      await store.close();
    });

    const get = (
      file: Pick<File, 'id' | 'name'>,
      as: Person,
      headers: Record<string, string> = {},
    ) =>
      fetch(`${app.url}/files/${file.id}/${encodeURIComponent(file.name)}`, {
        headers: { cookie: as.cookie, 'sec-fetch-site': 'same-origin', ...headers },
      });
    const said = async (bytes: Buffer, name = 'tea.png') => {
      const file = await upload(ann, timelineId, bytes, name);
      const { message } = await ann.send('message:send', { timelineId, files: [{ id: file.id }] });
      await settle(app);
      return { file, message };
    };

    it('are sent to everyone who sees their message, unchanged', async () => {
      const { file } = await said(sound, 'Tea (für zwei).wav');
      for (const person of [ann, ben]) {
        const response = await get(file, person);
        expect(response.status).to.equal(200);
        expect(Buffer.from(await response.arrayBuffer()).equals(sound)).to.equal(true);
        expect(Object.fromEntries(response.headers)).to.include({
          'content-type': 'audio/wav',
          'content-disposition': "inline; filename*=UTF-8''Tea%20%28f%C3%BCr%20zwei%29.wav",
          'cache-control': 'private, no-cache',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        });
      }
      expect((await get(file, cat)).status).to.equal(404);
      expect((await get(file, cat, { cookie: '' })).status).to.equal(401);
      expect((await get(file, ann, { 'sec-fetch-site': 'cross-site' })).status).to.equal(403);
    });

    it('are sent only to their uploader until a message has them', async () => {
      const file = await upload(ann, timelineId, sound);
      await settle(app);
      expect((await get(file, ann)).status).to.equal(200);
      expect((await get(file, ben)).status).to.equal(404);
      const begun = await ann.send('file:begin', { timelineId, name: 'a', size: 9 });
      expect((await get({ id: begun.fileId, name: 'a' }, ann)).status).to.equal(404);
      expect((await get({ id: 'x', name: 'a' }, ann)).status).to.equal(404);
    });

    it('are not found after the reader loses access or the message is deleted', async () => {
      const { file, message } = await said(sound);
      expect((await get(file, ben)).status).to.equal(200);
      await ann.send('member:remove', { serverId, userId: ben.id });
      expect((await get(file, ben)).status).to.equal(404);
      expect((await get(file, ann)).status).to.equal(200);
      await ann.send('message:delete', { messageId: message.id });
      expect((await get(file, ann)).status).to.equal(404);
    });

    it('are not sent again to a client that has them, but the right is checked', async () => {
      const { file } = await said(sound);
      const tag = (await get(file, ben)).headers.get('etag') ?? '';
      expect((await get(file, ben, { 'if-none-match': tag })).status).to.equal(304);
      expect((await get(file, cat, { 'if-none-match': tag })).status).to.equal(404);
    });

    it('are sent in ranges, as players need them', async () => {
      const { file } = await said(sound);
      for (const [range, start, end] of [
        ['bytes=0-9', 0, 10],
        ['bytes=61435-122900', 61_435, 122_901],
        ['bytes=200000-', 200_000, sound.length],
        ['bytes=-5', sound.length - 5, sound.length],
        ['bytes=100-99999999', 100, sound.length],
      ] as const) {
        const response = await get(file, ben, { range });
        expect(response.status, range).to.equal(206);
        expect(response.headers.get('content-range')).to.equal(
          `bytes ${start}-${end - 1}/${sound.length}`,
        );
        const bytes = Buffer.from(await response.arrayBuffer());
        expect(bytes.equals(sound.subarray(start, end)), range).to.equal(true);
      }
      for (const range of ['bytes=9999999-', 'bytes=5-4', 'bytes=-0'])
        expect((await get(file, ben, { range })).status, range).to.equal(416);
      for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=-'])
        expect((await get(file, ben, { range })).status, range).to.equal(200);
      expect((await get(file, ben, { range: 'bytes=0-9', 'if-range': '"x"' })).status).to.equal(
        200,
      );
    });

    it('are only downloaded unless their content is a picture, sound or film', async () => {
      for (const [name, content] of [
        ['page.html', '<!doctype html><script>alert(1)</script>'],
        ['picture.png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
        ['paper.pdf', '%PDF-1.7 /JS (app.alert(1))'],
        ['script.js', 'alert(1)'],
        ['both.gif', 'GIF89a/*<script>alert(1)</script>*/=1;'],
      ] as const) {
        const { file } = await said(Buffer.from(content), name);
        const { headers } = await get(file, ben);
        expect(headers.get('content-type'), name).to.equal('application/octet-stream');
        expect(headers.get('content-disposition'), name).to.match(/^attachment;/);
      }
    });

    it('are uploaded by scripts in one piece, with the same checks', async () => {
      const { bot, token } = await ann.send('bot:create', { name: 'Chart', scopes: ['send'] });
      await ann.send('bot:add', { serverId, botId: bot.id });
      const put = (body: Buffer, name: string, headers: Record<string, string>) =>
        fetch(`${app.url}/api/channels/${timelineId}/files/${name}`, {
          method: 'PUT',
          body: new Uint8Array(body),
          headers,
        });
      const bearer = { authorization: `Bearer ${token}` };
      const response = await put(sound, 'a%20chart.wav', bearer);
      expect(response.status).to.equal(201);
      const { file } = (await response.json()) as { file: File };
      expect(file).to.include({ name: 'a chart.wav', type: 'audio/wav', size: sound.length });
      const [stored] = await query<{ sha256: Buffer }>(
        app.db,
        'select sha256 from files where id = $1',
        [file.id],
      );
      expect(stored?.sha256.equals(createHash('sha256').update(sound).digest())).to.equal(true);
      const sent = await fetch(`${app.url}/api/messages`, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json' },
        body: JSON.stringify({ timelineId, files: [{ id: file.id }] }),
      });
      expect(sent.status).to.equal(201);
      expect((await put(sound, 'a.png', { cookie: cat.cookie })).status).to.equal(404);
      expect((await put(sound, 'a.png', {})).status).to.equal(401);
      expect((await put(Buffer.alloc(1_000_001), 'a.png', bearer)).status).to.equal(400);
      expect((await put(Buffer.alloc(0), 'a.png', bearer)).status).to.equal(400);
      expect((await fetch(`${app.url}/files/x/y`, { method: 'POST' })).status).to.equal(401);
    });

    it('are uploaded to a conversation by its members, and by nobody else', async () => {
      await befriend(ann, ben);
      const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
      const put = (as: Person) =>
        fetch(`${app.url}/api/conversations/${conversation.id}/files/a.txt`, {
          ...{ method: 'PUT', body: 'Just us.', headers: { cookie: as.cookie } },
        });
      expect((await put(cat)).status).to.equal(404);
      const response = await put(ann);
      expect(response.status).to.equal(201);
      const { file } = (await response.json()) as { file: File };
      const named = { timelineId: conversation.id, files: [{ id: file.id }] };
      await ann.send('message:send', named);
      expect(await (await get(file, ben)).text()).to.equal('Just us.');
    });

    it('are refused without a length, with the reason, and not stored', async () => {
      const before = await query(app.db, 'select 1 from files');
      // Without a length, as `curl -T -` sends the data of a pipe.
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          stream.enqueue(sound);
          stream.close();
        },
      });
      const response = await fetch(`${app.url}/api/channels/${timelineId}/files/a.wav`, {
        ...{ method: 'PUT', body, duplex: 'half', headers: { cookie: ann.cookie } },
      });
      expect(response.status).to.equal(400);
      const { error } = (await response.json()) as { error: Failure };
      expect(error).to.include({
        ...{ code: 'invalid', field: 'size' },
        message: 'Content-Length is required.',
      });
      expect(await query(app.db, 'select 1 from files')).to.have.lengthOf(before.length);
    });

    it('leave nothing behind when an upload is aborted', async () => {
      const controller = new AbortController();
      let pulls = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(stream) {
          pulls += 1;
          if (pulls > 3) controller.abort();
          else stream.enqueue(randomBytes(100_000));
        },
      });
      await fetch(`${app.url}/api/channels/${timelineId}/files/half.png`, {
        method: 'PUT',
        body,
        duplex: 'half',
        signal: controller.signal,
        headers: { cookie: ann.cookie, 'content-length': '900000' },
      } as RequestInit).catch(() => undefined);
      await until(async () => {
        const left = await query(
          app.db,
          `select 1 from files where name = 'half.png' and not dropped`,
        );
        return left.length === 0;
      });
    });
  });
