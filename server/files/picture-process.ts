/**
 * A process for one picture. Reads it from stdin and writes it to stdout, encoded again, with its variants after it.
 * Before that, writes its facts to a third pipe. The process has no secret and ends with the picture, so that a picture
 * that takes over the decoder or its memory gains nothing. Any error ends it without a result.
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

/** The longest side in pixels: in a message, also on dense screens; in a window; and of a small animation. */
const longest = { small: 720, large: 1_600, moving: 480 };

/** The sides of the square of a preview: twice as many pixels as are shown, for dense screens. */
const previewSide = 144;

/** In bytes. A smaller animation is shown as it is. */
const movingBytes = 250_000;

/** In seconds of processor time. */
const maxWork = process.argv[4] === 'preview' ? 5 : 20;
/** In seconds since the start. After that no optional work begins; pictures.ts ends the process after twice that. */
const maxTime = 30;

/** The loader and the encoder of each type. All other loaders of libvips stay blocked. */
const formats: Record<PictureType, { loader: string; reencode: (picture: Sharp) => Sharp }> = {
  'image/jpeg': {
    loader: 'VipsForeignLoadJpeg',
    reencode: (picture) => picture.jpeg({ quality: 85 }),
  },
  'image/png': { loader: 'VipsForeignLoadPng', reencode: (picture) => picture.png() },
  'image/gif': { loader: 'VipsForeignLoadNsgif', reencode: (picture) => picture.gif() },
  'image/webp': {
    loader: 'VipsForeignLoadWebp',
    reencode: (picture) => picture.webp({ quality: 85, effort: 2 }),
  },
  'image/avif': {
    loader: 'VipsForeignLoadHeif',
    reencode: (picture) => picture.avif({ quality: 60, effort: 0 }),
  },
};

/** Attack: links to pictures that take seconds to decode. Test: test/previews/pictures.test.ts. */
const maxPreviewPixels = 16_000_000;

/** AVIF takes about 25 bytes of memory for each pixel, three times as much as the others. */
const maxPixelsOf = (type: PictureType) =>
  Math.floor(
    (purpose === 'preview' ? maxPreviewPixels : limits.picturePixels) /
      (type === 'image/avif' ? 3 : 1),
  );

// At startup the node checks only that this program loads.
if (process.argv[2] === 'check') process.exit(0);
const [, , type, maxBytes, purpose] = process.argv as [string, string, PictureType, string, string];
lowerPriority();
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
unblock(type);
const { facts, bytes } = await remake(await buffer(process.stdin));
writeFileSync(factsPipe, JSON.stringify(facts));
closeSync(factsPipe);
process.stdout.end(bytes);

/** Gives chat precedence on the processors. When memory is short, Linux ends this process first, if permitted. */
function lowerPriority(): void {
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
  // An animation is read as one tall picture of all its frames.
  if (frames > limits.pictureFrames || width * height > maxPixelsOf(type))
    throw new Error('picture too large');
  const outputType = purpose === '' ? type : 'image/webp';
  const upright = frames > 1 && purpose === '' ? read() : read().autoOrient();
  const { data, info } = await formats[outputType]
    .reencode(purpose === '' ? upright : small(upright))
    .toBuffer({ resolveWithObject: true });
  if (data.length > Number(maxBytes)) throw new Error('picture too large');
  // The variants are made from the encoded picture, so its type is read as well.
  unblock(outputType);
  const sizes = purpose === '' ? await sizesOf(data, frames > 1) : [];
  const facts: PictureFacts = {
    type: outputType,
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

/** Makes the variants of a picture, large first. Leaves out those that are not smaller than the picture. */
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
    // Makes the smaller one from the larger, which is faster to decode.
    from = bytes;
  }
  return sizes;
}

async function movingSizesOf(picture: Buffer): Promise<Size[]> {
  const still: Size = { name: 'still', bytes: await within(picture, longest.large) };
  const small = await smallMoving(picture);
  return small && small.length < picture.length
    ? [still, { name: 'small', bytes: small }]
    : [still];
}

/** Undefined if it is not worth the work, or takes more time than is left: then the picture has no small variant. */
async function smallMoving(picture: Buffer): Promise<Buffer | undefined> {
  // Two seconds are left for the remaining work.
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
  return formats['image/webp'].reencode(smaller).toBuffer();
}

/** An emoji keeps all of the picture. Others are cropped to the center: clients cut out the wanted part before. */
function small(picture: Sharp): Sharp {
  if (purpose === 'emoji')
    return picture.resize(limits.emojiPixels, limits.emojiPixels, { fit: 'inside' });
  const side = purpose === 'preview' ? previewSide : limits.avatarPixels;
  return picture.resize(side, side, { fit: 'cover' });
}

async function colourOf(picture: Buffer): Promise<string> {
  const [red = 0, green = 0, blue = 0] = await sharp(picture)
    .resize(1, 1, { fit: 'fill' })
    .flatten({ background: '#808080' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer();
  return `#${Buffer.from([red, green, blue]).toString('hex')}`;
}
