/** Tables as on GitHub: a line of heads, a line of dashes with the alignments of the columns, and rows. */
import { readInlines } from './inlines.ts';
import type { NodeBudget } from './node-budget.ts';
import type { Alignment, Inline, MarkdownBlock } from './tree.ts';

const maxColumns = 20;
const maxRows = 100;
/** Enough for the dashes of `maxColumns` columns. A longer line is text. */
const longestDashes = maxColumns * 12;

export function tableAt(head: string, dashes: string | undefined): Alignment[] | undefined {
  if (dashes === undefined || dashes.length > longestDashes) return undefined;
  if (!dashes.includes('-') || !dashes.includes('|') || !head.includes('|')) return undefined;
  const columns = cellsOf(dashes, maxColumns + 1);
  if (columns.length > maxColumns || !columns.every((cell) => /^:?-{1,40}:?$/.test(cell)))
    return undefined;
  const heads = cellsOf(head, maxColumns + 1);
  return heads.length === columns.length ? columns.map(alignmentOf) : undefined;
}

function alignmentOf(dashes: string): Alignment {
  if (!dashes.endsWith(':')) return 'start';
  return dashes.startsWith(':') ? 'center' : 'end';
}

/** Short rows are not filled up. */
export function readTable(
  lines: readonly string[],
  at: number,
  columns: Alignment[],
  nodes: NodeBudget,
): [block: MarkdownBlock, next: number] {
  const readRow = (line = '') => {
    const cells = cellsOf(line, columns.length);
    nodes.left -= 1 + cells.length;
    return cells.map((cell) => readInlines(cell, nodes));
  };
  const head = readRow(lines[at]);
  const rows: Inline[][][] = [];
  let end = at + 2;
  for (; lines[end]?.includes('|') && rows.length < maxRows && nodes.left > 0; end++)
    rows.push(readRow(lines[end]));
  return [{ type: 'table', columns, head, rows }, end];
}

/** Splits a line into at most `maxCells` cells. A bar after a backslash is text. */
function cellsOf(line: string, maxCells: number): string[] {
  const text = line.trim();
  const cells: string[] = [];
  let cell = '';
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length && cells.length < maxCells; at++) {
    if (text[at] === '\\' && text[at + 1] === '|') {
      cell += '|';
      at++;
    } else if (text[at] === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += text.charAt(at);
  }
  if (!text.endsWith('|') && cells.length < maxCells) cells.push(cell.trim());
  return cells;
}
