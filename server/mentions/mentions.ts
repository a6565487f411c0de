/** Who is mentioned: kept by the flush that stores the words, for those who can see them. */
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import {
  deleteMentions,
  deleteMentionsOf,
  deleteSome,
  insertMentions,
  type Mention,
} from './store.ts';

/** By person and position: mentioned there now, or no longer. */
export type Mentioned = Record<string, Record<string, boolean>>;

/**
 * Keeps whom these messages mention now, in place of whom the rewritten ones did. Answers, by timeline, with
 * what that changes for whom. Nobody mentions themselves.
 */
export async function keepMentions(
  db: Db,
  changed: Message[],
  isNew: (message: Message) => boolean,
  called: (message: Message) => string[],
): Promise<Map<string, Mentioned>> {
  const before = await deleteMentions(
    db,
    changed.filter((message) => !isNew(message)),
  );
  const now = changed.flatMap((message) =>
    called(message)
      .filter((userId) => userId !== message.authorId)
      .map((userId): Mention => ({ ...placeOf(message), userId })),
  );
  await insertMentions(db, now);
  return byTimeline(before, now);
}

/** Deletes up to `most` of those in these positions of a timeline that has ended. Returns how many it were. */
export const sweepMentions = (
  db: Db,
  stretch: { timelineId: string; after: number; upTo: number },
  most: number,
): Promise<number> => deleteSome(db, stretch, most);

const placeOf = ({ timelineId, position }: Message) => ({ timelineId, position });

function byTimeline(before: Mention[], now: Mention[]): Map<string, Mentioned> {
  const timelines = new Map<string, Mentioned>();
  const note = ({ timelineId, userId, position }: Mention, isMentioned: boolean) => {
    const people = timelines.get(timelineId) ?? {};
    (people[userId] ??= {})[position] = isMentioned;
    timelines.set(timelineId, people);
  };
  for (const mention of before) note(mention, false);
  for (const mention of now) note(mention, true);
  return timelines;
}

/** Forgets where somebody is mentioned, some at a time: anybody may have done it often. */
export async function forgetMentionsOf(db: Db, userId: string): Promise<void> {
  const most = 1_000;
  while ((await deleteMentionsOf(db, userId, most)) === most);
}
