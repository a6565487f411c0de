import { expect } from 'chai';
import { array, assert, constantFrom, integer, property } from 'fast-check';
import sharp from 'sharp';
import { query } from '../../server/database/database.ts';
import { TraceSearch } from '../../server/files/traces.ts';
import { plainType } from '../../shared/file-types.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { sendChunks } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { bomb, part, photo, picture } from '../support/pictures.ts';

/** Builds a box of a video: its length, its name and its content. */
function box(name: string, ...within: (Buffer | string)[]): Buffer {
  const bytes = within.map((one) => (typeof one === 'string' ? Buffer.from(one, 'latin1') : one));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(bytes).length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, ...bytes]);
}

const media = box('mdat', Buffer.alloc(5_000, 7));
const film = (brand: string, ...about: Buffer[]) =>
  Buffer.concat([box('ftyp', brand, '\0\0\0\0isom'), media, box('moov', ...about)]);
const place = '+51.3607+001.0257/';
const side = Math.ceil(Math.sqrt(limits.picturePixels)) + 8;
const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length - 200);
const withPart = (png: Buffer) =>
  Buffer.concat([png.subarray(0, 33), part('eXIf', Buffer.from('II*\0')), png.subarray(33)]);

const samples = {
  'a HEIC photo': () =>
    film('heic', box('meta', box('iinf', box('infe', '\x02\0\0\0\0\x01\0\0Exif')))),
  'a QuickTime film': () => film('qt  ', box('udta', box('\xa9xyz', place))),
  'a film of an iPhone': () =>
    film('qt  ', box('meta', 'com.apple.quicktime.location.ISO6709', place)),
  'an MP4 film': () => film('isom', box('udta', box('loci', '\0\0\0\0', place))),
  'a film of a camera with GPS': () => film('mp42', box('trak', box('gpmd', 'data'))),
  'a HEIF photo of an unknown brand': () => film('mif2', box('meta', box('infe', 'Exif'))),
  'a film with XMP': () => film('isom', box('uuid', 'xmlns:exif="http://ns.adobe.com/exif/1.0/"')),
  'a film with timed places': () => film('mp42', box('trak', box('djmd', 'data'))),
  'a raw photo': () => Buffer.concat([Buffer.from('II\x1a\0\0\0HEAPCCDR'), Buffer.alloc(100)]),
  'a TIFF photo': () => picture().tiff().toBuffer(),
  'a JPEG photo that broke off': async () => cut(await photo('Whitstable')),
  'a picture that is too large': () => withPart(bomb(side, side)),
};

const others = {
  'a HEIC photo without Exif': () => film('heic', box('meta', box('iinf', 'infe'))),
  'an MP4 film': () => film('isom', box('udta', box('name', 'loci and \xa9xyz are words here'))),
  'a JPEG picture that broke off': async () => cut(await picture(400, 200).jpeg().toBuffer()),
  'an archive of photos': async () =>
    Buffer.concat([Buffer.from('PK\x03\x04'), await photo('Whitstable')]),
};

