import { expect } from 'chai';
import sharp from 'sharp';
import { query } from '../../server/database/database.ts';
import type { File } from '../../shared/files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fileStores, settle, type FileStore } from '../support/file-stores.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { animation, picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

for (const { name: where, open } of fileStores)
  describe(`pictures in ${where}`, () => {
    let store: FileStore;
    let app: TestApp;
    let ann: Person;
    let ben: Person;
    let timelineId: string;

    before(async () => {
      store = await open();
      app = await startApp({ PARLEY_LOBBY: 'off', PARLEY_FILE_MB: '2', ...store.settings });
      [ann, ben] = (await Promise.all(['Ann', 'Ben'].map((name) => app.person(name)))) as [
        Person,
        Person,
      ];
      const { server } = await ann.send('server:create', { name: 'Place' });
      timelineId = server.defaultChannelId;
    });
    after(async () => {
      await app.close();
      await store.close();
    });

    const get = (id: string, asked = '', person = ann, headers: Record<string, string> = {}) =>
      fetch(`${app.url}/files/${id}/tea${asked}`, {
        headers: { cookie: person.cookie, ...headers },
      });
    const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
    const status = async (...asked: Parameters<typeof get>) => (await get(...asked)).status;
    const sizeOf = async (id: string) => (await store.sizes(app.db)).get(id);
    const used = async () =>
      (await query<{ bytes: number }>(app.db, 'select bytes from file_usage'))[0]!.bytes;
    const gone = (id: string) =>
      until(async () => {
        app.pass(1_000);
        return (await sizeOf(id)) === undefined;
      });

    const shownAs = async ({ id }: File, asked: string) => {
      const answer = await get(id, asked);
      const bytes = await bytesOf(answer);
      const { format, width, height, pages, exif } = await sharp(bytes).metadata();
      expect(answer.headers.get('content-type')).to.equal(`image/${format}`);
      return { bytes, tag: answer.headers.get('etag'), format, width, height, pages, exif };
    };

    it('have two smaller sizes if they are large, which are deleted with them', async () => {
      const before = await used();
      const sent = await picture(2_000, 1_000)
        .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSAreaInformation: 'Whitstable' } })
        .withMetadata({ orientation: 6 })
        .jpeg({ quality: 100 })
        .toBuffer();
      const file = await upload(ann, timelineId, sent, 'tea.jpg');
      expect(file).to.include({ width: 1_000, height: 2_000 });
      await settle(app);
      const whole = await shownAs(file, '');
      const large = await shownAs(file, '?size=large');
      const small = await shownAs(file, '?size=small');
      expect(whole).to.include({ format: 'jpeg', width: 1_000, height: 2_000 });
      expect(large).to.include({ format: 'webp', width: 800, height: 1_600, exif: undefined });
      expect(small).to.include({ format: 'webp', width: 360, height: 720, exif: undefined });
      expect(new Set([whole, large, small].map(({ tag }) => tag)).size).to.equal(3);
      const all = [whole, large, small].reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(whole.bytes.length).to.equal(file.size);
      expect((await used()) - before).to.equal(all);
      expect(await sizeOf(file.id)).to.equal(all);
      // A download, or a request for an unknown size, returns the whole picture.
      for (const asked of ['?download&size=small', '?size=huge', '?still'])
        expect((await shownAs(file, asked)).bytes.equals(whole.bytes), asked).to.equal(true);
      expect(await status(file.id, '?size=small', ben)).to.equal(404);
      await ann.send('file:delete', { fileId: file.id });
      expect(await status(file.id, '?size=small')).to.equal(404);
      await gone(file.id);
      // A file counts until its row is deleted, which happens after its bytes are deleted.
      await until(async () => (await used()) === before);
    });

    it('are sent in ranges, of the requested size only', async () => {
      const sent = await picture(2_000, 1_000).jpeg().toBuffer();
      const file = await upload(ann, timelineId, sent, 'tea.jpg');
      await settle(app);
      for (const asked of ['', '?size=large', '?size=small']) {
        const { bytes } = await shownAs(file, asked);
        const { length } = bytes;
        for (const [range, start, end] of [
          ['bytes=8-11', 8, 12],
          ['bytes=-5', length - 5, length],
          ['bytes=100-99999999', 100, length],
        ] as const) {
          const part = await get(file.id, asked, ann, { range });
          expect(part.status).to.equal(206);
          expect(part.headers.get('content-range')).to.equal(`bytes ${start}-${end - 1}/${length}`);
          const expected = bytes.subarray(start, end);
          expect((await bytesOf(part)).equals(expected), `${asked} ${range}`).to.equal(true);
        }
        expect(await status(file.id, asked, ann, { range: `bytes=${length}-` })).to.equal(416);
      }
    });

    it('have no smaller sizes if they are small already', async () => {
      const bytes = await picture(700, 350).jpeg().toBuffer();
      const file = await upload(ann, timelineId, bytes, 'tea.jpg');
      await settle(app);
      for (const asked of ['?size=small', '?size=large', '?still'])
        expect(await shownAs(file, asked)).to.include({ format: 'jpeg', width: 700, height: 350 });
    });

    for (const format of ['gif', 'webp'] as const)
      it(`are sent as a still picture on request: ${format}`, async () => {
        const file = await upload(ann, timelineId, await animation(format, [100, 100]), 'tea');
        await settle(app);
        expect(await shownAs(file, '?size=small')).to.include({ format, pages: 2 });
        for (const asked of ['?still', '?size=small&still'])
          expect(await shownAs(file, asked)).to.include({
            ...{ width: 40, height: 20, pages: undefined },
          });
      });

    const uploaded = async () => {
      const bytes = await picture(400, 300).png().toBuffer();
      const { id } = await upload(ann, { purpose: 'avatar' }, bytes);
      await settle(app);
      return id;
    };

    it('are visible to others as avatars, and are deleted when they are replaced or removed', async () => {
      const [first, second] = [await uploaded(), await uploaded()];
      await ann.send('user:update', { avatar: first });
      const { width, height } = await sharp(await bytesOf(await get(first, '', ben))).metadata();
      expect({ width, height }).to.deep.equal({ width: 256, height: 256 });
      await ann.send('user:update', { avatar: second });
      expect([await status(first, '', ben), await status(second, '', ben)]).to.deep.equal([
        ...[404, 200],
      ]);
      await gone(first);
      const { user } = await ann.send('user:update', { avatar: null });
      expect(user).to.not.have.property('avatar');
      expect([await status(second), await status(second, '', ben)]).to.deep.equal([404, 404]);
      await gone(second);
    });

    it('uploaded as avatars are deleted after a day if unused, and stay if used', async () => {
      const [left, avatar] = [await uploaded(), await uploaded()];
      await ann.send('user:update', { avatar });
      await query(
        app.db,
        `update files set created_at = now() - interval '25 hours' where id = any($1::uuid[])`,
        [[left, avatar]],
      );
      await gone(left);
      expect(await status(avatar, '', ben)).to.equal(200);
    });
  });
