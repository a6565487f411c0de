/** Tables as GitHub has them: a line of heads, a line of dashes that says how columns are aligned, and rows. */
import { readInlines } from './inlines.ts';
import type { Alignment, MarkdownBlock } from './tree.ts';

/** More columns nobody reads. */
const mostColumns = 20;
/** A line of dashes for as many columns: what is longer is text. */
const longestDashes = mostColumns * 12;

/** How the columns of a table are aligned that begins with this line; undefined if none does. */
export function tableAt(head: string, dashes: string | undefined): Alignment[] | undefined {
  if (dashes === undefined || dashes.length > longestDashes) return undefined;
  if (!dashes.includes('-') || !dashes.includes('|') || !head.includes('|')) return undefined;
  const columns = cellsOf(dashes, mostColumns + 1);
  if (columns.length > mostColumns || !columns.every((cell) => /^:?-{1,40}:?$/.test(cell)))
    return undefined;
  const heads = cellsOf(head, mostColumns + 1);
  return heads.length === columns.length ? columns.map(alignmentOf) : undefined;
}

function alignmentOf(dashes: string): Alignment {
  if (!dashes.endsWith(':')) return 'start';
  return dashes.startsWith(':') ? 'center' : 'end';
}

/** The table that begins at this line, and the line after it. */
export function readTable(
  lines: readonly string[],
  at: number,
  columns: Alignment[],
): [block: MarkdownBlock, next: number] {
  let end = at + 2;
  while (lines[end]?.includes('|')) end++;
  const readRow = (line: string) => {
    const cells = cellsOf(line, columns.length);
    return columns.map((_, i) => readInlines(cells[i] ?? ''));
  };
  const [head = '', , ...rows] = lines.slice(at, end);
  return [{ type: 'table', columns, head: readRow(head), rows: rows.map(readRow) }, end];
}

/** What stands between the bars of a line, at most so many cells. A bar behind a backslash is text. */
function cellsOf(line: string, most: number): string[] {
  const text = line.trim();
  const cells: string[] = [];
  let cell = '';
  for (let at = text.startsWith('|') ? 1 : 0; at < text.length && cells.length < most; at++) {
    if (text[at] === '\\' && text[at + 1] === '|') {
      cell += '|';
      at++;
    } else if (text[at] === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += text.charAt(at);
  }
  if (!text.endsWith('|') && cells.length < most) cells.push(cell.trim());
  return cells;
}
