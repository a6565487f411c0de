/**
 * Reads a message as the Markdown that people know from chat: what CommonMark says, line by line, so that a
 * quote ends with its last `>`, a new line is a new line, and nothing that was typed disappears (no HTML,
 * no definitions, no indented code).
 *
 * Whoever may write may write anything, and all who are there read it: the work grows with the length of the
 * text and no faster (test/client/markdown-steps.test.ts). So no expression looks at more than a few characters.
 */
import { isSpace, nextWhere } from './ahead.ts';
import { readInlines } from './inlines.ts';
import { mostElements, type NodeBudget } from './node-budget.ts';
import { readTable, tableAt } from './tables.ts';
import type { MarkdownBlock, Item } from './tree.ts';

/** Deeper than this, quotes and lists are text: nobody reads them, and somebody hostile writes them. */
const deepest = 5;

export const readMarkdown = (text: string): MarkdownBlock[] =>
  readLines(text.split('\n'), { depth: 0, nodes: { left: mostElements } });

/** How deep the lines are nested, and how many nodes the message may still become. */
interface Place {
  depth: number;
  nodes: NodeBudget;
}

function readLines(lines: string[], place: Place): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const [block, next] = place.nodes.left <= 0 ? readRest(lines, at) : readBlock(lines, at, place);
    // With the item that it may stand in.
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

/** A block, and the line after it. */
export type Step = [block: MarkdownBlock | undefined, next: number];

function readBlock(lines: string[], at: number, place: Place): Step {
  const { depth, nodes } = place;
  const line = lines[at] ?? '';
  if (line.trim() === '') return [undefined, at + 1];
  const fence = fenceOf(line);
  if (fence) return readCode(lines, at, fence);
  const title = titleOf(line);
  if (title) return [headingOf(title, nodes), at + 1];
  const columns = tableAt(line, lines[at + 1]);
  if (columns) return readTable(lines, at, columns, nodes);
  if (depth < deepest && quoteOf(line)) return readQuote(lines, at, place);
  if (depth < deepest && itemOf(line)) return readList(lines, at, place);
  return readParagraph(lines, at, place);
}

interface Fence {
  marks: string;
  language: string;
}

function fenceOf(line: string): Fence | undefined {
  if (!/^ {0,3}```/.test(line.slice(0, 6))) return undefined;
  const text = line.trim();
  const end = nextWhere(text, 0, (character) => character !== '`');
  const language = text.slice(end).trim();
  const isName = nextWhere(language, 0, (sign) => !/[\w+#.-]/.test(sign)) === language.length;
  return isName ? { marks: text.slice(0, end), language } : undefined;
}

function readCode(lines: string[], at: number, { marks, language }: Fence): Step {
  const closes = (line: string) => line.trim() === marks;
  const end = nextLine(lines, at + 1, closes);
  return [{ type: 'code', language, text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

interface Title {
  level: number;
  text: string;
}

function titleOf(line: string): Title | undefined {
  const [, marks = ''] = /^(#{1,3}) /.exec(line.slice(0, 4)) ?? [];
  const start = nextWhere(line, marks.length, (character) => character !== ' ');
  const text = line.slice(start).trimEnd();
  return marks && text ? { level: marks.length, text } : undefined;
}

const headingOf = ({ level, text }: Title, nodes: NodeBudget): MarkdownBlock => ({
  type: 'heading',
  level,
  children: readInlines(text, nodes),
});

/** The mark of a quote, if the line begins with one. */
const quoteOf = (line: string) => /^ {0,3}> ?/.exec(line.slice(0, 5))?.[0];

function readQuote(lines: string[], at: number, place: Place): Step {
  const end = nextLine(lines, at, (line) => !quoteOf(line));
  const quoted = lines.slice(at, end).map((line) => line.slice(quoteOf(line)?.length));
  return [
    { type: 'quote', children: readLines(quoted, { ...place, depth: place.depth + 1 }) },
    end,
  ];
}

interface Bullet {
  /** The number it bears; without one it has a bullet. */
  number?: number;
  /** Where its text begins. */
  indent: number;
}

function itemOf(line: string): Bullet | undefined {
  const [found, digits] = /^ {0,3}(?:[-*+]|(\d{1,9})[.)]) /.exec(line.slice(0, 14)) ?? [];
  if (found === undefined) return undefined;
  const indent = nextWhere(line, found.length, (character) => character !== ' ');
  if (indent === line.length || isSpace(line.charAt(indent))) return undefined;
  return digits === undefined ? { indent } : { indent, number: Number(digits) };
}

function readList(lines: string[], start: number, place: Place): Step {
  const { number: first } = itemOf(lines[start] ?? '') ?? {};
  const items: Item[] = [];
  let at = start;
  for (let item = itemOf(lines[at] ?? ''); item; item = itemOf(lines[at] ?? '')) {
    if ((item.number === undefined) !== (first === undefined) || place.nodes.left <= 0) break;
    const { indent } = item;
    const end = nextLine(lines, at + 1, (line) => !isWithin(line, indent));
    const [head = '', ...rest] = lines.slice(at, end);
    const below = rest.map((line) => line.slice(Math.min(indent, spaces(line))));
    const { done, text } = taskOf(head.slice(indent));
    const blocks = readLines([text, ...below], { ...place, depth: place.depth + 1 });
    items.push(done === undefined ? { blocks } : { blocks, done });
    at = end;
  }
  return [{ type: 'list', items, ...(first === undefined ? {} : { first }) }, at];
}

/** `[ ]` or `[x]` before the text of an item makes it a task. */
function taskOf(text: string): { text: string; done?: boolean } {
  const [found, sign] = /^\[([ xX])\] (?=\S)/.exec(text.slice(0, 5)) ?? [];
  return found === undefined ? { text } : { text: text.slice(found.length), done: sign !== ' ' };
}

const spaces = (line: string) => line.length - line.trimStart().length;

/** Two spaces are enough for what belongs to an item, whatever the width of its number. */
const isWithin = (line: string, indent: number) =>
  line.trim() !== '' && spaces(line) >= Math.min(indent, 2);

function readParagraph(lines: string[], at: number, { depth, nodes }: Place): Step {
  const startsBlock = (line: string, i: number) =>
    line.trim() === '' ||
    tableAt(line, lines[i + 1]) !== undefined ||
    fenceOf(line) !== undefined ||
    titleOf(line) !== undefined ||
    (depth < deepest && (quoteOf(line) ?? itemOf(line)) !== undefined);
  const end = nextLine(lines, at + 1, startsBlock);
  const text = lines.slice(at, end).join('\n');
  return [{ type: 'paragraph', children: readInlines(text, nodes) }, end];
}

/** The first line from here on that is so, or the end. */
function nextLine(
  lines: string[],
  from: number,
  isSo: (line: string, at: number) => boolean,
): number {
  let at = from;
  while (at < lines.length && !isSo(lines[at] ?? '', at)) at++;
  return at;
}
