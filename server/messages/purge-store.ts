/** Queries for purges: deletions of one author's messages in a server, with their progress. */
import type { Account } from '../../shared/accounts.ts';
import { query, type Db } from '../database/database.ts';

export interface PurgeKey {
  serverId: string;
  authorId: string;
}

/** Purges of one server with the same moderator and progress, so that one search serves all of them. */
export interface PurgeSearch {
  serverId: string;
  byId: string;
  scopes: Account['scopes'] | null;
  /** `since` and `until` are text of PostgreSQL, because a `Date` would lose the microseconds. */
  authors: readonly { authorId: string; since: string; until: string }[];
  /** The channel that is being searched. Null before the first. */
  channelId: string | null;
  /** The search continues before this position. Null before the first channel. */
  before: number | null;
}

const maxAuthors = 200;

/** Stores a purge of the last `seconds`. One under way restarts and covers both periods. Returns the start. */
export async function savePurge(
  db: Db,
  { serverId, authorId }: PurgeKey,
  { id, scopes }: Pick<Account, 'id' | 'scopes'>,
  seconds: number,
): Promise<Date> {
  const [row] = await query<{ since: Date }>(
    db,
    `insert into purges (server_id, author_id, by_id, scopes, since, until)
     select $1, $2, $3, $4, now - make_interval(secs => $5), now from clock_timestamp() as now
     on conflict (server_id, author_id) do update set by_id = excluded.by_id,
       scopes = excluded.scopes, since = least(purges.since, excluded.since),
       until = excluded.until, channel_id = null, before = null, due = excluded.due
     returning since`,
    [serverId, authorId, id, scopes === undefined ? null : JSON.stringify(scopes), seconds],
  );
  if (row === undefined) throw new Error('a purge was not stored');
  return row.since;
}

/**
 * Claims the purge that is due first, and those that share its search, for a minute. If this node ends in the meantime,
 * another node takes over then.
 */
export async function takePurges(db: Db): Promise<PurgeSearch | undefined> {
  const [search] = await query<PurgeSearch>(
    db,
    `with first as (
       select * from purges where due <= clock_timestamp() order by due limit 1 for update skip locked
     ), chosen as (
       select purges.server_id, purges.author_id from purges join first using (server_id, by_id)
       where purges.due <= clock_timestamp() and purges.scopes is not distinct from first.scopes
         and purges.channel_id is not distinct from first.channel_id
         and purges.before is not distinct from first.before
       limit $1 for update of purges skip locked
     ), taken as (
       update purges set due = clock_timestamp() + interval '1 minute' from chosen
       where (purges.server_id, purges.author_id) = (chosen.server_id, chosen.author_id)
       returning purges.*
     )
     select server_id as "serverId", by_id as "byId", scopes, channel_id as "channelId", before,
       json_agg(json_build_object(
         'authorId', author_id, 'since', since::text, 'until', until::text)) as authors
     from taken group by server_id, by_id, scopes, channel_id, before`,
    [maxAuthors],
  );
  return search;
}

export interface PurgeSlice {
  channelId: string;
  messageIds: string[];
  before: number;
}

/** Reads up to `limit` messages of a channel, newest first, and returns those to delete. Undefined after the last. */
export async function findSlice(
  db: Db,
  { serverId, authors, channelId, before }: PurgeSearch,
  limit: number,
): Promise<PurgeSlice | undefined> {
  const [slice] = await query<PurgeSlice>(
    db,
    `with channel as (
       select channels.id, case when channels.id = $2 then $3::bigint end as before from channels
       where server_id = $1 and ($2::uuid is null or channels.id > $2 or channels.id = $2 and $3 > 1)
       order by channels.id limit 1
     ), slice as (
       select messages.* from channel cross join lateral (
         select id, author_id, position, created_at, deleted_at from messages
         where timeline_id = channel.id and (channel.before is null or position < channel.before)
         order by position desc limit $7
       ) as messages
     ), purge as (
       select * from unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[])
         as purge (author_id, since, until)
     )
     select channel.id as "channelId",
       array(select id from slice join purge using (author_id)
         where deleted_at is null and created_at between since and until) as "messageIds",
       (select case when min(created_at) >= (select min(since) from purge)
         then min(position) else 0 end from slice) as before
     from channel`,
    [serverId, channelId, before, ...columnsOf(authors), limit],
  );
  return slice;
}

/** Stores the progress, unless a purge was started again in the meantime. */
export async function notePurges(
  db: Db,
  { serverId, authors }: PurgeSearch,
  { channelId, before }: PurgeSlice,
): Promise<void> {
  const [authorIds, , untils] = columnsOf(authors);
  await query(
    db,
    `update purges set channel_id = $4, before = $5, due = clock_timestamp()
     where server_id = $1 and ${isTaken}`,
    [serverId, authorIds, untils, channelId, before],
  );
}

export async function deletePurges(db: Db, { serverId, authors }: PurgeSearch): Promise<void> {
  const [authorIds, , untils] = columnsOf(authors);
  await query(db, `delete from purges where server_id = $1 and ${isTaken}`, [
    ...[serverId, authorIds, untils],
  ]);
}

/** Compares `until` as well, so that a purge that was started again stays. */
const isTaken = '(author_id, until) in (select * from unnest($2::uuid[], $3::timestamptz[]))';

const columnsOf = (authors: PurgeSearch['authors']) =>
  [
    authors.map(({ authorId }) => authorId),
    authors.map(({ since }) => since),
    authors.map(({ until }) => until),
  ] as const;
