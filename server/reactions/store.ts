import { quotas } from '../../shared/quotas.ts';
import { query, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import type { PositionRange } from '../messages/part.ts';

export interface Reacted {
  messageId: string;
  emoji: string;
  userId: string;
}

const keyOf = ({ messageId, emoji, userId }: Reacted) => `${messageId} ${emoji} ${userId}`;

const asArrays = (reactions: readonly Reacted[]) => [
  reactions.map(({ messageId }) => messageId),
  reactions.map(({ emoji }) => emoji),
  reactions.map(({ userId }) => userId),
];

export async function findReactions(
  db: Db,
  reactions: readonly Reacted[],
): Promise<(reaction: Reacted) => boolean> {
  const found = await query<Reacted>(
    db,
    `select message_id as "messageId", emoji, user_id as "userId"
     from reactions join unnest($1::uuid[], $2::text[], $3::uuid[]) as wanted (message_id, emoji, user_id)
       using (message_id, emoji, user_id)`,
    asArrays(reactions),
  );
  const stored = new Set(found.map(keyOf));
  return (reaction) => stored.has(keyOf(reaction));
}

/** Deletes the removed reactions, then inserts the added ones in their order. */
export async function writeReactions(
  db: Db,
  changes: readonly (Reacted & { on: boolean })[],
): Promise<void> {
  const last = new Map(changes.map((change) => [keyOf(change), change]));
  const off = changes.filter(({ on }) => !on);
  // A reaction that was removed and added again is the latest.
  const on = changes.filter((change) => change.on && last.get(keyOf(change)) === change);
  if (off.length > 0)
    await query(
      db,
      `delete from reactions using unnest($1::uuid[], $2::text[], $3::uuid[]) as gone (message_id, emoji, user_id)
       where reactions.message_id = gone.message_id and reactions.emoji = gone.emoji
         and reactions.user_id = gone.user_id`,
      asArrays(off),
    );
  if (on.length > 0)
    await query(
      db,
      `insert into reactions (message_id, emoji, user_id)
       select message_id, emoji, user_id
       from unnest($1::uuid[], $2::text[], $3::uuid[]) with ordinality as added (message_id, emoji, user_id, place)
       order by place`,
      asArrays(on),
    );
}

/** Returns the first people of each of these reactions, by message and emoji. */
export async function findFirst(
  db: Db,
  kinds: readonly Pick<Reacted, 'messageId' | 'emoji'>[],
): Promise<Map<string, string[]>> {
  if (kinds.length === 0) return new Map();
  const found = await query<Pick<Reacted, 'messageId' | 'emoji'> & { userIds: string[] }>(
    db,
    `select kind.message_id as "messageId", kind.emoji, array(
       select user_id from reactions
       where reactions.message_id = kind.message_id and reactions.emoji = kind.emoji
       order by seq limit $3) as "userIds"
     from unnest($1::uuid[], $2::text[]) as kind (message_id, emoji)`,
    [kinds.map(({ messageId }) => messageId), kinds.map(({ emoji }) => emoji), quotas.reactors],
  );
  return new Map(found.map(({ messageId, emoji, userIds }) => [`${messageId} ${emoji}`, userIds]));
}

export async function findReactors(
  db: Db,
  { messageId, emoji }: Pick<Reacted, 'messageId' | 'emoji'>,
  { after, limit }: Page,
): Promise<string[]> {
  const found = await query<Pick<Reacted, 'userId'>>(
    db,
    `select user_id as "userId" from reactions
     where message_id = $1 and emoji = $2 and ($3::uuid is null or user_id > $3)
     order by user_id limit $4`,
    [messageId, emoji, after ?? null, limit ?? null],
  );
  return found.map(({ userId }) => userId);
}

export const findOwn = (
  db: Db,
  userId: string,
  timelineId: string,
  messageIds: readonly string[],
): Promise<{ messageId: string; emoji: string[] }[]> =>
  query(
    db,
    `select message_id as "messageId", array_agg(emoji order by seq) as emoji
     from reactions join messages on messages.id = message_id
     where message_id = any($1::uuid[]) and timeline_id = $2 and reactions.user_id = $3
       and deleted_at is null
     group by message_id`,
    [messageIds, timelineId, userId],
  );

export async function deleteReactions(
  db: Db,
  { timelineId, after, upTo }: PositionRange,
  limit: number,
): Promise<number> {
  const deleted = await query(
    db,
    `delete from reactions where ctid = any (array(
       select reactions.ctid from reactions join messages on messages.id = reactions.message_id
       where timeline_id = $1 and position > $2 and position <= $3 limit $4))
     returning 1 as one`,
    [timelineId, after, upTo, limit],
  );
  return deleted.length;
}
