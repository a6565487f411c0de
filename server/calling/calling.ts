/**
 * Messages that mention everyone (@everyone, @here). No row is written for each person: badges find these messages by a
 * query (reads/store.ts), and connected clients are told of them with the activity.
 */
import type { Message } from '../../shared/messages.ts';
import { blockedUserIdsOf } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import type { Mentioned } from '../mentions/mentions.ts';

/** By position: true if the message mentions everyone now, false if no longer. */
export type CallsByPosition = Record<string, boolean>;

/**
 * Returns, by timeline, where these new or edited messages mention everyone, or no longer do. It also corrects
 * `mentions`: people with a block between them and the author are not mentioned, and people whose own mention was
 * removed still are, with everyone.
 */
export async function callsByTimeline(
  db: Db,
  changed: readonly Message[],
  before: ReadonlyMap<string, Message>,
  mentions: Map<string, Mentioned>,
): Promise<Map<string, CallsByPosition>> {
  const timelines = new Map<string, CallsByPosition>();
  const callers = changed.filter(({ calls }) => calls !== undefined);
  const apart = await blockedUserIdsOf(
    db,
    callers.map(({ authorId }) => authorId),
  );
  for (const { id, timelineId, position, authorId, calls } of changed) {
    if (calls === undefined && before.get(id)?.calls === undefined) continue;
    timelines.set(timelineId, { ...timelines.get(timelineId), [position]: calls !== undefined });
    if (calls === undefined) continue;
    const people = mentions.get(timelineId) ?? {};
    for (const positions of Object.values(people))
      if (positions[position] === false) positions[position] = true;
    for (const userId of apart.get(authorId) ?? [])
      people[userId] = { ...people[userId], [position]: false };
    mentions.set(timelineId, people);
  }
  return timelines;
}
