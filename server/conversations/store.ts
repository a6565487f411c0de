import type { Conversation } from '../../shared/conversations.ts';
import { Op } from 'sequelize';
import { named, query, within, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { conversations, participants, type ConversationRow, type ParticipantRow } from './model.ts';

type Listed = Omit<Conversation, 'createdAt' | 'request' | 'requestedBy' | 'unanswered'> & {
  userId: string;
  createdAt: Date;
  requestedBy: string | null;
  unanswered: string[];
};

const toConversation = ({
  userId: _,
  createdAt,
  requestedBy,
  unanswered,
  ...row
}: Listed): Conversation => ({
  ...row,
  ...(requestedBy !== null && { request: true, requestedBy }),
  ...(unanswered.length > 0 && { unanswered }),
  createdAt: createdAt.toISOString(),
});

/** Conversations as one participant sees them. A participant who ignores a request does not see it. */
const listed = `select one.user_id as "userId", conversations.id, kind, name, creator_id as "creatorId",
    created_at as "createdAt", one.hidden_until as "hiddenUntil", one.version,
    one.requested_by as "requestedBy", array(
      select everyone.user_id::text from participants as everyone
      where everyone.conversation_id = conversations.id order by arrival
    ) as "participantIds", array(
      select asked.user_id::text from participants as asked
      where asked.conversation_id = conversations.id and asked.requested_by = one.user_id
      order by arrival
    ) as unanswered
  from participants as one join conversations on conversations.id = one.conversation_id and not one.ignored`;

const listedPage = named(
  `${listed} where one.user_id = $1 and ($2::uuid is null or conversations.id > $2)
   order by conversations.id limit $3`,
);

/** Ordered by id. Includes hidden ones. */
export async function findConversations(
  db: Db,
  userId: string,
  { after, limit }: Page = {},
): Promise<Conversation[]> {
  const rows = await query<Listed>(db, listedPage, [userId, after ?? null, limit ?? null]);
  return rows.map(toConversation);
}

/** Returns undefined if the person is not in it, or ignores it. */
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

export async function findForAll(db: Db, id: string): Promise<Map<string, Conversation>> {
  const rows = await query<Listed>(db, `${listed} where one.conversation_id = $1`, [id]);
  return new Map(rows.map((row) => [row.userId, toConversation(row)]));
}

export async function findPair(db: Db, a: string, b: string): Promise<string | undefined> {
  const row = await conversations(db).findOne({ where: inOrder(a, b), ...within(db) });
  return row?.get().id;
}

const inOrder = (a: string, b: string): Pick<ConversationRow, 'lowId' | 'highId'> =>
  a < b ? { lowId: a, highId: b } : { lowId: b, highId: a };

const kindsById = named(
  `select id, kind, low_id as "lowId", high_id as "highId"
   from conversations where id = any($1::uuid[])`,
);

export async function findKinds(
  db: Db,
  ids: string[],
): Promise<Pick<ConversationRow, 'id' | 'kind' | 'lowId' | 'highId'>[]> {
  if (ids.length === 0) return [];
  return query(db, kindsById, [ids]);
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

/** Deletes the conversation and its timeline. Its messages are deleted later. */
export async function deleteConversation(db: Db, id: string): Promise<void> {
  await conversations(db).destroy({ where: { id }, ...within(db) });
  await query(db, 'delete from rooms where id = $1', [id]);
}

/** Without people who ignore the conversation. */
export const participantIds = async (db: Db, conversationId: string): Promise<string[]> =>
  (
    await participants(db).findAll({ where: { conversationId, ignored: false }, ...within(db) })
  ).map((row) => row.get().userId);

export const findIdsOf = async (db: Db, userId: string): Promise<string[]> =>
  (await participants(db).findAll({ where: { userId, ignored: false }, ...within(db) })).map(
    (row) => row.get().conversationId,
  );

/** Includes ignored requests. */
export const findRequestsTo = async (db: Db, userId: string): Promise<string[]> =>
  (
    await participants(db).findAll({
      where: { userId, requestedBy: { [Op.not]: null } },
      ...within(db),
    })
  ).map((row) => row.get().conversationId);

export async function countUnanswered(db: Db, userId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from participants
     where requested_by = $1 and requested_at > now() - interval '7 days'`,
    [userId],
  );
  return row?.count ?? 0;
}

/** Records that a person left a group, so that adding them again is a request. */
export async function insertLeaver(db: Db, conversationId: string, userId: string): Promise<void> {
  await query(db, 'insert into group_leavers values ($1, $2) on conflict do nothing', [
    conversationId,
    userId,
  ]);
}

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

export async function updateParticipantState(
  db: Db,
  conversationId: string,
  userId: string,
  to: Partial<ParticipantState> & Pick<ParticipantRow, 'version'>,
): Promise<void> {
  await participants(db).update(to, { where: { conversationId, userId }, ...within(db) });
}

/** Inserts participants in the order in which they are listed. */
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

/** Stores the versions of the participants' own rooms that published the conversation. */
export async function updateVersions(
  db: Db,
  id: string,
  versions: Map<string, number>,
): Promise<void> {
  await query(
    db,
    `update participants set version = listed.version
     from unnest($2::uuid[], $3::bigint[]) as listed (user_id, version)
     where conversation_id = $1 and participants.user_id = listed.user_id`,
    [id, [...versions.keys()], [...versions.values()]],
  );
}
