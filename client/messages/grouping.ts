/** What stands above a message: a new day, its author's name, or nothing because it goes on from the last. */

const closeTogether = 5 * 60_000;

export interface Said {
  authorId: string;
  at: number;
  deleted: boolean;
  /** What it is, if nobody wrote it. */
  message?: { kind?: unknown };
}

export function startsDay(said: Said, before: Said | undefined): boolean {
  return !before || new Date(said.at).toDateString() !== new Date(before.at).toDateString();
}

export function startsGroup(said: Said, before: Said | undefined): boolean {
  return (
    !before ||
    startsDay(said, before) ||
    before.authorId !== said.authorId ||
    said.at - before.at > closeTogether ||
    before.deleted ||
    before.message?.kind !== undefined ||
    said.deleted
  );
}
