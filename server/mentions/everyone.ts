import { blockedUserIdsOf } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import type { StoredBatch } from '../messages/part.ts';
import type { Mentioned } from './mentions.ts';

/** By position: true if the message mentions everyone now, false if no longer. */
type EveryoneByPosition = Record<string, boolean>;

/**
 * Returns, by timeline, where messages mention everyone, or no longer do. Corrects `mentions`: a block with the author
 * excludes a person, and everyone includes a person whose own mention was removed.
 */
export async function everyoneMentioned(
  db: Db,
  { reworded, before }: Pick<StoredBatch, 'reworded' | 'before'>,
  mentions: Map<string, Mentioned>,
): Promise<Map<string, EveryoneByPosition>> {
  const timelines = new Map<string, EveryoneByPosition>();
  const callers = reworded.filter(({ fields }) => fields.calls !== undefined);
  const apart = await blockedUserIdsOf(
    db,
    callers.map(({ authorId }) => authorId),
  );
  for (const { id, timelineId, position, authorId, fields } of reworded) {
    const { calls } = fields;
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
