import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect } from 'chai';
import sharp from 'sharp';
import { query } from '../../server/database/database.ts';
import { openPictures, pictureProgram } from '../../server/files/pictures.ts';
import { plainType } from '../../shared/file-types.ts';
import type { File } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { sendChunks, upload } from '../support/files.ts';
import { atLength } from '../support/length.ts';
import { connectAs, type Person } from '../support/person.ts';
import { animation, bomb, flicker, grain, photo, picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

async function countDecoders(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => Number.parseInt(line, 10) === process.pid)
    .filter((line) => line.includes(pictureProgram.file)).length;
}

describe('pictures', () => {
  let app: TestApp;
  let ann: Person;
  let timelineId: string;

  before(async () => {
    app = await startApp({ PARLEY_FILE_MB: '2' });
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
  });
  after(() => app.close());

  const get = ({ id, name }: Pick<File, 'id' | 'name'>, node = app, asked = '') =>
    fetch(`${node.url}/files/${id}/${name}${asked}`, { headers: { cookie: ann.cookie } });
  const bytesOf = async (file: Pick<File, 'id' | 'name'>, node = app) =>
    Buffer.from(await (await get(file, node)).arrayBuffer());
  const expectPlain = async (file: File) => {
    expect(file.type).to.equal(plainType);
    expect(file).to.not.have.any.keys('width', 'height', 'placeholder');
    expect((await get(file)).headers.get('content-disposition')).to.match(/^attachment;/);
  };

  it('are upright, and contain nothing about where, when and with what they were taken', async () => {
    const taken = await photo('Whitstable');
    expect(taken.toString('latin1').split('Whitstable')).to.have.length.above(3);
    const file = await upload(ann, timelineId, taken, 'tea.jpg');
    expect(file).to.include({ type: 'image/jpeg', width: 20, height: 40 });
    const kept = await bytesOf(file);
    expect(kept.length).to.equal(file.size);
    expect(kept.toString('latin1')).to.not.match(/Whitstable|Exif|xmp|GPS/);
    const { width, height, ...about } = await sharp(kept).metadata();
    expect({ width, height }).to.deep.equal({ width: 20, height: 40 });
    expect(about).to.not.have.any.keys('exif', 'xmp', 'iptc', 'icc', 'orientation');
    // The left side is now the top.
    const at = (top: number) =>
      sharp(kept).extract({ left: 10, top, width: 1, height: 1 }).raw().toBuffer();
    for (const [top, [red, blue]] of [
      [5, [254, 0]],
      [35, [0, 254]],
    ] as const) {
      const pixel = await at(top);
      expect(pixel[0]).to.be.closeTo(red, 8);
      expect(pixel[2]).to.be.closeTo(blue, 8);
    }
  });

  it('keep no byte of the upload, and count with their stored size', async () => {
    const [before] = await query<{ bytes: number }>(app.db, 'select bytes from file_usage');
    const file = await upload(ann, timelineId, await photo('Whitstable'), 'tea.jpg');
    const stored = await query<{ at: number; bytes: Buffer }>(
      app.db,
      'select at, bytes from file_chunks where file_id = $1 order by at',
      [file.id],
    );
    const all = Buffer.concat(stored.map(({ bytes }) => bytes));
    expect(all.equals(await bytesOf(file))).to.equal(true);
    const [after] = await query<{ bytes: number }>(app.db, 'select bytes from file_usage');
    expect((after?.bytes ?? 0) - (before?.bytes ?? 0)).to.equal(all.length);
  });

  for (const format of ['png', 'jpeg', 'webp', 'avif', 'gif'] as const)
    it(`keep their format: ${format}, with size and colour in their message`, async () => {
      const sent = await picture().toFormat(format).toBuffer();
      const file = await upload(ann, timelineId, sent, `tea.${format}`);
      expect(file).to.include({ type: `image/${format}`, width: 40, height: 20 });
      expect(file.placeholder).to.match(/^#[78].0.[78].$/);
      const { message } = await ann.send('message:send', { timelineId, files: [{ id: file.id }] });
      expect(message.files).to.deep.equal([file]);
      expect((await get(file)).headers.get('content-type')).to.equal(`image/${format}`);
      const kept = await sharp(await bytesOf(file)).metadata();
      expect(kept.format).to.equal(format === 'avif' ? 'heif' : format);
    });

  for (const format of ['gif', 'webp'] as const)
    it(`keep moving: ${format}`, async () => {
      const delay = [100, 250, 40];
      const file = await upload(ann, timelineId, await animation(format, delay), 'tea');
      expect(file).to.include({ type: `image/${format}`, width: 40, height: 20 });
      const kept = await sharp(await bytesOf(file), { animated: true }).metadata();
      expect(kept).to.deep.include({ pages: 3, delay, loop: 0, pageHeight: 20 });
    });

  const shownAs = async (file: File, asked: string) => {
    const answer = await get(file, app, asked);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const { format, width, pages } = await sharp(bytes).metadata();
    expect(answer.headers.get('content-type')).to.equal(`image/${format}`);
    return { bytes, format, width, pages };
  };

  it('have a smaller animated size if they are animated and it has fewer bytes', async () => {
    const delay = [100, 250, 40];
    const large = (as: 'gif' | 'webp') => animation(as, delay, () => grain(640, 320));
    const twoColours = Array.from({ length: 7 }, () => 100);
    const narrow = await animation('gif', twoColours, () => grain(480, 480).threshold(128));
    for (const [format, bytes] of [
      ['gif', await large('gif')],
      ['webp', await large('webp')],
    ] as const) {
      const file = await upload(ann, timelineId, bytes, 'tea');
      expect(file).to.include({ type: `image/${format}`, width: 640, height: 320 });
      expect(await shownAs(file, '')).to.include({ format, pages: 3 });
      const small = await shownAs(file, '?size=small');
      expect(small).to.include({ format: 'webp', pages: 3, width: 480 });
      expect(small.bytes.length).to.be.below(file.size / 2);
      const moving = await sharp(small.bytes, { animated: true }).metadata();
      expect(moving).to.deep.include({ pages: 3, delay, loop: 0, pageHeight: 240 });
      const still = { format: 'webp', pages: undefined, width: 640 };
      for (const asked of ['?still', '?size=small&still'])
        expect(await shownAs(file, asked)).to.include(still);
    }
    const file = await upload(ann, timelineId, narrow, 'tea');
    expect(file.size).to.be.above(250_000);
    expect(await shownAs(file, '?size=small')).to.include({ format: 'gif', pages: 7 });
  });

  it('with too many pixels or frames are detected before they are decoded, and block nobody', async () => {
    const side = Math.ceil(Math.sqrt(limits.picturePixels)) + 8;
    const bombs = [bomb(30_000, 30_000), bomb(side, side), flicker(limits.pictureFrames + 1)];
    const before = process.memoryUsage.rss();
    const sent = Promise.all(bombs.map((bytes) => upload(ann, timelineId, bytes)));
    const { message } = await ann.send('message:send', { timelineId, body: 'Still here?' });
    expect(message.body).to.equal('Still here?');
    for (const file of await sent) await expectPlain(file);
    expect(process.memoryUsage.rss() - before).to.be.below(200_000_000);
    const allowed = flicker(30);
    expect(await upload(ann, timelineId, allowed)).to.include({ type: 'image/gif', width: 1 });
  });

  it('become files to download if they cannot be decoded, regardless of the format that they claim', async () => {
    const jpeg = await picture(400, 200).jpeg().toBuffer();
    const gif = await animation('gif', [100, 100]);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const wrongs = [
      jpeg.subarray(0, jpeg.length / 2),
      gif.subarray(0, gif.length / 2),
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(svg)]),
      // Formats that libvips can also read, but that are never passed to it.
      Buffer.from(svg),
      Buffer.concat([Buffer.from('ffd8ff', 'hex'), await picture().tiff().toBuffer()]),
      Buffer.from(`GIF89a/*${'x'.repeat(100)}*/=1;alert(1)`),
    ];
    for (const wrong of wrongs) await expectPlain(await upload(ann, timelineId, wrong));
  });

  it('become a file or a newly encoded picture if they are cut short or changed on the way', async () => {
    for (const format of ['png', 'jpeg', 'webp', 'avif', 'gif'] as const) {
      const whole = await picture().toFormat(format).toBuffer();
      const wrongs = atLength([3], [1, 3, 5]).flatMap((i) => {
        const at = Math.floor((whole.length * i) / 6);
        const changed = Buffer.from(whole);
        changed[at]! ^= 0xff;
        return [whole.subarray(0, at), changed];
      });
      const files = await Promise.all(wrongs.map((wrong) => upload(ann, timelineId, wrong)));
      for (const file of files) {
        if (file.type === plainType) await expectPlain(file);
        else expect((await sharp(await bytesOf(file)).stats()).channels).to.not.be.empty;
      }
      expect(files.some(({ type }) => type === plainType)).to.equal(true);
    }
  });

  for (const [isPressed, limit] of [
    [false, 2],
    [true, 1],
  ] as const)
    it(`are decoded ${limit} at a time${isPressed ? ' where the machine has no time left' : ''}`, async () => {
      // Decoders of the previous test can still be running.
      await until(async () => (await countDecoders()) === 0);
      const pictures = openPictures(() => isPressed);
      const bytes = await picture().png().toBuffer();
      let [isDone, atOnce] = [false, 0];
      const all = Promise.all(
        ['ann', 'ben', 'cat', 'dan'].map((who) => {
          const sent = { type: 'image/png', bytes: Readable.from([bytes]), purpose: null } as const;
          return pictures.remake(who, { ...sent, maxBytes: 10_000 }, async (_facts, made) => {
            for await (const _piece of made);
          });
        }),
      ).finally(() => (isDone = true));
      // Each decoder is a process for as long as it runs.
      while (!isDone) atOnce = Math.max(atOnce, await countDecoders());
      expect(await all).to.deep.equal([true, true, true, true]);
      expect(atOnce).to.equal(limit);
      pictures.close();
    });

  it('from an account that sends many do not delay those of others', async () => {
    const ben = await app.person('Ben');
    const { code } = (
      await ann.send('invite:create', {
        serverId: (await ann.send('server:list', {})).servers.at(-1)!.id,
      })
    ).invite;
    await ben.send('server:join', { code });
    const one = await picture().png().toBuffer();
    // Each takes long enough that another request arrives in the meantime.
    const slow = await grain(700, 700).png().toBuffer();
    const ids = await Promise.all(
      Array.from({ length: quotas.unfinishedFiles }, () => sendChunks(ben, timelineId, slow)),
    );
    const fileId = await sendChunks(ann, timelineId, one);
    let done = 0;
    const theirs = ids.map(async (fileId) => {
      await ben.send('file:finish', { fileId });
      done += 1;
    });
    expect((await ann.send('file:finish', { fileId })).file.width).to.equal(40);
    expect(done).to.be.below(ids.length);
    await Promise.all(theirs);
    ben.close();
  });

  it('are finished once when two nodes are asked at the same time', async () => {
    const other = await startApp({ PARLEY_FILE_MB: '2' }, app.where);
    const fileId = await sendChunks(ann, timelineId, await photo('Whitstable'), 'tea.jpg');
    const there = await connectAs(other.url, ann.cookie);
    const answers = await Promise.all(
      [ann, there, ann].map((person) => person.send('file:finish', { fileId })),
    );
    const [{ file }] = answers as [{ file: File }];
    expect(file.width).to.equal(20);
    for (const answer of answers) expect(answer.file).to.deep.equal(file);
    expect((await bytesOf(file, other)).equals(await bytesOf(file))).to.equal(true);
    expect((await bytesOf(file)).length).to.equal(file.size);
    there.close();
    await other.close();
  });
});
