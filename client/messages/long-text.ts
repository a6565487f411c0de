/** Messages with more lines are folded; this is about three screens of a phone. */
const maxLines = 60;
const shownLines = 30;

/** The first lines of a long body, and the number of all its lines; undefined if the body is not long. */
export function beginningOf(body: string): { beginning: string; lines: number } | undefined {
  let [lines, end] = [1, 0];
  for (let at = body.indexOf('\n'); at >= 0; at = body.indexOf('\n', at + 1)) {
    if (lines === shownLines) end = at;
    lines += 1;
  }
  return lines > maxLines ? { beginning: body.slice(0, end), lines } : undefined;
}
