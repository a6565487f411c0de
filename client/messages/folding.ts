/** What those say whom I block is folded away: each run of it is one line, until somebody wants to read it. */
import type { MessageItem } from './lines.ts';

/** Stands where the last line of its run does: what is loaded before that changes neither its id nor its place. */
export interface Fold extends MessageItem {
  folded: MessageItem[];
}

export const isFold = (line: MessageItem | Fold): line is Fold => 'folded' in line;

/** A new day, and what is new, keep their place: a run ends before them. */
export function foldLines(
  lines: readonly MessageItem[],
  hides: (line: MessageItem) => boolean,
): (MessageItem | Fold)[] {
  const shown: (MessageItem | Fold)[] = [];
  for (const line of lines) {
    const last = shown.at(-1);
    if (!hides(line)) shown.push(line);
    else if (last && isFold(last) && !line.startsDay && !line.startsNew)
      shown.splice(-1, 1, foldOf([...last.folded, line]));
    else shown.push(foldOf([line]));
  }
  return shown;
}

function foldOf(folded: MessageItem[]): Fold {
  const [first, last] = [folded[0], folded.at(-1)] as [MessageItem, MessageItem];
  return { ...last, startsDay: first.startsDay, startsNew: first.startsNew, folded };
}
