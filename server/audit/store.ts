import type { AuditAction, AuditEntry, AuditPersonField } from '../../shared/audit.ts';
import { query, type Db } from '../database/database.ts';

export interface NewEntry {
  action: AuditAction;
  actorId: string | null;
  serverId: string | null;
  userId: string | null;
  subjectId: string | null;
  detail: string | null;
  address: string | null;
}

/** A null actor counts entries without one. With `userId`, counts only entries about that user. */
export async function countSince(
  db: Db,
  { actorId, action }: Pick<NewEntry, 'actorId' | 'action'>,
  since: string,
  userId: string | null,
): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from audit
     where actor_id ${actorId === null ? 'is null and $1::uuid is null' : '= $1'}
       and action = $2 and at >= $3 and ($4::uuid is null or user_id = $4)`,
    [actorId, action, since, userId],
  );
  return row?.count ?? 0;
}

export async function countSinceEach(
  db: Db,
  action: AuditAction,
  actorIds: string[],
  since: string,
): Promise<Map<string, number>> {
  const rows = await query<{ actorId: string; count: number }>(
    db,
    `select actor_id as "actorId", count(*)::int as count from audit
     where actor_id = any($1::uuid[]) and action = $2 and at >= $3 group by actor_id`,
    [[...new Set(actorIds)], action, since],
  );
  return new Map(rows.map(({ actorId, count }) => [actorId, count]));
}

/** An entry to write. If one with the same fold exists, its count is raised instead. */
export interface EntryToWrite extends NewEntry {
  fold: string | null;
  count: number;
}

/** Writes entries with one statement. Their folds must differ. */
export async function insertEntries(db: Db, entries: EntryToWrite[]): Promise<void> {
  await query(
    db,
    `insert into audit (action, actor_id, server_id, user_id, subject_id, detail, address, fold, count)
     select action, "actorId", "serverId", "userId", "subjectId", detail, address, fold, count
     from jsonb_to_recordset($1::jsonb) as entry (action text, "actorId" uuid, "serverId" uuid,
       "userId" uuid, "subjectId" uuid, detail text, address text, fold text, count int)
     on conflict (fold) do update set count = audit.count + excluded.count, last_at = clock_timestamp()`,
    [JSON.stringify(entries)],
  );
}

interface EntryRow extends NewEntry {
  id: number;
  at: Date;
  lastAt: Date;
  count: number;
}

/** The entries of one server, or of all, with ids from `from` up to, but not including, `before`. */
interface Range {
  serverId?: string | undefined;
  before: number;
  from: number;
}

export interface Filter {
  actions?: AuditAction[] | undefined;
  personId?: string | undefined;
  as?: AuditPersonField | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

const inRange = `from audit
  where ($1::uuid is null or server_id = $1) and id < $2 and id >= $3
  order by id desc limit $4`;

/** The newest entries that match, among the `searched` newest of the range. */
export async function findEntries(
  db: Db,
  { serverId, before, from }: Range,
  { actions, personId, as, since, until }: Filter,
  { searched, limit }: { searched: number; limit: number },
): Promise<(AuditEntry & { address: string | null })[]> {
  const rows = await query<EntryRow>(
    db,
    `select id, action, actor_id as "actorId", server_id as "serverId", user_id as "userId",
       subject_id as "subjectId", detail, address, at, last_at as "lastAt", count
     from (select * ${inRange}) as searched
     where ($5::text[] is null or action = any($5))
       and ($6::uuid is null or (actor_id = $6 and $7::text is distinct from 'target')
         or (user_id = $6 and $7 is distinct from 'actor'))
       and ($8::timestamptz is null or last_at >= $8) and ($9::timestamptz is null or at < $9)
     order by id desc limit $10`,
    [
      ...[serverId ?? null, before, from, searched],
      ...[actions ?? null, personId ?? null, as ?? null, since ?? null, until ?? null, limit],
    ],
  );
  return rows.map(({ at, lastAt, ...row }) => {
    return { ...row, at: at.toISOString(), lastAt: lastAt.toISOString() };
  });
}

/** The oldest of the `searched` newest entries of the range. Undefined if there are fewer. */
export async function findSearchedTo(
  db: Db,
  { serverId, before, from }: Range,
  searched: number,
): Promise<number | undefined> {
  const [found] = await query<{ many: number; last: number }>(
    db,
    `select count(*)::int as many, min(id) as last from (select id ${inRange}) as searched`,
    [serverId ?? null, before, from, searched],
  );
  return found?.many === searched ? found.last : undefined;
}

/** The id of the first entry at or after a time. Undefined if there is none. */
export async function findFirstSince(db: Db, at: string): Promise<number | undefined> {
  const [found] = await query<{ id: number }>(
    db,
    'select id from audit where at >= $1 order by at limit 1',
    [at],
  );
  return found?.id;
}

export async function deleteExpired(db: Db, days: number, limit: number): Promise<number> {
  const gone = await query(
    db,
    `delete from audit where id in (select id from audit order by id limit $1)
       and at < now() - make_interval(days => $2) returning id`,
    [limit, days],
  );
  return gone.length;
}
