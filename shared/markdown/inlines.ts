/** Reads the inlines of a text: code, links, emphasis. Everything else stays as typed. */
import { resolveEmphasis, type Delimiter } from './emphasis.ts';
import { addressAt, autolinkAt } from './links.ts';
import { maskedAt } from './masked.ts';
import type { NodeBudget } from './node-budget.ts';
import { MarkdownSource } from './source.ts';
import type { Inline, PlainText } from './tree.ts';

type Found = { node: Inline | Delimiter; length: number } | undefined;
type Reader = (source: MarkdownSource, at: number, nodes: NodeBudget) => Found;

export const readInlines = (text: string, nodes: NodeBudget): Inline[] =>
  read(text, [escape, code, emoji, call, mention, address, link, mark], nodes);

/** Links, mentions and calls are plain text in the words of a link. */
const readWords = (text: string, nodes: NodeBudget): Inline[] =>
  read(text, [escape, code, emoji, mark], nodes);

function read(text: string, readers: Reader[], nodes: NodeBudget): Inline[] {
  const source = new MarkdownSource(text);
  const pieces: (Inline | Delimiter)[] = [];
  let plain = '';
  const pushPlain = () => {
    if (plain) pieces.push({ type: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length;) {
    if (nodes.left <= 0) {
      plain += text.slice(at);
      break;
    }
    const isSpecial = special.test(text.charAt(at));
    const found = isSpecial ? firstOf(readers, source, at, nodes) : undefined;
    if (found) {
      // Each mark can become an emphasis; any other node is followed by text.
      nodes.left -= 'sign' in found.node ? found.node.count : 2;
      pushPlain();
      pieces.push(found.node);
    } else plain += text.charAt(at);
    at += found?.length ?? 1;
  }
  pushPlain();
  return resolveEmphasis(pieces);
}

/** The first characters of everything but plain text. */
const special = /[\\`*_~[<hH@:]/;

function firstOf(readers: Reader[], source: MarkdownSource, at: number, nodes: NodeBudget): Found {
  for (const reader of readers) {
    const found = reader(source, at, nodes);
    if (found) return found;
  }
  return undefined;
}

/** Reads an escaped character. The backslash of ¯\_(ツ)_/¯ stays in the text. */
const escape: Reader = ({ text }, at) => {
  const next = text.charAt(at + 1);
  if (text[at] !== '\\' || !/[!-/:-@[-`{-~]/.test(next)) return undefined;
  const isArm = text[at - 1] === '¯';
  const node: PlainText = { type: 'text', text: isArm ? `\\${next}` : next };
  return { node: next === ':' ? { ...node, escaped: true } : node, length: 2 };
};

const code: Reader = (source, at) => {
  const { text } = source;
  const fence = runAt(text, at, '`');
  if (!fence) return undefined;
  const end = source.ticks(at + fence.length, fence.length);
  if (end === undefined) return { node: { type: 'text', text: fence }, length: fence.length };
  const within = text.slice(at + fence.length, end);
  const isPadded = within.startsWith(' ') && within.endsWith(' ') && !isOf(within, ' ');
  const node: Inline = { type: 'code', text: isPadded ? within.slice(1, -1) : within };
  return { node, length: end + fence.length - at };
};

const isOf = (text: string, sign: string) => runAt(text, 0, sign) === text;

/** Marks in the name of an emoji are not emphasis. */
const emoji: Reader = ({ text }, at) => {
  if (text[at] !== ':') return undefined;
  const [sign] = /^:[a-z0-9_]{2,32}:/.exec(text.slice(at, at + 34)) ?? [];
  return sign ? { node: { type: 'text', text: sign }, length: sign.length } : undefined;
};

const many = /^@(?:everyone|here)(?![\p{L}\p{N}_-])/u;
/** Includes the character after it, which can be a surrogate pair. */
const manyLength = 11;
const wordEnd = /[\p{L}\p{N}_@<]$/u;

const call: Reader = ({ text }, at) => {
  if (text[at] !== '@' || wordEnd.test(text.slice(Math.max(0, at - 2), at))) return undefined;
  const [all] = many.exec(text.slice(at, at + manyLength)) ?? [];
  return all ? { node: { type: 'call', text: all }, length: all.length } : undefined;
};

const named = /^<([@#])([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>/i;
const namedLength = 39;

const mention: Reader = ({ text }, at) => {
  if (text[at] !== '<') return undefined;
  const [all, sign, name] = named.exec(text.slice(at, at + namedLength)) ?? [];
  if (!all || !name) return undefined;
  const id = name.toLowerCase();
  const node: Inline =
    sign === '@' ? { type: 'mention', userId: id } : { type: 'channel', channelId: id };
  return { node, length: all.length };
};

const address: Reader = ({ text }, at) => {
  const angle = text[at] === '<' ? 1 : 0;
  const found = angle ? autolinkAt(text, at) : addressAt(text, at);
  if (!found) return undefined;
  const { href, host } = found;
  const node: Inline = { type: 'link', href, children: [{ type: 'text', text: href }] };
  return {
    node: host.isPlain ? node : { ...node, host: host.name },
    length: href.length + 2 * angle,
  };
};

const link: Reader = (source, at, nodes) => {
  const found = source.text[at] === '[' ? maskedAt(source, at) : undefined;
  if (!found) return undefined;
  const { words, href, host, length } = found;
  const node: Inline = { type: 'link', href, children: readWords(words, nodes) };
  return { node: host === undefined ? node : { ...node, host }, length };
};

/** A run of `*`, `_` or `~`: it opens before a word and closes after one. */
const mark: Reader = ({ text }, at) => {
  const sign = text.charAt(at);
  if (sign !== '*' && sign !== '_' && sign !== '~') return undefined;
  const run = runAt(text, at, sign);
  const [before, after] = [text.charAt(at - 1), text.charAt(at + run.length)];
  const left = isOpening(before, after);
  const right = isOpening(after, before);
  // snake_case_names have no emphasis.
  const isWord = sign === '_' && left && right;
  const opens = left && (!isWord || isPunctuation(before));
  const closes = right && (!isWord || isPunctuation(after));
  const node: Delimiter = { sign, count: run.length, opens, closes };
  return { node, length: run.length };
};

/**
 * CommonMark’s flanking: next to text, and not only to punctuation that belongs to another word. Scripts without
 * capitals write no spaces, or need none here: 「」 in the middle of Japanese opens and closes.
 */
const isOpening = (outer: string, inner: string) =>
  /\S/.test(inner) && (!isPunctuation(inner) || !/[^\s\p{P}\p{S}\p{Lo}]/u.test(outer));

const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);

function runAt(text: string, at: number, sign: string): string {
  let end = at;
  while (text[end] === sign) end++;
  return text.slice(at, end);
}
