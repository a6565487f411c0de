/** Addresses in text, without the punctuation that only happens to stand behind them. */
import { isSpace, nextWhere } from './ahead.ts';
import { readHost, type Host } from './hosts.ts';

const pairs = new Map([
  ...[')(', '][', '}{', '）（', '」「'].map((pair) => [pair.charAt(0), pair.charAt(1)] as const),
]);
const isTrailing = (character: string) => /[.,:;!?'"*_~’”»…、。，！？]/.test(character);
const isEnd = (character: string) =>
  isSpace(character) || /[<>"\u2066-\u2069\u202a-\u202e]/.test(character);

export interface LinkAddress {
  href: string;
  host: Host;
}

/**
 * The address that begins at this place. Only what stands before the path can make an address invalid: that
 * is looked at first, so that of many beginnings that come to nothing none reads to the end of the text.
 */
export function addressAt(text: string, at: number): LinkAddress | undefined {
  const scheme = schemeAt(text, at);
  if (!scheme || /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return undefined;
  const path = authorityEnd(text, at + scheme.length);
  const isWhole = isEndOf(
    text,
    nextWhere(text, path, (character) => !isLoose(character)),
  );
  const early = isWhole ? undefined : readHost(scheme, text.slice(at + scheme.length, path));
  if (!isWhole && !early) return undefined;
  const href = withoutTail(text.slice(at, nextWhere(text, path, isEnd)));
  const host = early ?? hostOf(href);
  return host && { href, host };
}

/** Where a link leads. */
export function hostOf(link: string): Host | undefined {
  const scheme = schemeAt(link, 0);
  return readHost(scheme, link.slice(scheme.length, authorityEnd(link, scheme.length)));
}

/** `http://` or `https://`, as it is written here; or nothing. */
export const schemeAt = (text: string, at: number): string =>
  /^https?:\/\//i.exec(text.slice(at, at + 8))?.[0] ?? '';

/** A browser passes over further slashes before a host, and takes `\` for one. */
function authorityEnd(text: string, from: number): number {
  const start = nextWhere(text, from, (character) => !/[/\\]/.test(character));
  return nextWhere(text, start, (character) => /[/\\?#]/.test(character) || isEnd(character));
}

const isEndOf = (text: string, at: number) => at === text.length || isEnd(text.charAt(at));

/** What may be taken from the end of an address. */
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
