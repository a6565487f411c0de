/** Access to names and profiles. An id alone gives no access, because any message can contain any id. */
import { named, query, type Db } from '../database/database.ts';

const visibleOf = named(
  `select distinct timeline_id as "timelineId", user_id as "userId"
   from unnest($1::uuid[], $2::uuid[]) as named (timeline_id, user_id)
   where exists (select 1 from channels join members using (server_id)
                 where channels.id = named.timeline_id and members.user_id = named.user_id)
     or exists (select 1 from participants
                where conversation_id = named.timeline_id and participants.user_id = named.user_id)
     or exists (select 1 from reads
                where reads.timeline_id = named.timeline_id and reads.user_id = named.user_id)
     or exists (select 1 from mentions
                where mentions.timeline_id = named.timeline_id and mentions.user_id = named.user_id)`,
);

/** Readers see current members, people with a read position, and people mentioned while they could see the timeline. */
export const findVisible = (
  db: Db,
  users: { timelineId: string; userId: string }[],
): Promise<{ timelineId: string; userId: string }[]> =>
  query(db, visibleOf, [
    users.map(({ timelineId }) => timelineId),
    users.map(({ userId }) => userId),
  ]);

/** True by a shared server, conversation or friendship, the other’s request or read position, or the asker’s block. */
export async function canSee(db: Db, askerId: string, otherId: string): Promise<boolean> {
  const rows = await query(
    db,
    `select 1 from members as mine join members as theirs using (server_id)
       where mine.user_id = $1 and theirs.user_id = $2
     union all select 1 from participants as mine join participants as theirs using (conversation_id)
       where mine.user_id = $1 and theirs.user_id = $2
     union all select 1 from members join channels using (server_id) join reads on timeline_id = channels.id
       where members.user_id = $1 and reads.user_id = $2
     union all select 1 from friend_requests where sender_id = $2 and recipient_id = $1
     union all select 1 from friendships where user_id = $1 and friend_id = $2
     union all select 1 from blocks where user_id = $1 and blocked_id = $2
     limit 1`,
    [askerId, otherId],
  );
  return rows.length > 0;
}
