/** What those say whom I block is folded away: each run of it is one line, until somebody wants to read it. */
import type { Line } from './lines.ts';

/** Stands where the last line of its run does: what is loaded before that changes neither its id nor its place. */
export interface Fold extends Line {
  folded: Line[];
}

export const isFold = (line: Line | Fold): line is Fold => 'folded' in line;

/** A new day, and what is new, keep their place: a run ends before them. */
export function foldLines(lines: readonly Line[], hides: (line: Line) => boolean): (Line | Fold)[] {
  const shown: (Line | Fold)[] = [];
  for (const line of lines) {
    const last = shown.at(-1);
    if (!hides(line)) shown.push(line);
    else if (last && isFold(last) && !line.startsDay && !line.startsNew)
      shown.splice(-1, 1, foldOf([...last.folded, line]));
    else shown.push(foldOf([line]));
  }
  return shown;
}

function foldOf(folded: Line[]): Fold {
  const [first, last] = [folded[0], folded.at(-1)] as [Line, Line];
  return { ...last, startsDay: first.startsDay, startsNew: first.startsNew, folded };
}