describe('files that may reveal where they were taken', () => {
  let app: TestApp;
  let ann: Person;
  let timelineId: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
  });
  after(() => app.close());

  for (const [what, sample] of Object.entries(samples))
    it(`are refused until the sender confirms: ${what}`, async () => {
      const bytes = await sample();
      const fileId = await sendChunks(ann, timelineId, bytes, 'tea');
      const refused = await ann.ask('file:finish', { fileId });
      expect(refused).to.deep.include({ ok: false });
      expect(!refused.ok && refused.error).to.include({ code: 'invalid', field: 'asSent' });
      expect(!refused.ok && refused.error.message).to.include('“tea” may say where it was taken');
      expect(
        await ann.ask('message:send', { timelineId, files: [{ id: fileId }] }),
      ).to.deep.include({ ok: false });
      const { file } = await ann.send('file:finish', { fileId, asSent: true });
      expect(file.size).to.equal(bytes.length);
      expect(file).to.not.have.any.keys('width', 'placeholder');
      await ann.send('message:send', { timelineId, files: [{ id: fileId }] });
      const read = await fetch(`${app.url}/files/${fileId}/tea`, {
        headers: { cookie: ann.cookie },
      });
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).to.equal(true);
    });

  for (const [what, sample] of Object.entries(others))
    it(`do not include ${what}`, async () => {
      const fileId = await sendChunks(ann, timelineId, await sample(), 'tea');
      const { file } = await ann.send('file:finish', { fileId });
      expect(file.id).to.equal(fileId);
    });

  it('are read once, even if `finish` is refused repeatedly', async () => {
    const bytes = await picture().tiff().toBuffer();
    const fileId = await sendChunks(ann, timelineId, bytes, 'tea');
    const finish = (more = {}) => ann.ask('file:finish', { fileId, ...more });
    expect(await finish()).to.deep.include({ ok: false });
    await query(app.db, 'update file_chunks set bytes = $2 where file_id = $1', [
      fileId,
      Buffer.alloc(bytes.length),
    ]);
    for (let i = 0; i < 3; i += 1)
      expect(await finish()).to.have.nested.include({ 'error.field': 'asSent' });
    // A hash that differs from the sender's still starts the upload again.
    expect(await finish({ sha256: '0'.repeat(64) })).to.have.nested.include({
      'error.code': 'conflict',
    });
    await ann.send('file:chunk', { fileId, offset: 0, bytes: Buffer.alloc(bytes.length) });
    expect(await finish()).to.deep.include({ ok: true });
  });

  it('do not count as unfinished uploads while they wait for confirmation', async () => {
    const tiff = await picture().tiff().toBuffer();
    for (let i = 0; i <= quotas.unfinishedFiles; i += 1) {
      const fileId = await sendChunks(ann, timelineId, tiff, 'tea');
      expect(await ann.ask('file:finish', { fileId })).to.deep.include({ ok: false });
    }
    const fileId = await sendChunks(ann, timelineId, Buffer.from('tea'), 'tea');
    await ann.send('file:finish', { fileId });
  });

  it('are stored unchanged with `asSent`, even if they could be encoded again', async () => {
    const bytes = await photo('Whitstable');
    const fileId = await sendChunks(ann, timelineId, bytes, 'tea.jpg');
    const { file } = await ann.send('file:finish', { fileId, asSent: true });
    expect(file).to.include({ type: plainType, size: bytes.length });
  });

  it('are refused over HTTP too, and leave no stored file', async () => {
    const put = (query: string) =>
      fetch(`${app.url}/api/channels/${timelineId}/files/tea.tiff${query}`, {
        method: 'PUT',
        body: new Uint8Array(tiff),
        headers: { cookie: ann.cookie },
      });
    const tiff = await picture().tiff().toBuffer();
    const refused = await put('');
    expect(refused.status).to.equal(400);
    expect(await refused.json()).to.have.nested.include({ 'error.field': 'asSent' });
    const left = await query(app.db, `select 1 from files where name = 'tea.tiff' and not dropped`);
    expect(left).to.deep.equal([]);
    expect((await put('?asSent=false')).status).to.equal(400);
    for (const query of ['?asSent', '?asSent=true'])
      expect((await put(query)).status).to.equal(201);
  });

  it('are recognised however their bytes are split into pieces', async () => {
    const all: { bytes: Buffer; expected: boolean }[] = [];
    for (const sample of Object.values(samples))
      all.push({ bytes: await sample(), expected: true });
    for (const sample of Object.values(others))
      all.push({ bytes: await sample(), expected: false });
    assert(
      property(
        constantFrom(...all.filter(({ bytes }) => bytes.length < 100_000)),
        array(integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 20 }),
        ({ bytes, expected }, lengths) => {
          const search = new TraceSearch();
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const length = lengths[i % lengths.length] ?? 1;
            search.add(bytes.subarray(at, at + length));
            at += length;
          }
          expect(search.found).to.equal(expected);
        },
      ),
    );
  });

  it('include PNG, WebP and AVIF pictures with metadata', async () => {
    for (const format of ['png', 'webp', 'avif'] as const) {
      const whole = await sharp(await photo('Whitstable'))
        .keepMetadata()
        .toFormat(format)
        .toBuffer();
      const search = new TraceSearch();
      search.add(whole);
      expect(search.found, format).to.equal(true);
    }
  });
});
