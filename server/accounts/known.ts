/** Who may know who somebody is that is named by an id: anybody may write any id. */
import { query, type Db } from '../database/database.ts';

/** Those of these people who are where that timeline is, have read there, or were mentioned there when they could see it. */
export const findKnown = (
  db: Db,
  calls: { timelineId: string; userId: string }[],
): Promise<{ timelineId: string; userId: string }[]> =>
  query(
    db,
    `select distinct timeline_id as "timelineId", user_id as "userId"
     from unnest($1::uuid[], $2::uuid[]) as called (timeline_id, user_id)
     where exists (select 1 from channels join members using (server_id)
                   where channels.id = called.timeline_id and members.user_id = called.user_id)
       or exists (select 1 from participants
                  where conversation_id = called.timeline_id and participants.user_id = called.user_id)
       or exists (select 1 from reads
                  where reads.timeline_id = called.timeline_id and reads.user_id = called.user_id)
       or exists (select 1 from mentions
                  where mentions.timeline_id = called.timeline_id and mentions.user_id = called.user_id)`,
    [calls.map(({ timelineId }) => timelineId), calls.map(({ userId }) => userId)],
  );

/** Whether one of these people could have seen the other: where both are, where the other was, or between the two. */
export async function haveMet(db: Db, userId: string, otherId: string): Promise<boolean> {
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
    [userId, otherId],
  );
  return rows.length > 0;
}
