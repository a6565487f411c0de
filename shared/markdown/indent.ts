/** Indentation is measured in columns: a tab goes to the next multiple of four. */

/** A place in a line, and its column. */
interface Stop {
  at: number;
  column: number;
}

const afterTab = (column: number) => column + 4 - (column % 4);

/** Where the spaces and tabs from this place on end. */
export function textFrom(line: string, { at, column }: Stop = { at: 0, column: 0 }): Stop {
  for (; line[at] === ' ' || line[at] === '\t'; at++)
    column = line[at] === '\t' ? afterTab(column) : column + 1;
  return { at, column };
}

/** The line without up to `most` columns of its indentation. What is left of a tab becomes spaces. */
export function unindented(line: string, most: number): string {
  let [at, column] = [0, 0];
  for (; column < most && (line[at] === ' ' || line[at] === '\t'); at++)
    column = line[at] === '\t' ? afterTab(column) : column + 1;
  return ' '.repeat(Math.max(0, column - most)) + line.slice(at);
}
