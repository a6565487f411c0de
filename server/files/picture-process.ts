/**
 * A process for one picture: reads it from stdin, and writes it made anew to stdout, what it is like to the third
 * pipe before. It knows no secret, and ends with the picture: what takes over its decoder, or its memory, has nothing.
 * Whatever fails here ends it, and then there is no picture.
 */
import { closeSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import sharp, { type Sharp } from 'sharp';
import { limits } from '../../shared/limits.ts';
import type { PictureType } from '../../shared/files.ts';
import type { PictureFacts } from './pictures.ts';

const factsPipe = 3;

/** In microseconds: waiting for a processor does not count. */
const mostWork = 20_000_000;

/** What reads it: everything else that libvips knows stays shut. And what writes it again. */
const formats: Record<PictureType, { loader: string; anew: (picture: Sharp) => Sharp }> = {
  'image/jpeg': { loader: 'Jpeg', anew: (picture) => picture.jpeg({ quality: 85 }) },
  'image/png': { loader: 'Png', anew: (picture) => picture.png() },
  'image/gif': { loader: 'Nsgif', anew: (picture) => picture.gif() },
  'image/webp': { loader: 'Webp', anew: (picture) => picture.webp({ quality: 85, effort: 2 }) },
  'image/avif': { loader: 'Heif', anew: (picture) => picture.avif({ quality: 60, effort: 0 }) },
};

/** AVIF takes some 25 bytes of memory for a pixel, three times as much as the others. */
const mostOf = (type: PictureType) =>
  Math.floor(limits.picturePixels / (type === 'image/avif' ? 3 : 1));

const [, , type, most] = process.argv as [string, string, PictureType, string];
const { loader, anew } = formats[type];
letOthersFirst();
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: [`VipsForeignLoad${loader}`] });
const { facts, bytes } = await remake(await buffer(process.stdin));
writeFileSync(factsPipe, JSON.stringify(facts));
closeSync(factsPipe);
process.stdout.end(bytes);

/** Chat has the processors first; and where memory is short, Linux ends this before anything else, if it may. */
function letOthersFirst(): void {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (user + system > mostWork) process.exit(1);
  }, 500);
  watch.unref();
}

async function remake(sent: Buffer): Promise<{ facts: PictureFacts; bytes: Buffer }> {
  const read = () => sharp(sent, { pages: -1, failOn: 'error', limitInputPixels: mostOf(type) });
  const { pages = 1, width, height } = await read().metadata();
  // What moves is read as one high picture of all its frames.
  if (pages > limits.pictureFrames || width * height > mostOf(type)) throw new Error('too large');
  const upright = pages > 1 ? read() : read().autoOrient();
  const { data, info } = await anew(upright).toBuffer({ resolveWithObject: true });
  if (data.length > Number(most)) throw new Error('too large');
  const facts: PictureFacts = {
    size: data.length,
    width: info.width,
    height: info.pageHeight ?? info.height,
    placeholder: await colourOf(data),
  };
  return { facts, bytes: data };
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
