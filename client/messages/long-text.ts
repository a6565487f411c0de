/** Messages of very many lines, which show their beginning until somebody wants the rest. */

/** About three screens of a phone. */
const mostLines = 60;
const shownLines = 30;

/** The beginning of a body of too many lines, and their number; undefined for others. */
export function beginningOf(body: string): { beginning: string; lines: number } | undefined {
  let [lines, end] = [1, 0];
  for (let at = body.indexOf('\n'); at >= 0; at = body.indexOf('\n', at + 1)) {
    if (lines === shownLines) end = at;
    lines += 1;
  }
  return lines > mostLines ? { beginning: body.slice(0, end), lines } : undefined;
}
