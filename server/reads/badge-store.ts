import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Badge } from '../../shared/reads.ts';
import { named, query, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { deletedAfter, withoutEmpty } from './store.ts';

/** True if the user was online when the message was sent. Sessions store their use only every few minutes. */
const wasHere = `exists (
  select from sessions where user_id = $1 and here_since <= calling.created_at
    and last_seen_at > calling.created_at - interval '15 minutes')`;

/** After a longer run of deleted messages a timeline counts as unread, so that the run is not walked to its end. */
const maxDeletedRun = 500;

/**
 * Finds a person's timelines first and then reads each by its id, so that the work grows with their number and not with
 * that of all rooms. Where `includesAll` is true, the badge has all deleted positions, not only the unread ones.
 */
const badgesIn = (timelines: string, includesAll = 'false') => `
  with mine as materialized (${timelines})
  select mine.id as "timelineId", last_position as last,
    case when unread.first is null then last_position
      when mark is null then unread.first - 1 else reads.position end as read,
    case when mark is not null and unread.first is not null
      then json_build_object('position', mark, 'version', mark_version) end as mark,
    ${deletedAfter('mine.id', `case when ${includesAll} then 0 when mark is null then coalesce(unread.first, last_position) else base.position end`)} as deleted,
    to_json(array(
      (select position from mentions
       where user_id = $1 and timeline_id = mine.id and position > coalesce(reads.position, 0)
       order by position desc limit $2)
      union
      (select position from messages as calling
       where timeline_id = mine.id and calls is not null and position > coalesce(reads.position, 0)
         and author_id <> $1 and (calls = 'everyone' or ${wasHere})
         and not exists (
           select from blocks where (user_id, blocked_id) in (($1, author_id), (author_id, $1)))
       order by position desc limit $2)
      order by position desc limit $2
    )) as mentions`;
const readPositionJoins = `
  cross join lateral (select last_position from rooms where rooms.id = mine.id offset 0) as rooms
  left join lateral (
    select position, mark, mark_version from reads
    where user_id = $1 and timeline_id = mine.id offset 0
  ) as reads on true
  cross join lateral (select least(coalesce(reads.position, 0), mark - 1) as position) as base
  cross join lateral (select coalesce(
    (select position from (
       select position, deleted_at from messages
       where timeline_id = mine.id and position > base.position and last_position > base.position
       order by position limit ${maxDeletedRun}) as next
     where deleted_at is null order by position limit 1),
    case when last_position > base.position + ${maxDeletedRun}
      then base.position + ${maxDeletedRun} + 1 end) as first) as unread`;
const onPage = 'where ($3::uuid is null or mine.id > $3)';

const unread = named(
  `${badgesIn(`
     select channels.id, channels.server_id from members
     join channels on channels.server_id = members.server_id
     left join channel_members as mine on mine.channel_id = channels.id and mine.user_id = members.user_id
     where members.user_id = $1 and (not private or mine.user_id is not null)`)},
     server_id as "serverId"
   from mine ${readPositionJoins} ${onPage} and unread.first is not null
   order by mine.id limit $4`,
);

export async function findUnread(
  db: Db,
  userId: string,
  { after, limit }: Page,
): Promise<(Badge & { timelineId: string })[]> {
  const bounds = [quotas.mentionsInBadge, after ?? null, limit ?? null];
  return (await query<BadgeRow>(db, unread, [userId, ...bounds])).map(withoutEmpty).map(toBadge);
}

type BadgeRow = Omit<Badge, 'mark'> & { timelineId: string; mark: Badge['mark'] | null };

const toBadge = <R extends BadgeRow>({ mark, ...badge }: R) => ({
  ...badge,
  ...(mark && { mark }),
});

/** A short request has all deleted positions, because clients hide it once all of its messages are deleted. */
const isShortRequest = `(requested_by is not null and last_position <= ${limits.requestMessages})`;

const conversationBadges = named(
  `${badgesIn(
    `select conversation_id as id, hidden_until, requested_by from participants
     where participants.user_id = $1 and not ignored`,
    isShortRequest,
  )},
     messages.created_at as at
   from mine ${readPositionJoins}
   join messages on messages.timeline_id = mine.id and messages.position = last_position
   ${onPage} and (last_position > coalesce(hidden_until, 0) or mark is not null)
   order by mine.id limit $4`,
);

/** Leaves out hidden conversations that have neither newer messages nor a mark. */
export async function findConversationBadges(
  db: Db,
  userId: string,
  { after, limit }: Page,
): Promise<(Badge & { timelineId: string })[]> {
  const rows = await query<Omit<BadgeRow, 'at'> & { at: Date }>(db, conversationBadges, [
    userId,
    quotas.mentionsInBadge,
    after ?? null,
    limit ?? null,
  ]);
  return rows.map(({ at, ...badge }) => ({
    ...toBadge(withoutEmpty(badge)),
    at: at.toISOString(),
  }));
}
