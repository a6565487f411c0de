/** `[words](address)`: a link whose words are others than its address. */
import { hostOf, schemeAt } from './links.ts';
import type { MarkdownSource } from './source.ts';

interface Masked {
  words: string;
  href: string;
  length: number;
  /** Where it leads, if the words do not say just that. */
  host: string | undefined;
}

/** In characters. */
const longest = { words: 300, href: 2_000 };

export function maskedAt(source: MarkdownSource, at: number): Masked | undefined {
  const { text } = source;
  const bracket = source.bracket.from(at + 1);
  const count = bracket - at - 1;
  if (count < 1 || count > longest.words || !text.startsWith('](', bracket)) return undefined;
  const before = source.wordBefore.from(bracket + 2);
  const start = text[before] === '<' ? before + 1 : before;
  const scheme = schemeAt(text, start);
  if (!scheme) return undefined;
  const end = source.addressEnd.from(start + scheme.length + 1);
  const close = source.wordBehind.from(text[end] === '>' ? end + 1 : end);
  if (text[close] !== ')' || end - start - scheme.length > longest.href) return undefined;
  return masked(text.slice(at + 1, bracket), text.slice(start, end), close + 1 - at);
}

function masked(words: string, href: string, length: number): Masked | undefined {
  const host = hostOf(href);
  if (!host) return undefined;
  // Words that only contain the host, as in a bank's address with a long query, would hide it.
  const bare = href.slice(schemeAt(href, 0).length);
  const isSaid = words === host.name || (host.isPlain && (words === href || words === bare));
  return { words, href, length, host: isSaid ? undefined : host.name };
}
