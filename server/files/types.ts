/** Detects the type of a file by its first bytes. Does not trust its name or the type that its sender states. */
import {
  pictureTypes,
  plainType,
  type PictureType,
  type ShownType,
} from '../../shared/file-types.ts';

export const isPicture = (type: string): type is PictureType =>
  (pictureTypes as readonly string[]).includes(type);

/** The number of bytes that are enough to detect a type. */
export const signatureBytes = 64;

export function typeOf(head: Uint8Array): ShownType | typeof plainType {
  const text = Buffer.from(head.subarray(0, signatureBytes)).toString('latin1');
  return signs.find(([, isOne]) => isOne(text))?.[0] ?? plainType;
}

const startsWithAny =
  (...ways: string[]) =>
  (text: string) =>
    ways.some((way) => text.startsWith(way));

/** `RIFF` and a length, then the form. */
const isRiff = (form: string) => (text: string) =>
  text.startsWith('RIFF') && text.startsWith(form, 8);

/** A length and `ftyp`, then the brand. */
const isBrand =
  (...brands: string[]) =>
  (text: string) =>
    text.startsWith('ftyp', 4) && brands.includes(text.slice(8, 12));

const signs: readonly (readonly [ShownType, (text: string) => boolean])[] = [
  ['image/png', startsWithAny('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', startsWithAny('\xff\xd8\xff')],
  ['image/gif', startsWithAny('GIF87a', 'GIF89a')],
  ['image/webp', isRiff('WEBP')],
  ['image/avif', isBrand('avif', 'avis')],
  ['audio/wav', isRiff('WAVE')],
  ['audio/flac', startsWithAny('fLaC')],
  ['audio/ogg', startsWithAny('OggS')],
  ['audio/mpeg', startsWithAny('ID3', '\xff\xfb', '\xff\xf3', '\xff\xf2', '\xff\xfa')],
  ['audio/mp4', isBrand('M4A ', 'M4B ')],
  [
    'video/mp4',
    isBrand('isom', 'iso2', 'iso4', 'iso5', 'iso6', 'mp41', 'mp42', 'avc1', 'M4V ', 'dash', 'MSNV'),
  ],
  ['video/webm', (text) => text.startsWith('\x1a\x45\xdf\xa3') && text.includes('webm')],
];
