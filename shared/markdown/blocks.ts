/**
 * Reads a message as the Markdown that people know from chat: CommonMark, line by line, so that a quote ends with its
 * last `>`, a line break is a line break, and no typed text disappears (no HTML, no definitions, no indented code).
 *
 * Any member can write any text, and all others read it, so the work must grow linearly with the length of the text
 * (test/client/markdown-steps.test.ts). No regular expression here looks at more than a few characters.
 */
import { isSpace, nextWhere } from './ahead.ts';
import { textFrom, unindented } from './indent.ts';
import { readInlines } from './inlines.ts';
import { maxElements, type NodeBudget } from './node-budget.ts';
import { readTable, tableAt } from './tables.ts';
import type { Item, ListSign, MarkdownBlock } from './tree.ts';

/** Quotes and lists nested deeper are text, because only hostile authors write them. */
const deepest = 5;

export const readMarkdown = (text: string): MarkdownBlock[] =>
  readLines(text.split('\n'), { depth: 0, nodes: { left: maxElements } });

interface Place {
  depth: number;
  nodes: NodeBudget;
}

function readLines(lines: string[], place: Place): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, next] = place.nodes.left <= 0 ? readRest(lines, at) : readBlock(lines, at, place);
    // Counts a list item around the block, too.
    place.nodes.left -= 2;
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function readRest(lines: string[], at: number): Step {
  const text = lines.slice(at).join('\n');
  return [{ type: 'paragraph', children: [{ type: 'text', text, escaped: true }] }, lines.length];
}

/** A block, and the index of the line after it. */
export type Step = [block: MarkdownBlock | undefined, next: number];

function readBlock(lines: string[], at: number, place: Place): Step {
  const { depth, nodes } = place;
  const line = lines[at] ?? '';
  if (line.trim() === '') return [undefined, at + 1];
  const fence = fenceOf(line);
  if (fence) return readCode(lines, at, fence);
  const title = titleOf(line);
  if (title) return [headingOf(title, nodes), at + 1];
  if (isRule(line)) return [{ type: 'rule' }, at + 1];
  const columns = tableAt(line, lines[at + 1]);
  if (columns) return readTable(lines, at, columns, nodes);
  if (depth < deepest && quoteOf(line)) return readQuote(lines, at, place);
  if (depth < deepest && itemOf(line)) return readList(lines, at, place);
  return readParagraph(lines, at, place);
}

interface Fence {
  ticks: number;
  indent: number;
  info: string;
}

