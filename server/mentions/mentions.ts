/** Mentions: stored by the flush that stores the messages, for people who can see them. */
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import {
  deleteMentions,
  deleteMentionsOf,
  deleteMentionsIn,
  insertMentions,
  type Mention,
} from './store.ts';

/** By user id and position: whether the person is mentioned there now. */
export type Mentioned = Record<string, Record<string, boolean>>;

/**
 * Stores whom these messages mention, replacing earlier mentions of edited ones. Returns the changes by timeline.
 * Nobody mentions themselves.
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

/** Deletes up to `most` mentions at these positions of an ended timeline. Returns how many it deleted. */
export const sweepMentions = (
  db: Db,
  stretch: { timelineId: string; after: number; upTo: number },
  most: number,
): Promise<number> => deleteMentionsIn(db, stretch, most);

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

/** Deletes all mentions of a person, in batches, because there may be many. */
export async function forgetMentionsOf(db: Db, userId: string): Promise<void> {
  const most = 1_000;
  while ((await deleteMentionsOf(db, userId, most)) === most);
}
