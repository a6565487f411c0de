/** Addresses in text, without trailing punctuation. */
import { isSpace, nextWhere } from './ahead.ts';
import { readHost, type Host } from './hosts.ts';

const pairs = new Map([
  ...[')(', '][', '}{', '）（', '」「'].map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
]);
const isTrailing = (character: string) => /[.,:;!?'"*_~’”»…、。，！？]/.test(character);
const isEnd = (character: string) =>
  isSpace(character) ||
  /[<>"“”，。、；：！？【】《》〈〉『』「」\u2066-\u2069\u202a-\u202e]/.test(character);

/** True for letters of scripts in which a word can follow an address without a space. */
const isUnspaced = (character: string) =>
  character > '\u0e00' &&
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u.test(
    character,
  );

/**
 * Returns the latest end of an address: a space or a sign that ends it, an unmatched `）`, or an unspaced letter. A part
 * of an address that begins with unspaced letters can contain them: `/wiki/日本`.
 */
function addressEnd(text: string, from: number, isStop?: (character: string) => boolean): number {
  let [opened, part] = [0, ''];
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (isEnd(character) || isStop?.(character)) return at;
    if (character === '（') opened++;
    if (character === '）' && --opened < 0) return at;
    if (isUnspaced(character) && part !== '' && !isUnspaced(part)) return at;
    if (/[/?#&=.]/.test(character)) part = '';
    else part ||= character;
  }
  return text.length;
}

export interface LinkAddress {
  href: string;
  host: Host;
}

/**
 * Reads the address at this index. Only the part before the path can make an address invalid. It is checked first, so
 * that many invalid beginnings do not each read to the end of the text.
 */
export function addressAt(text: string, at: number): LinkAddress | undefined {
  const scheme = schemeAt(text, at);
  if (!scheme || /[\p{Lu}\p{Ll}\p{Lt}\p{N}]/u.test(text.charAt(at - 1))) return undefined;
  const start = at + scheme.length;
  const path = addressEnd(text, authorityStart(text, start), (sign) => /[/\\?#]/.test(sign));
  const isWhole = isEndOf(
    text,
    nextWhere(text, path, (character) => !isLoose(character)),
  );
  const early = isWhole ? undefined : readHost(scheme, text.slice(start, path));
  if (!isWhole && !early) return undefined;
  const href = withoutTail(text.slice(at, addressEnd(text, start)));
  const host = early ?? hostOf(href);
  return host && { href, host };
}

/** Reads the address between `<` at this index and the next `>`. It can contain any letters. */
export function autolinkAt(text: string, at: number): LinkAddress | undefined {
  if (!schemeAt(text, at + 1)) return undefined;
  const end = nextWhere(text, at + 1, (sign) => isSpace(sign) || /[<>]/.test(sign));
  const href = text.slice(at + 1, end);
  const host = text[end] === '>' ? hostOf(href) : undefined;
  return host && { href, host };
}

/** Returns the host of a link. The authority ends as in a browser, because an earlier end would hide the host. */
export function hostOf(link: string): Host | undefined {
  const scheme = schemeAt(link, 0);
  return readHost(scheme, link.slice(scheme.length, authorityEnd(link, scheme.length)));
}

export const schemeAt = (text: string, at: number): string =>
  /^https?:\/\//i.exec(text.slice(at, at + 8))?.[0] ?? '';

/** Skips further slashes as a browser does, which also accepts `\`. */
const authorityStart = (text: string, from: number) =>
  nextWhere(text, from, (character) => !/[/\\]/.test(character));

const authorityEnd = (text: string, from: number) =>
  nextWhere(text, authorityStart(text, from), (character) => /[/\\?#]/.test(character));

const isEndOf = (text: string, at: number) => at === text.length || isEnd(text.charAt(at));

const isLoose = (character: string) => isTrailing(character) || pairs.has(character);

function withoutTail(link: string): string {
  const counts = new Map<string, number>();
  for (const character of link) counts.set(character, (counts.get(character) ?? 0) + 1);
  const count = (character = '') => counts.get(character) ?? 0;
  let end = link.length;
  for (; end > 0; end--) {
    const last = link.charAt(end - 1);
    const opener = pairs.get(last);
    if (opener ? count(last) <= count(opener) : !isTrailing(last)) break;
    counts.set(last, count(last) - 1);
  }
  return link.slice(0, end);
}
