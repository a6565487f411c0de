import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Its left half is red, the other one blue. */
export const picture = (width = 40, height = 20): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([
    {
      input: { create: { width: width / 2, height, channels: 3, background: 'blue' } },
      gravity: 'east',
    },
  ]);

/** A photo as by an upright phone, with the word in its metadata of every kind. */
export const photo = (word: string): Promise<Buffer> =>
  picture()
    .withExif({
      IFD0: { Make: word, Copyright: word },
      IFD2: { UserComment: word },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSAreaInformation: word },
    })
    .withXmp(`<?xpacket?><x:xmpmeta xmlns:x="adobe:ns:meta/"><a>${word}</a></x:xmpmeta>`)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100 })
    .toBuffer();

/** Grain, which takes many bytes. */
export const grain = (width: number, height: number): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });

export async function animation(
  as: 'gif' | 'webp',
  delay: number[],
  frame = (i: number): Sharp => picture().modulate({ hue: 30 * i }),
): Promise<Buffer> {
  const frames = await Promise.all(delay.map((_, i) => frame(i).png().toBuffer()));
  const all = sharp(frames, { join: { animated: true } });
  return (
    as === 'gif' ? all.gif({ delay, loop: 0, effort: 1 }) : all.webp({ delay, loop: 0 })
  ).toBuffer();
}

/** A PNG of black pixels, one bit each: a hundred kilobytes that decode to any number of pixels. */
export function bomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 1 });
  const parts = [part('IHDR', header), part('IDAT', rows), part('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

export function part(name: string, bytes: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), bytes]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

export function flicker(frames: number): Buffer {
  const frame = Buffer.from('21f904000a000000' + '2c000000000100010000' + '02024c0100', 'hex');
  const start = Buffer.from('474946383961' + '01000100800000' + '000000ffffff', 'hex');
  return Buffer.concat([start, ...Array.from({ length: frames }, () => frame), Buffer.from(';')]);
}
