import { picture } from './pictures.ts';

/** A tone of this many seconds, 96 kB each. */
export function tone(seconds: number): Buffer {
  const rate = 48_000;
  const samples = Buffer.alloc(2 * rate * seconds);
  for (let i = 0; i < rate * seconds; i += 1)
    samples.writeInt16LE(Math.round(3_000 * Math.sin(i / 20)), 2 * i);
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** A WebM of this many seconds, one still each. The frame inside a lossy WebP is a key frame of VP8. */
export async function film(seconds: number, width = 320, height = 240): Promise<Buffer> {
  const webp = await picture(width, height).webp().toBuffer();
  const frame = webp.subarray(20, 20 + webp.readUInt32LE(16));
  const times = Array.from({ length: seconds }, (_, i) => 1_000 * i);
  const clusters = times.map((time) =>
    element('1f43b675', number('e7', time), element('a3', Buffer.from('81000080', 'hex'), frame)),
  );
  const info = element(
    '1549a966',
    number('2ad7b1', 1_000_000),
    element('4489', float(1_000 * seconds)),
  );
  const video = element('e0', number('b0', width), number('ba', height));
  const track = ['d7', '73c5', '83'].map((id) => number(id, 1));
  const tracks = element(
    '1654ae6b',
    element('ae', ...track, element('86', Buffer.from('V_VP8')), video),
  );
  const cues = (from: number) => {
    let at = from;
    const points = times.map((time, i) => {
      const place = element('b7', number('f7', 1), number('f1', at));
      at += clusters[i]!.length;
      return element('bb', number('b3', time), place);
    });
    return element('1c53bb6b', ...points);
  };
  const head = [info, tracks];
  const from = Buffer.concat([...head, cues(0)]).length;
  const type = element('4282', Buffer.from('webm'));
  return Buffer.concat([
    element('1a45dfa3', type, number('4287', 2), number('4285', 2)),
    element('18538067', ...head, cues(from), ...clusters),
  ]);
}

/** An EBML element, with its length in eight bytes. */
function element(id: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE((1n << 56n) + BigInt(body.length));
  return Buffer.concat([Buffer.from(id, 'hex'), length, body]);
}

function number(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return element(id, bytes);
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
