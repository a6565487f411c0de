import { quotas } from '../../shared/quotas.ts';
import type { Conversation } from '../../shared/conversations.ts';
import { named, query, within, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { conversations, participants, type ConversationRow, type ParticipantRow } from './model.ts';

type Listed = Omit<Conversation, 'createdAt' | 'request' | 'requestedBy'> & {
  userId: string;
  createdAt: Date;
  requestedBy: string | null;
};

const toConversation = ({ userId: _, createdAt, requestedBy, ...row }: Listed): Conversation => ({
  ...row,
  ...(requestedBy !== null && { request: true, requestedBy }),
  createdAt: createdAt.toISOString(),
});

/** Conversations as one participant sees them. An ignored request is not visible to the participant who ignores it. */
const listed = `select one.user_id as "userId", conversations.id, kind, name, creator_id as "creatorId",
    created_at as "createdAt", one.hidden_until as "hiddenUntil", one.version,
    one.requested_by as "requestedBy", array(
      select everyone.user_id::text from participants as everyone
      where everyone.conversation_id = conversations.id order by arrival
    ) as "participantIds"
  from participants as one join conversations on conversations.id = one.conversation_id and not one.ignored`;

const listedPage = named(
  `${listed} where one.user_id = $1 and ($2::uuid is null or conversations.id > $2)
   order by conversations.id limit $3`,
);

/** A person's conversations by id, hidden ones too. */
export async function findConversations(
  db: Db,
  userId: string,
  { after, limit }: Page = {},
): Promise<Conversation[]> {
  const rows = await query<Listed>(db, listedPage, [userId, after ?? null, limit ?? null]);
  return rows.map(toConversation);
}

/** Undefined if the person is no participant. */
export async function findConversation(
  db: Db,
  id: string,
  userId: string,
): Promise<Conversation | undefined> {
  const [row] = await query<Listed>(
    db,
    `${listed} where one.conversation_id = $1 and one.user_id = $2`,
    [id, userId],
  );
  return row && toConversation(row);
}

/** A conversation as each participant sees it, by the participant's id. */
export async function findForAll(db: Db, id: string): Promise<Map<string, Conversation>> {
  const rows = await query<Listed>(db, `${listed} where one.conversation_id = $1`, [id]);
  return new Map(rows.map((row) => [row.userId, toConversation(row)]));
}

/** The id of the conversation of these two, if there is one. */
export async function findPair(db: Db, a: string, b: string): Promise<string | undefined> {
  const row = await conversations(db).findOne({ where: inOrder(a, b), ...within(db) });
  return row?.get().id;
}

const inOrder = (a: string, b: string): Pick<ConversationRow, 'lowId' | 'highId'> =>
  a < b ? { lowId: a, highId: b } : { lowId: b, highId: a };

/** The kinds of those conversations that exist, with the two participants of a pair. */
export async function findKinds(
  db: Db,
  ids: string[],
): Promise<Pick<ConversationRow, 'id' | 'kind' | 'lowId' | 'highId'>[]> {
  if (ids.length === 0) return [];
  return query(
    db,
    `select id, kind, low_id as "lowId", high_id as "highId"
     from conversations where id = any($1::uuid[])`,
    [ids],
  );
}

export async function insertConversation(
  db: Db,
  {
    between,
    ...conversation
  }: Pick<ConversationRow, 'id' | 'name' | 'creatorId'> & { between?: [string, string] },
): Promise<void> {
  const kind = between === undefined ? 'group' : 'pair';
  const two = between === undefined ? {} : inOrder(...between);
  await conversations(db).create({ ...conversation, kind, ...two }, within(db));
}

export async function renameConversation(db: Db, id: string, name: string | null): Promise<void> {
  await conversations(db).update({ name }, { where: { id }, ...within(db) });
}

/** Deletes the conversation and its timeline. The messages are deleted later, in the background. */
export async function deleteConversation(db: Db, id: string): Promise<void> {
  await conversations(db).destroy({ where: { id }, ...within(db) });
  await query(db, 'delete from rooms where id = $1', [id]);
}

/** Without those who ignore the conversation. */
export const participantIds = async (db: Db, conversationId: string): Promise<string[]> =>
  (
    await participants(db).findAll({ where: { conversationId, ignored: false }, ...within(db) })
  ).map((row) => row.get().userId);

export const findIdsOf = async (db: Db, userId: string): Promise<string[]> =>
  (await participants(db).findAll({ where: { userId, ignored: false }, ...within(db) })).map(
    (row) => row.get().conversationId,
  );

export interface Participation extends Pick<ParticipantRow, 'userId' | 'conversationId'> {
  otherId: string | null;
  /** True if the other participant is a former guest, who cannot return. */
  isOver: boolean;
  isRequest: boolean;
}

/** Which of these people are in these conversations, and for pairs the other participant; with one statement. */
export const findParticipations = (
  db: Db,
  pairs: { userId: string; conversationId: string }[],
): Promise<Participation[]> =>
  query(
    db,
    `select participants.user_id as "userId", conversation_id as "conversationId",
       other.id as "otherId", other.ended_at is not null as "isOver",
       requested_by is not null as "isRequest"
     from participants
     join conversations on conversations.id = conversation_id
     join unnest($1::uuid[], $2::uuid[]) as wanted (user_id, id)
       on participants.user_id = wanted.user_id and conversation_id = wanted.id and not ignored
     left join users as other
       on other.id = case participants.user_id when low_id then high_id else low_id end`,
    [pairs.map(({ userId }) => userId), pairs.map(({ conversationId }) => conversationId)],
  );

/**
 * Counts the conversations of each of these people, and the requests that wait for their answer. A pair without
 * messages, or with few messages that are all deleted, counts for ten minutes only, because the person cannot see it
 * and so cannot make room.
 */
export async function countFor(
  db: Db,
  userIds: string[],
): Promise<{ userId: string; own: number; requests: number }[]> {
  return query(
    db,
    `select user_id as "userId", count(*) filter (where requested_by is null)::int as own,
       count(*) filter (where requested_by is not null and not ignored
         and (conversations.kind <> 'pair' or last_position > ${quotas.requestMessages}
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

/** How many of a person's requests of the last week were not answered. */
export async function countUnanswered(db: Db, userId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from participants
     where requested_by = $1 and requested_at > now() - interval '7 days'`,
    [userId],
  );
  return row?.count ?? 0;
}

/** Records that a person left a group: they must be asked before they can be added again. */
export async function insertLeaver(db: Db, conversationId: string, userId: string): Promise<void> {
  await query(db, 'insert into group_leavers values ($1, $2) on conflict do nothing', [
    conversationId,
    userId,
  ]);
}

/** Which of these people have left the group. */
export async function findLeavers(
  db: Db,
  conversationId: string,
  userIds: string[],
): Promise<string[]> {
  const rows = await query<{ userId: string }>(
    db,
    `select user_id as "userId" from group_leavers
     where conversation_id = $1 and user_id = any($2::uuid[])`,
    [conversationId, userIds],
  );
  return rows.map(({ userId }) => userId);
}

export async function deleteLeaver(db: Db, conversationId: string, userId: string): Promise<void> {
  await query(db, 'delete from group_leavers where conversation_id = $1 and user_id = $2', [
    conversationId,
    userId,
  ]);
}

/** What a conversation is for one of its participants: hidden, a request, ignored. */
export async function findParticipantState(
  db: Db,
  conversationId: string,
  userId: string,
): Promise<ParticipantState | undefined> {
  const row = await participants(db).findOne({ where: { conversationId, userId }, ...within(db) });
  return row?.get();
}

export type ParticipantState = Pick<
  ParticipantRow,
  'hiddenUntil' | 'requestedBy' | 'requestedAt' | 'ignored'
>;

/** Changes it, at this version of the participant’s own room. */
export async function updateParticipantState(
  db: Db,
  conversationId: string,
  userId: string,
  to: Partial<ParticipantState> & Pick<ParticipantRow, 'version'>,
): Promise<void> {
  await participants(db).update(to, { where: { conversationId, userId }, ...within(db) });
}

const partnersAmong = named(
  `select mine.user_id as "userId", theirs.user_id as "otherId", bool_and(kind = 'pair') as "isPair"
   from participants as mine
   join participants as theirs on theirs.conversation_id = mine.conversation_id
   join conversations on conversations.id = mine.conversation_id
   where mine.user_id = any($1::uuid[]) and theirs.user_id = any($2::uuid[])
     and mine.user_id <> theirs.user_id and mine.requested_by is null and theirs.requested_by is null
   group by mine.user_id, theirs.user_id`,
);

/** Which of `userIds` and `otherIds` share a conversation that is no request. `isPair`: only one of two people. */
export const findPartnersAmong = (
  db: Db,
  userIds: string[],
  otherIds: string[],
): Promise<{ userId: string; otherId: string; isPair: boolean }[]> =>
  query(db, partnersAmong, [userIds, otherIds]);

/** Everyone who shares a conversation with this person. */
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

/** Inserts participants in this order, in which they are listed. */
export async function insertParticipants(db: Db, rows: ParticipantRow[]): Promise<void> {
  await participants(db).bulkCreate(rows, within(db));
}

export async function deleteParticipant(
  db: Db,
  conversationId: string,
  userId: string,
): Promise<void> {
  await participants(db).destroy({ where: { conversationId, userId }, ...within(db) });
}

/** Stores the versions of the participants' own rooms at which they were told of the conversation. */
export async function updateVersions(
  db: Db,
  id: string,
  versions: Map<string, number>,
): Promise<void> {
  await query(
    db,
    `update participants set version = told.version
     from unnest($2::uuid[], $3::bigint[]) as told (user_id, version)
     where conversation_id = $1 and participants.user_id = told.user_id`,
    [id, [...versions.keys()], [...versions.values()]],
  );
}
