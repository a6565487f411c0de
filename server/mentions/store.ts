import { named, query, type Db } from '../database/database.ts';

export interface Mention {
  userId: string;
  timelineId: string;
  position: number;
}

type MessageRef = Pick<Mention, 'timelineId' | 'position'>;

const inserting = named(
  `insert into mentions (user_id, timeline_id, position)
   select * from unnest($1::uuid[], $2::uuid[], $3::bigint[])`,
);

export async function insertMentions(db: Db, mentions: Mention[]): Promise<void> {
  if (mentions.length === 0) return;
  await query(db, inserting, [
    mentions.map(({ userId }) => userId),
    mentions.map(({ timelineId }) => timelineId),
    mentions.map(({ position }) => position),
  ]);
}

const deleting = named(
  `delete from mentions using unnest($1::uuid[], $2::bigint[]) as message (timeline_id, position)
   where mentions.timeline_id = message.timeline_id and mentions.position = message.position
   returning user_id as "userId", mentions.timeline_id as "timelineId", mentions.position`,
);

export async function deleteMentions(db: Db, messages: MessageRef[]): Promise<Mention[]> {
  if (messages.length === 0) return [];
  return query<Mention>(db, deleting, [
    messages.map(({ timelineId }) => timelineId),
    messages.map(({ position }) => position),
  ]);
}

export async function deleteMentionsOf(db: Db, userId: string, limit: number): Promise<number> {
  const deleted = await query(
    db,
    `delete from mentions where user_id = $1 and (timeline_id, position) in (
       select timeline_id, position from mentions where user_id = $1 limit $2
     ) returning position`,
    [userId, limit],
  );
  return deleted.length;
}

export async function deleteMentionsIn(
  db: Db,
  { timelineId, after, upTo }: { timelineId: string; after: number; upTo: number },
  limit: number,
): Promise<number> {
  const deleted = await query(
    db,
    `delete from mentions where ctid = any (array(
       select ctid from mentions
       where timeline_id = $1 and position > $2 and position <= $3 limit $4))
     returning 1 as one`,
    [timelineId, after, upTo, limit],
  );
  return deleted.length;
}
