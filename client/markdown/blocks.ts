/**
 * Reads a message as the Markdown that people know from chat: what CommonMark says, line by line, so that a
 * quote ends with its last `>`, a new line is a new line, and nothing that was typed disappears (no HTML,
 * no definitions, no indented code).
 */
import { readInlines } from './inlines.ts';
import type { Block } from './tree.ts';

/** Deeper than this, quotes and lists are text: nobody reads them, and somebody hostile writes them. */
const deepest = 5;

const fence = /^ {0,3}(`{3,})\s*([\w+#.-]*)\s*$/;
const heading = /^(#{1,3}) +(.*\S)/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])( +)(?=\S)/;

export function readMarkdown(text: string, depth = 0): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length;) {
    const [block, next] = readBlock(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

/** A block, and the line after it. */
type Step = [block: Block | undefined, next: number];

function readBlock(lines: string[], at: number, depth: number): Step {
  const line = lines[at] ?? '';
  if (line.trim() === '') return [undefined, at + 1];
  if (fence.test(line)) return readCode(lines, at);
  const title = heading.exec(line);
  if (title) return [headingOf(title), at + 1];
  if (depth < deepest && quote.test(line)) return readQuote(lines, at, depth);
  if (depth < deepest && item.test(line)) return readList(lines, at, depth);
  return readParagraph(lines, at, depth);
}

function headingOf([, marks = '', title = '']: RegExpExecArray): Block {
  return { type: 'heading', level: marks.length, children: readInlines(title) };
}

function readCode(lines: string[], at: number): Step {
  const [, marks = '', language = ''] = fence.exec(lines[at] ?? '') ?? [];
  const closes = (line: string) =>
    line.trim().startsWith(marks) && !line.trim().slice(marks.length);
  const end = nextLine(lines, at + 1, closes);
  return [{ type: 'code', language, text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function readQuote(lines: string[], at: number, depth: number): Step {
  const end = nextLine(lines, at, (line) => !quote.test(line));
  const text = lines.slice(at, end).map((line) => line.replace(quote, ''));
  return [{ type: 'quote', children: readMarkdown(text.join('\n'), depth + 1) }, end];
}

function readList(lines: string[], start: number, depth: number): Step {
  const kind = kindOf(lines[start]);
  const items: Block[][] = [];
  let at = start;
  for (let found = item.exec(lines[at] ?? ''); found; found = item.exec(lines[at] ?? '')) {
    if (kindOf(lines[at]) !== kind) break;
    const indent = found[0].length;
    const end = nextLine(lines, at + 1, (line) => !isWithin(line, indent));
    const [head = '', ...rest] = lines.slice(at, end);
    const text = [
      head.slice(indent),
      ...rest.map((line) => line.slice(Math.min(indent, spaces(line)))),
    ];
    items.push(readMarkdown(text.join('\n'), depth + 1));
    at = end;
  }
  const first = Number.parseInt(lines[start]?.trim() ?? '', 10);
  return [{ type: 'list', items, ...(Number.isNaN(first) ? {} : { first }) }, at];
}

const kindOf = (line = '') => (/^ *\d/.test(line) ? 'numbers' : 'bullets');
const spaces = (line: string) => line.length - line.trimStart().length;

/** Two spaces are enough for what belongs to an item, whatever the width of its number. */
const isWithin = (line: string, indent: number) =>
  line.trim() !== '' && spaces(line) >= Math.min(indent, 2);

function readParagraph(lines: string[], at: number, depth: number): Step {
  const startsBlock = (line: string) =>
    line.trim() === '' ||
    fence.test(line) ||
    heading.test(line) ||
    (depth < deepest && (quote.test(line) || item.test(line)));
  const end = nextLine(lines, at + 1, startsBlock);
  return [{ type: 'paragraph', children: readInlines(lines.slice(at, end).join('\n')) }, end];
}

/** The first line from here on that is so, or the end. */
function nextLine(lines: string[], from: number, isSo: (line: string) => boolean): number {
  const found = lines.slice(from).findIndex(isSo);
  return found < 0 ? lines.length : from + found;
}
