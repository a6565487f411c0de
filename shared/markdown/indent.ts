/** Measures indentation in columns. A tab advances to the next multiple of four. */

interface Stop {
  at: number;
  column: number;
}

const afterTab = (column: number) => column + 4 - (column % 4);

export function textFrom(line: string, { at, column }: Stop = { at: 0, column: 0 }): Stop {
  for (; line[at] === ' ' || line[at] === '\t'; at++)
    column = line[at] === '\t' ? afterTab(column) : column + 1;
  return { at, column };
}

/** Removes up to `maxColumns` columns of indentation. The rest of a partly removed tab becomes spaces. */
export function unindented(line: string, maxColumns: number): string {
  let [at, column] = [0, 0];
  for (; column < maxColumns && (line[at] === ' ' || line[at] === '\t'); at++)
    column = line[at] === '\t' ? afterTab(column) : column + 1;
  return ' '.repeat(Math.max(0, column - maxColumns)) + line.slice(at);
}
