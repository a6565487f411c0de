/**
 * The keys of the search index: 32-bit hashes of parts of words and of the other filters, each together with the bucket
 * of the message. So each bucket has its own lists, and a search reads from the newest bucket on, without the long
 * lists of older ones. PostgreSQL’s own array index holds the keys: it needs no extension, and no setting of the
 * database decides which characters are letters. Collisions are harmless, because each match is compared.
 */

/** Three ASCII letters or digits; or two letters, at least one of them not ASCII; or a sign such as an emoji. */
export function searchPartsOf(folded: string): Set<number> {
  const parts = new Set<number>();
  let [a, b] = [0, 0];
  for (const letter of folded) {
    const c = codeOf(letter);
    if (c >= 0x80 || (b >= 0x80 && c > 0)) {
      if (b > 0) parts.add(mix(mix(2, b), c));
    } else if (a > 0 && a < 0x80 && b > 0 && c > 0) parts.add(mix(mix(mix(3, a), b), c));
    if (c === 0 && letter > '\u2000') parts.add(mix(1, letter.codePointAt(0) ?? 0));
    [a, b] = [b, c];
  }
  return parts;
}

const letters = /[\p{L}\p{N}\p{M}]/u;

/** Zero for a character that is in no word. */
function codeOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x80) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ? code : 0;
  return letters.test(letter) ? code : 0;
}

const kinds = { all: 11, timeline: 12, author: 13, mention: 14, has: 15 };

/** Every message has it. */
export const anyPart = mix(kinds.all, 0);
export const timelinePart = (id: string) => mixId(kinds.timeline, id);
export const authorPart = (id: string) => mixId(kinds.author, id);
export const mentionKey = (id: string) => mixId(kinds.mention, id);
export const hasPart = (bit: number) => mix(kinds.has, bit);

export const keysIn = (bucket: number, parts: Iterable<number>): number[] =>
  [...new Set(Array.from(parts, (part) => mix(part, bucket + 1)))].sort((a, b) => a - b);

function mixId(kind: number, id: string): number {
  const digits = id.replaceAll('-', '');
  let hash = kind;
  for (let at = 0; at < digits.length; at += 8)
    hash = mix(hash, Number.parseInt(digits.slice(at, at + 8), 16) | 0);
  return hash;
}

/** As in MurmurHash3. */
function mix(hash: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  let h = hash ^ k;
  h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}
