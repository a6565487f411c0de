/** Detects locations in files that are stored unchanged. Encoding a picture again removes its metadata. */
import { isPicture, signatureBytes, typeOf } from './types.ts';

/** Signatures of photo formats that can hold a location and are not searched: TIFF, raw, JPEG XL, JPEG 2000. */
const photos = [
  ...['II*\0', 'MM\0*', 'II+\0', 'MM\0+', 'IIU\0', 'IIRO', 'IIRS', 'MMOR', 'FUJIFILMCCD-RAW'],
  ...['\xff\x0a', '\0\0\0\x0cJXL ', '\0\0\0\x0cjP  ', 'FOVb'],
];
const inVideos = ['ns.adobe.com/xap/', 'ns.adobe.com/exif/', 'com.apple.quicktime.location'];
/** Videos are not searched for all of these, because strings as short as `Exif` occur in them by chance. */
const inPictures = ['Exif', 'eXIf', 'XMP DataXMP', 'application/rdf+xml', ...inVideos];
/** Names of video boxes. The length before the name distinguishes a box from the same letters elsewhere. */
const boxes = ['\xa9xyz', 'loci', 'gpmd', 'GPMF', 'djmd', 'rtmd'];
const videoStarts = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
/** A file with any other brand is treated as a picture. */
const videoBrand = /^(?:qt {2}|iso\w|mp4\w|avc1|M4[ABV] |dash|MSNV|3g\w\w|mmp4|f4v )/;

/** The size of the tail to keep, in bytes. No sign is longer, including the length before a box name. */
const overlap = 40;

export class TraceSearch {
  #kind: 'photo' | 'picture' | 'video' | 'other' | undefined;
  /** The end of the bytes already searched, because a sign may continue in the next piece. */
  #tail = Buffer.alloc(0);
  #found = false;

  add(piece: Uint8Array): void {
    if (this.#found || this.#kind === 'other') return;
    const bytes = Buffer.concat([this.#tail, piece]);
    if (this.#kind === undefined && bytes.length >= signatureBytes) this.#kind = kindOf(bytes);
    this.#found = this.#isIn(bytes);
    this.#tail = bytes.subarray(this.#kind === undefined ? 0 : Math.max(0, bytes.length - overlap));
  }

  get found(): boolean {
    return this.#found;
  }

  #isIn(bytes: Buffer): boolean {
    const has = (sign: string) => bytes.includes(sign, 0, 'latin1');
    if (this.#kind === 'photo') return true;
    if (this.#kind !== 'picture' && this.#kind !== 'video') return false;
    const signs = this.#kind === 'picture' ? inPictures : inVideos;
    return signs.some(has) || boxes.some((box) => hasBox(bytes, box));
  }
}

function kindOf(bytes: Buffer) {
  const text = bytes.toString('latin1', 0, signatureBytes);
  if (photos.some((start) => text.startsWith(start)) || text.startsWith('HEAPCCDR', 6))
    return 'photo';
  const isPhoto = text.startsWith('ftyp', 4) && !videoBrand.test(text.slice(8, 12));
  if (isPhoto || isPicture(typeOf(bytes))) return 'picture';
  return videoStarts.some((start) => text.startsWith(start, 4)) ? 'video' : 'other';
}

function hasBox(bytes: Buffer, name: string): boolean {
  for (
    let at = bytes.indexOf(name, 4, 'latin1');
    at > 0;
    at = bytes.indexOf(name, at + 1, 'latin1')
  ) {
    const length = bytes.readUInt32BE(at - 4);
    if (length >= 8 && length < 65_536) return true;
  }
  return false;
}
