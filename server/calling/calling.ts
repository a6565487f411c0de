/**
 * Who hears that everyone is called. Nobody is counted one by one: whoever reads their badges finds the messages that
 * call (reads/store.ts), and those who are connected are told of them with what was said there.
 */
import type { Message } from '../../shared/messages.ts';
import { blockedUserIds } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import type { Mentioned } from '../mentions/mentions.ts';

/** By position: whether everyone is called there now, or no longer. */
export type Called = Record<string, boolean>;

/**
 * What these messages, which were otherwise before or not there, change for everyone, by timeline. Puts right among who
 * is mentioned singly: whoever is apart from the author is not called, and nobody is let go who is called with all.
 */
export async function tellCalls(
  db: Db,
  changed: readonly Message[],
  before: ReadonlyMap<string, Message>,
  mentions: Map<string, Mentioned>,
): Promise<Map<string, Called>> {
  const timelines = new Map<string, Called>();
  for (const { id, timelineId, position, authorId, calls } of changed) {
    if (calls === undefined && before.get(id)?.calls === undefined) continue;
    timelines.set(timelineId, { ...timelines.get(timelineId), [position]: calls !== undefined });
    if (calls === undefined) continue;
    const people = mentions.get(timelineId) ?? {};
    for (const positions of Object.values(people))
      if (positions[position] === false) positions[position] = true;
    for (const userId of await blockedUserIds(db, authorId))
      people[userId] = { ...people[userId], [position]: false };
    mentions.set(timelineId, people);
  }
  return timelines;
}
