/** `[words](address)`: a link whose words differ from its address. */
import { hostOf, schemeAt } from './links.ts';
import type { MarkdownSource } from './source.ts';

interface Masked {
  words: string;
  href: string;
  length: number;
  /** The host of the address, unless the words are that host or the whole address. */
  host: string | undefined;
}

/** In characters. */
const longest = { words: 300, href: 2_000, title: 300 };

export function maskedAt(source: MarkdownSource, at: number): Masked | undefined {
  const { text } = source;
  const bracket = source.closing(at);
  if (bracket === undefined || text[bracket + 1] !== '(') return undefined;
  const close = source.closing(bracket + 1);
  const count = bracket - at - 1;
  if (close === undefined || count < 1 || count > longest.words) return undefined;
  const before = source.wordBefore.from(bracket + 2);
  const isAngled = text[before] === '<';
  const start = isAngled ? before + 1 : before;
  const scheme = schemeAt(text, start);
  const end = scheme ? Math.min(source.addressEnd.from(start), close) : start;
  if (end === start || end - start > longest.href || isAngled !== (text[end] === '>'))
    return undefined;
  const behind = isAngled ? end + 1 : end;
  const words = text.slice(at + 1, bracket);
  // Links do not nest: only the inner one is a link.
  if (words.includes('](') || !isTitle(source, behind, close)) return undefined;
  return masked(words, unescaped(text.slice(start, end)), close + 1 - at);
}

const closers: Record<string, string> = { '"': '"', "'": "'", '(': ')' };

/** True when nothing or a quoted title follows the address. The title is not shown. */
function isTitle(source: MarkdownSource, from: number, to: number): boolean {
  const start = source.wordBehind.from(from);
  if (start >= to) return true;
  if (start === from || to - start > longest.title) return false;
  const title = source.text.slice(start, to).trimEnd();
  return title.length > 1 && title.endsWith(closers[title.charAt(0)] ?? '\n');
}

function unescaped(href: string): string {
  let result = '';
  for (let at = 0; at < href.length; at++) {
    if (href[at] === '\\' && /[!-/:-@[-`{-~]/.test(href.charAt(at + 1))) at++;
    result += href.charAt(at);
  }
  return result;
}

function masked(words: string, href: string, length: number): Masked | undefined {
  const host = hostOf(href);
  if (!host) return undefined;
  // Words that only contain the host do not show it, as in a bank’s address with a long query.
  const bare = href.slice(schemeAt(href, 0).length);
  const isSaid = words === host.name || (host.isPlain && (words === href || words === bare));
  return { words, href, length, host: isSaid ? undefined : host.name };
}
