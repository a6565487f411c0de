/**
 * A process for one picture: reads it from stdin, and writes it made anew to stdout, and behind it the sizes that it
 * is shown in; what it is like goes to the third pipe before. It knows no secret, and ends with the picture: what takes
 * over its decoder, or its memory, has nothing. Whatever fails here ends it, and then there is no picture.
 */
import { closeSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import sharp, { type Sharp } from 'sharp';
import { limits } from '../../shared/limits.ts';
import type { PictureType } from '../../shared/file-types.ts';
import type { PictureFacts, PictureSize } from './pictures.ts';

const factsPipe = 3;

/** No side of a picture is longer where it is shown: in a message, on dense screens too, and in a window. */
const longest = { small: 720, large: 1_600, moving: 480 };

/** What moves and has fewer bytes is shown as it is. */
const movingBytes = 250_000;

/** In seconds: waiting for a processor does not count. */
const maxWork = 20;
/** In seconds, waiting too, after which nothing is begun that can be left out. pictures.ts ends this after twice as many. */
const maxTime = 30;

/** What reads it: everything else that libvips knows stays shut. And what writes it again. */
const formats: Record<PictureType, { loader: string; anew: (picture: Sharp) => Sharp }> = {
  'image/jpeg': { loader: 'VipsForeignLoadJpeg', anew: (picture) => picture.jpeg({ quality: 85 }) },
  'image/png': { loader: 'VipsForeignLoadPng', anew: (picture) => picture.png() },
  'image/gif': { loader: 'VipsForeignLoadNsgif', anew: (picture) => picture.gif() },
  'image/webp': {
    loader: 'VipsForeignLoadWebp',
    anew: (picture) => picture.webp({ quality: 85, effort: 2 }),
  },
  'image/avif': {
    loader: 'VipsForeignLoadHeif',
    anew: (picture) => picture.avif({ quality: 60, effort: 0 }),
  },
};

/** AVIF takes some 25 bytes of memory for a pixel, three times as much as the others. */
const maxPixelsOf = (type: PictureType) =>
  Math.floor(limits.picturePixels / (type === 'image/avif' ? 3 : 1));

// That it loads is all that is asked at startup.
if (process.argv[2] === 'check') process.exit(0);
const [, , type, most, purpose] = process.argv as [string, string, PictureType, string, string];
letOthersFirst();
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
unblock(type);
const { facts, bytes } = await remake(await buffer(process.stdin));
writeFileSync(factsPipe, JSON.stringify(facts));
closeSync(factsPipe);
process.stdout.end(bytes);

/** Chat has the processors first; and where memory is short, Linux ends this before anything else, if it may. */
function letOthersFirst(): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
  const watch = setInterval(() => {
    if (workDone() > maxWork) process.exit(1);
  }, 500);
  watch.unref();
}

function workDone(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

function unblock(what: PictureType): void {
  sharp.unblock({ operation: [formats[what].loader] });
}

async function remake(sent: Buffer): Promise<{ facts: PictureFacts; bytes: Buffer }> {
  const pages = purpose === '' ? -1 : 1;
  const read = () => sharp(sent, { pages, failOn: 'error', limitInputPixels: maxPixelsOf(type) });
  const { pages: frames = 1, width, height } = await read().metadata();
  // What moves is read as one high picture of all its frames.
  if (frames > limits.pictureFrames || width * height > maxPixelsOf(type))
    throw new Error('too large');
  const kept = purpose === '' ? type : 'image/webp';
  const upright = frames > 1 && purpose === '' ? read() : read().autoOrient();
  const { data, info } = await formats[kept]
    .anew(purpose === '' ? upright : small(upright))
    .toBuffer({ resolveWithObject: true });
  if (data.length > Number(most)) throw new Error('too large');
  // What was made here may be read, too.
  unblock(kept);
  const sizes = purpose === '' ? await sizesOf(data, frames > 1) : [];
  const facts: PictureFacts = {
    type: kept,
    size: data.length,
    width: info.width,
    height: info.pageHeight ?? info.height,
    placeholder: await colourOf(data),
    sizes: sizes.map(({ name, bytes }) => ({ name, size: bytes.length })),
  };
  return { facts, bytes: Buffer.concat([data, ...sizes.map(({ bytes }) => bytes)]) };
}

interface Size {
  name: PictureSize['name'];
  bytes: Buffer;
}

/** The sizes that a picture is shown in, large first: none that isn’t smaller than the picture. */
async function sizesOf(picture: Buffer, isMoving: boolean): Promise<Size[]> {
  unblock('image/webp');
  if (isMoving) return movingSizesOf(picture);
  const sizes: Size[] = [];
  let from = picture;
  for (const [name, side] of [
    ['large', longest.large],
    ['small', longest.small],
  ] as const) {
    const { width, height } = await sharp(from).metadata();
    if (Math.max(width, height) <= side) continue;
    const bytes = await within(from, side);
    if (bytes.length >= picture.length) continue;
    sizes.push({ name, bytes });
    // The smaller one is made of the larger: decoding it takes less.
    from = bytes;
  }
  return sizes;
}

/** Of what moves: its first frame, and all of them in one small size. */
async function movingSizesOf(picture: Buffer): Promise<Size[]> {
  const still: Size = { name: 'still', bytes: await within(picture, longest.large) };
  const small = await smallMoving(picture);
  return small && small.length < picture.length
    ? [still, { name: 'small', bytes: small }]
    : [still];
}

/** Undefined if it isn’t worth the work, or takes more of it than is left: then the picture does without. */
async function smallMoving(picture: Buffer): Promise<Buffer | undefined> {
  // Two are left for what comes after it.
  const seconds = Math.floor(Math.min(maxWork - workDone(), maxTime - process.uptime())) - 2;
  if (picture.length < movingBytes || seconds < 1) return undefined;
  return sharp(picture, { animated: true, limitInputPixels: limits.picturePixels })
    .timeout({ seconds })
    .resize(longest.moving, longest.moving, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75, effort: 2 })
    .toBuffer()
    .catch(() => undefined);
}

function within(picture: Buffer, side: number): Promise<Buffer> {
  const smaller = sharp(picture).resize(side, side, { fit: 'inside', withoutEnlargement: true });
  return formats['image/webp'].anew(smaller).toBuffer();
}

/** An emoji is all of it. Else the midst: clients cut out what they want before. */
function small(picture: Sharp): Sharp {
  if (purpose === 'emoji')
    return picture.resize(limits.emojiPixels, limits.emojiPixels, { fit: 'inside' });
  return picture.resize(limits.avatarPixels, limits.avatarPixels, { fit: 'cover' });
}

/** Of all of it, on grey where one sees through. */
async function colourOf(picture: Buffer): Promise<string> {
  const [red = 0, green = 0, blue = 0] = await sharp(picture)
    .resize(1, 1, { fit: 'fill' })
    .flatten({ background: '#808080' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer();
  return `#${Buffer.from([red, green, blue]).toString('hex')}`;
}
