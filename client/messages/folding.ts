/** Joins a run of messages into one row: of blocked users until this user shows them, and of deleted messages. */
import { reuser, type MessageItem } from './lines.ts';

/** Has the id and position of the run's last line, so that loading older messages does not change them. */
export interface Fold extends MessageItem {
  folded: MessageItem[];
}

type Line = MessageItem | Fold;

export const isFold = (line: Line): line is Fold => 'folded' in line;

/** A run ends before a day divider and before the divider of new messages, so that both keep their place. */
export const foldLines = (
  lines: readonly MessageItem[],
  hides: (line: MessageItem) => boolean,
): Line[] =>
  joinRuns(
    lines.map((line) => (hides(line) ? { ...line, folded: [line] } : line)),
    (last, line) => {
      if (!isFold(last) || !isFold(line)) return false;
      // Changed in place, because a copy for each line would be quadratic. Nothing else refers to this array.
      last.folded.push(...line.folded);
      return { folded: last.folded };
    },
  );

const reused = reuser();

/** Joins consecutive messages that the same moderator deleted, for example after a raid. */
export const joinDeleted = (lines: readonly Line[]): Line[] =>
  joinRuns(
    lines,
    (last, line) =>
      last.deleted &&
      line.deleted &&
      !isFold(last) &&
      !isFold(line) &&
      last.message?.deletedBy === line.message?.deletedBy && {
        deletedCount: (last.deletedCount ?? 1) + 1,
      },
  ).map((line) => (line.deletedCount ? reused(line) : line));

/** `join` returns fields of the joined row, or false if the lines stay apart. */
function joinRuns(
  lines: readonly Line[],
  join: (last: Line, line: Line) => Partial<Fold> | false,
): Line[] {
  const shown: Line[] = [];
  for (const line of lines) {
    const last = shown.at(-1);
    const more = last && !line.startsDay && !line.startsNew && join(last, line);
    if (more) {
      const { startsDay, startsNew } = last;
      shown.splice(-1, 1, { ...line, startsDay, startsNew, ...more });
    } else shown.push(line);
  }
  return shown;
}
