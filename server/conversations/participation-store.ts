import { limits } from '../../shared/limits.ts';
import { named, query, type Db } from '../database/database.ts';

export interface Participation {
  userId: string;
  conversationId: string;
  otherId: string | null;
  /** True if the other participant is a former guest, who cannot return. */
  isOver: boolean;
  isRequest: boolean;
  /** True for a pair without messages that the other participant neither received as a request nor has opened. */
  isUnused: boolean;
}

const participationsOf = named(
  `select participants.user_id as "userId", conversation_id as "conversationId",
     other.id as "otherId", other.ended_at is not null as "isOver",
     requested_by is not null as "isRequest",
     last_position = 0 and exists (
       select from participants as theirs
       where theirs.conversation_id = conversations.id and theirs.user_id = other.id
         and theirs.hidden_until = 0 and theirs.requested_by is null
     ) as "isUnused"
   from participants
   join conversations on conversations.id = conversation_id
   join rooms on rooms.id = conversation_id
   join unnest($1::uuid[], $2::uuid[]) as wanted (user_id, id)
     on participants.user_id = wanted.user_id and conversation_id = wanted.id and not ignored
   left join users as other
     on other.id = case participants.user_id when low_id then high_id else low_id end`,
);

/** Without ignored requests. For pairs, includes the other participant. */
export const findParticipations = (
  db: Db,
  pairs: { userId: string; conversationId: string }[],
): Promise<Participation[]> =>
  query(db, participationsOf, [
    pairs.map(({ userId }) => userId),
    pairs.map(({ conversationId }) => conversationId),
  ]);

/**
 * `own`: conversations that are no requests. A request in a pair without messages, or with only a few deleted ones,
 * counts for ten minutes only, because the recipient cannot see it and so cannot make room.
 */
export async function countFor(
  db: Db,
  userIds: string[],
): Promise<{ userId: string; own: number; requests: number }[]> {
  return query(
    db,
    `select user_id as "userId",
       count(*) filter (where requested_by is null and (
         conversations.kind <> 'pair' or hidden_until is null or last_position > hidden_until))::int as own,
       count(*) filter (where requested_by is not null and not ignored
         and (conversations.kind <> 'pair' or last_position > ${limits.requestMessages}
           or requested_at > now() - interval '10 minutes'
           or exists (select from messages
             where timeline_id = conversation_id and deleted_at is null)))::int as requests
     from participants
     join conversations on conversations.id = conversation_id
     join rooms on rooms.id = conversation_id
     where user_id = any($1::uuid[]) group by user_id`,
    [userIds],
  );
}

const partnersAmong = named(
  `select mine.user_id as "userId", theirs.user_id as "otherId", bool_and(kind = 'pair') as "isPair"
   from participants as mine
   join participants as theirs on theirs.conversation_id = mine.conversation_id
   join conversations on conversations.id = mine.conversation_id
   where mine.user_id = any($1::uuid[]) and theirs.user_id = any($2::uuid[])
     and mine.user_id <> theirs.user_id and mine.requested_by is null and theirs.requested_by is null
     and (kind <> 'pair' or theirs.hidden_until is distinct from 0
       or exists (select from rooms where rooms.id = conversations.id and last_position > 0)
       or exists (select from members as one join members as other using (server_id)
         where one.user_id = mine.user_id and other.user_id = theirs.user_id))
   group by mine.user_id, theirs.user_id`,
);

/**
 * Pairs of `userIds` and `otherIds` in a common conversation that is no request. Without a shared server, a pair counts
 * only once the other person has received a message in it or opened it. `isPair`: they share no group.
 */
export const findPartnersAmong = (
  db: Db,
  userIds: string[],
  otherIds: string[],
): Promise<{ userId: string; otherId: string; isPair: boolean }[]> =>
  query(db, partnersAmong, [userIds, otherIds]);

export async function findPartners(db: Db, userId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `select distinct others.user_id as id from participants as mine
     join participants as others on others.conversation_id = mine.conversation_id
     where mine.user_id = $1 and others.user_id <> $1`,
    [userId],
  );
  return rows.map(({ id }) => id);
}