function fenceOf(line: string): Fence | undefined {
  if (!/^ {0,3}```/.test(line.slice(0, 6))) return undefined;
  const start = line.indexOf('`');
  const end = nextWhere(line, start, (character) => character !== '`');
  const info = line.slice(end).trim();
  return info.includes('`') ? undefined : { ticks: end - start, indent: start, info };
}

/** Ends at a line that ends with at least as many backticks. Code can precede them, as people type in chat. */
function readCode(lines: string[], at: number, { ticks, indent, info }: Fence): Step {
  const end = nextLine(lines, at + 1, (line) => ticksBehind(line) >= ticks);
  const code = lines.slice(at + 1, end);
  const closing = (lines[end] ?? '').trimEnd();
  const last = closing.slice(0, closing.length - ticksBehind(closing));
  if (isText(last)) code.push(last);
  const text = code.map((line) => unindented(line, indent)).join('\n');
  const language = languageOf(info);
  return [{ type: 'code', language, text, ...(info !== language && { info }) }, end + 1];
}

function ticksBehind(line: string): number {
  const text = line.trimEnd();
  let ticks = 0;
  while (text[text.length - 1 - ticks] === '`') ticks++;
  return ticks;
}

/** The first word of the info, without additions of tools: `js:file.js`, `{.python}`. */
const languageOf = (info: string) =>
  /[\w+#-][\w+#.-]*/.exec(info.slice(0, 40).split(' ')[0] ?? '')?.[0] ?? '';

interface Title {
  level: number;
  text: string;
}

function titleOf(line: string): Title | undefined {
  const { at, column } = textFrom(line);
  const [marks = ''] = column > 3 ? [] : (/^#{1,6}(?=[ \t])/.exec(line.slice(at, at + 7)) ?? []);
  const text = withoutClosing(line.slice(at + marks.length).trim());
  return marks && text ? { level: marks.length, text } : undefined;
}

/** Removes closing marks, as in `# Title #`. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return isSpace(title.charAt(end - 1)) ? title.slice(0, end).trimEnd() : title;
}

const headingOf = ({ level, text }: Title, nodes: NodeBudget): MarkdownBlock => ({
  type: 'heading',
  level,
  children: readInlines(text, nodes),
});

/** True for a line of at least three `-`, `*` or `_`, all the same, with or without spaces between them. */
function isRule(line: string): boolean {
  const { at, column } = textFrom(line);
  const sign = line.charAt(at);
  if (column > 3 || !/[-*_]/.test(sign)) return false;
  const end = nextWhere(line, at, (character) => character !== sign && !isSpace(character));
  return end === line.length && line.slice(at).split(sign).length > 3;
}

const quoteOf = (line: string) => /^ {0,3}>[ \t]?/.exec(line.slice(0, 5))?.[0];

function readQuote(lines: string[], at: number, place: Place): Step {
  const end = nextLine(lines, at, (line) => !quoteOf(line));
  const quoted = lines.slice(at, end).map((line) => line.slice(quoteOf(line)?.length));
  return [
    { type: 'quote', children: readLines(quoted, { ...place, depth: place.depth + 1 }) },
    end,
  ];
}

interface Bullet {
  /** The character after the number, or `bullet`. */
  sign: ListSign;
  number?: number;
  /** The index at which its text starts; `indent` is the column. */
  at: number;
  indent: number;
  /** The column from which lines below belong to the item: two after its start, even if its number is wider. */
  reach: number;
}

function itemOf(line: string): Bullet | undefined {
  const lead = textFrom(line);
  if (lead.column > 3 || isRule(line)) return undefined;
  const [mark, digits, sign] =
    /^(?:[-*+]|(\d{1,9})([.)]))(?=[ \t])/.exec(line.slice(lead.at, lead.at + 11)) ?? [];
  if (mark === undefined) return undefined;
  const { length } = mark;
  const { at, column } = textFrom(line, { at: lead.at + length, column: lead.column + length });
  if (at === line.length || isSpace(line.charAt(at))) return undefined;
  const text = { at, indent: column, reach: Math.min(column, lead.column + 2) };
  return digits === undefined
    ? { ...text, sign: 'bullet' }
    : { ...text, sign: sign as ListSign, number: Number(digits) };
}

/** Each item keeps its number. A repeated number counts up, as in `1. 1. 1.` */
function readList(lines: string[], start: number, place: Place): Step {
  const items: Item[] = [];
  const first = itemOf(lines[start] ?? '');
  const sign = first?.sign ?? 'bullet';
  let [at, typed, number] = [start, -1, 0];
  for (let item = first; item?.sign === sign && place.nodes.left > 0;) {
    const end = endOfItem(lines, at + 1, item.reach);
    const [head = '', ...below] = lines.slice(at, end);
    const { done, text } = taskOf(head.slice(item.at));
    const within = [text, ...below.map((line) => unindented(line, item?.indent ?? 0))];
    const blocks = readLines(within, { ...place, depth: place.depth + 1 });
    number = item.number === typed ? number + 1 : (item.number ?? 0);
    typed = item.number ?? -1;
    items.push({
      blocks,
      ...(sign !== 'bullet' && { number }),
      ...(done !== undefined && { done }),
    });
    at = end;
    const next = nextLine(lines, end, isText);
    item = itemOf(lines[next] ?? '');
    if (item?.sign === sign) at = next;
  }
  return [{ type: 'list', sign, items }, at];
}

const isText = (line: string) => line.trim() !== '';

/** Returns the first line after the item. Empty lines belong to it if more of its text follows. */
function endOfItem(lines: string[], from: number, reach: number): number {
  for (let end = from; ;) {
    const next = nextLine(lines, end, isText);
    if (next === lines.length || textFrom(lines[next] ?? '').column < reach) return end;
    end = next + 1;
  }
}

function taskOf(text: string): { text: string; done?: boolean } {
  const [found, sign] = /^\[([ xX])\] (?=\S)/.exec(text.slice(0, 5)) ?? [];
  return found === undefined ? { text } : { text: text.slice(found.length), done: sign !== ' ' };
}

function readParagraph(lines: string[], at: number, { depth, nodes }: Place): Step {
  const startsBlock = (line: string, i: number) =>
    line.trim() === '' ||
    tableAt(line, lines[i + 1]) !== undefined ||
    fenceOf(line) !== undefined ||
    titleOf(line) !== undefined ||
    isRule(line) ||
    (depth < deepest && (quoteOf(line) ?? itemOf(line)) !== undefined);
  const end = nextLine(lines, at + 1, startsBlock);
  const text = lines.slice(at, end).join('\n');
  return [{ type: 'paragraph', children: readInlines(text, nodes) }, end];
}

function nextLine(
  lines: string[],
  from: number,
  isSo: (line: string, at: number) => boolean,
): number {
  let at = from;
  while (at < lines.length && !isSo(lines[at] ?? '', at)) at++;
  return at;
}
