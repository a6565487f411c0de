/** The heading of a message: a day divider, the author, or nothing if it continues the previous message. */

const closeTogether = 5 * 60_000;

export interface GroupedMessage {
  authorId: string;
  at: number;
  deleted: boolean;
  message?: { kind?: unknown };
}

export function startsDay(said: GroupedMessage, before: GroupedMessage | undefined): boolean {
  return !before || new Date(said.at).toDateString() !== new Date(before.at).toDateString();
}

export function startsGroup(said: GroupedMessage, before: GroupedMessage | undefined): boolean {
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
