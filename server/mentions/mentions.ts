/** Mentions of people. A mention counts only if the person can see the message. */
import { mentionedIn } from '../../shared/mentions.ts';
import { blockedPairs } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import type { Draft, StoredBatch } from '../messages/part.ts';
import { findPeople } from '../people/people.ts';
import { deleteMentions, deleteMentionsOf, insertMentions, type Mention } from './store.ts';

/** By user id and position: whether the person is mentioned there now. */
export type Mentioned = Record<string, Record<string, boolean>>;

/**
 * Replaces the mentions of these messages. Returns the changes by timeline. A mention of oneself does not count. An edit
 * keeps the mention of a person who has left, or later readers would not get their name.
 */
export async function storeMentions(
  db: Db,
  { reworded, before, readRights }: StoredBatch,
): Promise<Map<string, Mentioned>> {
  const [earlier, named] = await Promise.all([
    deleteMentions(
      db,
      reworded.filter(({ id }) => before.has(id)),
    ),
    countedMentions(db, reworded.flatMap(mentionsOf), readRights),
  ]);
  const stored = new Set(earlier.map(keyOf));
  await insertMentions(
    db,
    named.filter((mention) => mention.canSee || stored.has(keyOf(mention))),
  );
  return byTimeline(
    earlier,
    named.filter(({ canSee }) => canSee),
  );
}

const keyOf = ({ timelineId, position, userId }: Mention) => `${timelineId} ${position} ${userId}`;

function mentionsOf({ timelineId, position, authorId, body, fields }: Draft) {
  const { replyTo } = fields;
  const answered = replyTo === undefined || replyTo.silent ? [] : [replyTo.authorId];
  return [...new Set([...mentionedIn(body), ...answered])]
    .filter((userId) => userId !== authorId)
    .map((userId) => ({ timelineId, position, authorId, userId }));
}

/** Leaves out people who block the author or are blocked by them. `canSee`: the person can see the timeline. */
async function countedMentions(
  db: Db,
  mentions: (Mention & { authorId: string })[],
  readRights: StoredBatch['readRights'],
): Promise<(Mention & { canSee: boolean })[]> {
  if (mentions.length === 0) return [];
  const [people, isApart] = await Promise.all([
    findPeople(
      db,
      mentions.map(({ userId }) => userId),
    ),
    blockedPairs(
      db,
      mentions.map(({ authorId, userId }) => [authorId, userId] as const),
    ),
  ]);
  const claims = mentions.flatMap((mention) => {
    const user = people[mention.userId];
    const isCounted = user !== undefined && !isApart(mention.authorId, user.id);
    return isCounted ? [{ ...mention, user }] : [];
  });
  const rightsOf = await readRights(claims);
  return claims.map((claim) => ({ ...claim, canSee: rightsOf(claim).has('see') }));
}

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

export const mentionEnding: Ending = {
  async account({ db }, { id }) {
    // In batches, because there can be many.
    const limit = 1_000;
    while ((await deleteMentionsOf(db, id, limit)) === limit);
  },
};
