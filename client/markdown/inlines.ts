/** Reads what stands within a line: code, links, emphasis. What is none of these stays as it was typed. */
import { resolveEmphasis, type Mark } from './emphasis.ts';
import { hostOf, linkAt } from './links.ts';
import type { Inline } from './tree.ts';

/** At a place in the text: what stands there, and how many characters it takes. */
type Found = { node: Inline | Mark; length: number } | undefined;
type Reader = (text: string, at: number) => Found;

export const readInlines = (text: string): Inline[] =>
  read(text, [escape, code, mention, address, link, mark]);

/** The words of a link hold no link. */
const readWords = (text: string): Inline[] => read(text, [escape, code, mark]);

function read(text: string, readers: Reader[]): Inline[] {
  const pieces: (Inline | Mark)[] = [];
  let plain = '';
  const pushPlain = () => {
    if (plain) pieces.push({ type: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length;) {
    const found = special.test(text.charAt(at)) ? firstOf(readers, text, at) : undefined;
    if (found) {
      pushPlain();
      pieces.push(found.node);
    } else plain += text.charAt(at);
    at += found?.length ?? 1;
  }
  pushPlain();
  return resolveEmphasis(pieces);
}

/** With what anything but plain text begins. */
const special = /[\\`*_~[<hH]/;

function firstOf(readers: Reader[], text: string, at: number): Found {
  for (const reader of readers) {
    const found = reader(text, at);
    if (found) return found;
  }
  return undefined;
}

/** The arm of ¯\_(ツ)_/¯ is no escape. */
const escape: Reader = (text, at) => {
  const next = text.charAt(at + 1);
  return text[at] === '\\' && text[at - 1] !== '¯' && /[!-/:-@[-`{-~]/.test(next)
    ? { node: { type: 'text', text: next }, length: 2 }
    : undefined;
};

const code: Reader = (text, at) => {
  const fence = runAt(text, at, '`');
  if (!fence) return undefined;
  const end = closing(text, at + fence.length, fence);
  if (end < 0) return { node: { type: 'text', text: fence }, length: fence.length };
  const within = text.slice(at + fence.length, end);
  const trimmed = /^ .*[^ ].* $/s.test(within) ? within.slice(1, -1) : within;
  return { node: { type: 'code', text: trimmed }, length: end + fence.length - at };
};

function closing(text: string, from: number, fence: string): number {
  for (let end = text.indexOf(fence, from); end >= 0; end = text.indexOf(fence, end)) {
    const run = runAt(text, end, '`');
    if (run === fence) return end;
    end += run.length;
  }
  return -1;
}

const named = /<@([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>/iy;

const mention: Reader = (text, at) => {
  named.lastIndex = at;
  const [all, userId] = named.exec(text) ?? [];
  return all && userId
    ? { node: { type: 'mention', userId: userId.toLowerCase() }, length: all.length }
    : undefined;
};

const address: Reader = (text, at) => {
  const angle = text[at] === '<' ? 1 : 0;
  const href = linkAt(text, at + angle);
  if (!href || (angle && text[at + 1 + href.length] !== '>')) return undefined;
  const node: Inline = { type: 'link', href, children: [{ type: 'text', text: href }] };
  return { node, length: href.length + 2 * angle };
};

const masked = /\[((?:\\.|[^\\[\]]){1,300})\]\(\s*<?(https?:\/\/[^\s<>]{1,2000}?)>?\s*\)/iy;

const link: Reader = (text, at) => {
  masked.lastIndex = at;
  const [all, words = '', href = ''] = masked.exec(text) ?? [];
  const host = all ? hostOf(href) : undefined;
  if (!all || host === undefined) return undefined;
  // Words that only contain the host, as in a bank's address with a long query, would hide it.
  const isPlain = [host, href, href.replace(/^https?:\/\//i, '')].includes(words);
  const node: Inline = { type: 'link', href, children: readWords(words) };
  return { node: isPlain ? node : { ...node, host }, length: all.length };
};

/** A run of `*`, `_` or `~` opens what stands before a word and closes what stands behind one. */
const mark: Reader = (text, at) => {
  const sign = text.charAt(at);
  if (sign !== '*' && sign !== '_' && sign !== '~') return undefined;
  const run = runAt(text, at, sign);
  const [before, after] = [text.charAt(at - 1), text.charAt(at + run.length)];
  const left = isOpening(before, after);
  const right = isOpening(after, before);
  // snake_case_names are words.
  const apart = sign === '_' ? !(left && right) : true;
  const node: Mark = { sign, count: run.length, opens: left && apart, closes: right && apart };
  return { node, length: run.length };
};

/**
 * CommonMark's flanking: next to something, and not only to punctuation that hangs on another word. Scripts
 * without capitals write no spaces either, or need none here: 「」 in the middle of Japanese opens and closes.
 */
const isOpening = (outer: string, inner: string) =>
  /\S/.test(inner) && (!/[\p{P}\p{S}]/u.test(inner) || !/[^\s\p{P}\p{S}\p{Lo}]/u.test(outer));

function runAt(text: string, at: number, sign: string): string {
  let end = at;
  while (text[end] === sign) end++;
  return text.slice(at, end);
}
