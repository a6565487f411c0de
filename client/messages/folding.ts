/** Folds messages of blocked users: each run of them becomes one row until the user shows them. */
import type { MessageItem } from './lines.ts';

/** Has the id and position of the run's last line, so that loading older messages does not change them. */
export interface Fold extends MessageItem {
  folded: MessageItem[];
}

export const isFold = (line: MessageItem | Fold): line is Fold => 'folded' in line;

/** A run ends before a day divider and before the divider of new messages, so that both keep their place. */
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
