import { randomBytes } from 'node:crypto';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { limits } from '../../shared/limits.ts';
import { film, tone } from './media.ts';
import { animation, bomb, flicker, part, picture } from './pictures.ts';

export type Named = readonly (readonly [name: string, bytes: Buffer])[];

const zeros = Buffer.alloc(64_000_000);

/** Small files that become large when decoded: in pixels, in frames, or in attached data. */
export const bombs = (): Promise<Named> => (bombsMade ??= makeBombs());

let bombsMade: Promise<Named> | undefined;

async function makeBombs(): Promise<Named> {
  const [png, jpeg, webp, avif, gif] = await Promise.all(
    (['png', 'jpeg', 'webp', 'avif', 'gif'] as const).map((format) =>
      picture().toFormat(format).toBuffer(),
    ),
  );
  const side = Math.ceil(Math.sqrt(limits.picturePixels)) + 8;
  const packed = deflateSync(zeros, { level: 1 });
  const beside = (kind: string, head: string) =>
    Buffer.concat([
      png!.subarray(0, 33),
      part(kind, Buffer.concat([Buffer.from(head, 'latin1'), packed])),
      png!.subarray(33),
    ]);
  return [
    ['wide and high.png', bomb(30_000, 30_000)],
    ['a little too large.png', bomb(side, side)],
    ['claims to be large.png', claimed(png!, 16, 'png')],
    ['claims to be large.jpg', claimed(jpeg!, frameOf(jpeg!) + 5, 'jpeg')],
    ['claims to be large.webp', claimed(webp!, 26, 'webp')],
    ['claims to be large.avif', claimed(avif!, avif!.indexOf('ispe') + 8, 'avif')],
    ['claims to be large.gif', claimed(gif!, 6, 'gif')],
    ['flickers.gif', flicker(limits.pictureFrames + 1)],
    ['a colour profile that bursts.png', beside('iCCP', 'tea\0\0')],
    ['words that burst.png', beside('zTXt', 'tea\0\0')],
    ['more words that burst.png', beside('iTXt', 'tea\0\x01\0\0\0')],
    ['long.png', await picture(16_000, 1).png().toBuffer()],
    ['high.png', await picture(2, 16_000).png().toBuffer()],
    ['packed.gz', gzipSync(zeros, { level: 1 })],
    ['laughs.svg', Buffer.from(laughs)],
  ];
}

/** The offset of the frame header of a JPEG, which has its size. */
function frameOf(jpeg: Buffer): number {
  const found = ['ffc0', 'ffc2'].map((mark) => jpeg.indexOf(Buffer.from(mark, 'hex')));
  return Math.max(...found);
}

/** A copy with the largest sides that the format can express. */
function claimed(whole: Buffer, at: number, format: string): Buffer {
  const bytes = Buffer.from(whole);
  const sides = { png: '7fffffff', avif: '7fffffff', webp: 'ff3f' }[format] ?? 'ffff';
  bytes.write(sides + sides, at, 'hex');
  if (format === 'png') bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

/** Each entity expands to ten of the one before. */
const laughs = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a0 "ha">${Array.from(
  { length: 9 },
  (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`,
).join('')}]><svg xmlns="http://www.w3.org/2000/svg"><text>&a9;</text></svg>`;

/** Sound and film with impossible numbers, or with nothing behind their first bytes. */
export async function liars(): Promise<Named> {
  const sound = tone(1);
  const moving = await film(2);
  const lie = (whole: Buffer, at: number, hex: string) => {
    const bytes = Buffer.from(whole);
    bytes.write(hex, at, 'hex');
    return bytes;
  };
  /** Overwrites the bytes behind the id of an EBML element. */
  const element = (id: string, hex: string) =>
    lie(moving, moving.indexOf(Buffer.from(`${id}0100`, 'hex')) + id.length / 2, hex);
  const begun = (begins: string) =>
    Buffer.concat([Buffer.from(begins, 'latin1'), randomBytes(5_000)]);
  return [
    ['endless.wav', lie(lie(sound, 4, 'ffffffff'), 40, 'ffffffff')],
    ['of no channel.wav', lie(sound, 22, '0000')],
    ['of all channels.wav', lie(sound, 22, 'ffff')],
    ['of no rate.wav', lie(sound, 24, '00000000')],
    ['of no bits.wav', lie(sound, 34, '0000')],
    ['of nothing.wav', lie(sound.subarray(0, 44), 40, '00000000')],
    ['begun.wav', begun('RIFF\xff\xff\xff\x7fWAVE')],
    ['begun.mp3', begun('ID3\x04\0\0\x7f\x7f\x7f\x7f')],
    ['begun.ogg', begun('OggS\0\x02')],
    ['begun.flac', begun('fLaC\x80\xff\xff\xff')],
    ['begun.m4a', begun('\0\0\0\x18ftypM4A \0\0\0\0')],
    ['begun.mp4', begun('\0\0\0\x10ftypisom\0\0\0\0\xff\xff\xff\xffmoov')],
    ['begun.webm', begun('\x1a\x45\xdf\xa3\x87webm')],
    ['lasts for ever.webm', element('4489', '01000000000000087ff0000000000000')],
    ['lasts less than nothing.webm', element('4489', '0100000000000008c08f400000000000')],
    ['has no time.webm', element('2ad7b1', '010000000000000400000000')],
    ['is as large as a town.webm', element('b0', '0100000000000004ffffffff')],
    ['has an endless part.webm', element('1f43b675', '01fffffffffffffe')],
    ['has a key that is too long.webm', element('a3', '01fffffffffffffe')],
  ];
}

/** Each format cut short at this many places, and changed at some of them. */
export function damaged(places: number): Promise<Named> {
  const made = damagedMade.get(places) ?? damage(places);
  damagedMade.set(places, made);
  return made;
}

const damagedMade = new Map<number, Promise<Named>>();

async function damage(places: number): Promise<Named> {
  const formats = ['png', 'jpeg', 'webp', 'avif', 'gif'] as const;
  const still = picture(300, 200);
  const whole = [
    ...formats.map(async (format) => [format, await still.toFormat(format).toBuffer()] as const),
    ...(['gif', 'webp'] as const).map(
      async (format) => [`moving.${format}`, await animation(format, [100, 100, 100])] as const,
    ),
    Promise.resolve(['wav', tone(1)] as const),
    film(3).then((bytes) => ['webm', bytes] as const),
  ];
  return (await Promise.all(whole)).flatMap(([ending, bytes]) =>
    Array.from({ length: places }, (_, i) => {
      const at = Math.floor((bytes.length * (i + 1)) / (places + 1));
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0xff;
      return [
        [`cut at ${at}.${ending}`, bytes.subarray(0, at)],
        [`changed at ${at}.${ending}`, changed],
      ] as const;
    }).flat(),
  );
}
