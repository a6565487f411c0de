/** Queries for purges: deletions of one author's messages in a server, with their progress. */
import type { Account } from '../../shared/accounts.ts';
import { query, type Db } from '../database/database.ts';

export interface PurgeKey {
  serverId: string;
  authorId: string;
}

export interface Purge extends PurgeKey {
  byId: string;
  scopes: Account['scopes'] | null;
  /** `since` and `until` are text of PostgreSQL, because a `Date` would lose the microseconds. */
  since: string;
  until: string;
  /** The channel that is being searched. Null before the first. */
  channelId: string | null;
  /** The search continues before this position. Null before the first channel. */
  before: number | null;
}

const columns = `server_id as "serverId", author_id as "authorId", by_id as "byId", scopes,
  since::text as since, until::text as until, channel_id as "channelId", before`;

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

/** Claims a purge for a minute. If this node ends in the meantime, another node takes over then. */
export async function takePurge(db: Db): Promise<Purge | undefined> {
  const [purge] = await query<Purge>(
    db,
    `update purges set due = clock_timestamp() + interval '1 minute'
     where (server_id, author_id) = (
       select server_id, author_id from purges where due <= clock_timestamp()
       order by due limit 1 for update skip locked)
     returning ${columns}`,
  );
  return purge;
}

export interface PurgeSlice {
  channelId: string;
  messageIds: string[];
  before: number;
}

/** Reads up to `limit` messages of a channel, newest first, and returns those to delete. Undefined after the last. */
export async function findSlice(
  db: Db,
  { serverId, authorId, since, until, channelId, before }: Purge,
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
     )
     select channel.id as "channelId",
       array(select id from slice where author_id = $4 and deleted_at is null
         and created_at between $5 and $6) as "messageIds",
       (select case when min(created_at) >= $5 then min(position) else 0 end from slice) as before
     from channel`,
    [serverId, channelId, before, authorId, since, until, limit],
  );
  return slice;
}

/** Stores the progress, unless the purge was started again in the meantime. */
export async function notePurge(
  db: Db,
  { serverId, authorId, until }: Purge,
  { channelId, before }: PurgeSlice,
): Promise<void> {
  await query(
    db,
    `update purges set channel_id = $4, before = $5, due = clock_timestamp()
     where server_id = $1 and author_id = $2 and until = $3`,
    [serverId, authorId, until, channelId, before],
  );
}

export async function deletePurge(db: Db, { serverId, authorId, until }: Purge): Promise<void> {
  await query(db, 'delete from purges where server_id = $1 and author_id = $2 and until = $3', [
    serverId,
    authorId,
    until,
  ]);
}
