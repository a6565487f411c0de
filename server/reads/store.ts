import { quotas } from '../../shared/quotas.ts';
import type { Marking, Positions, ReadPosition } from '../../shared/reads.ts';
import { named, query, type Db } from '../database/database.ts';

const forwardOnly = `on conflict (user_id, timeline_id) do update
  set position = greatest(reads.position, excluded.position)`;
/** Also removes the mark. */
const forwardAndUnmark = `${forwardOnly}, mark = null`;

// Locks the room, so that a timeline that is deleted concurrently gets no read position.
const advancing = named(
  `insert into reads (user_id, timeline_id, position)
   select $1, id, least($3, last_position) from rooms
   where id = $2 and least($3, last_position) > 0 for key share ${forwardOnly} returning position`,
);

/** Moves one person's read position forward, at most to the last message. Returns the stored position. */
export async function advanceOne(
  db: Db,
  userId: string,
  timelineId: string,
  position: number,
): Promise<number> {
  const bind = [userId, timelineId, position];
  const [row] = await query<{ position: number }>(db, advancing, bind);
  return row?.position ?? 0;
}

export const deletedAfter = (timelineId: string, position: string) => `to_json(array(
  select position from messages
  where timeline_id = ${timelineId} and deleted_at is not null and position > ${position}
  order by position desc limit ${quotas.deletedInBadge}))`;

export function withoutEmpty<R extends { deleted?: number[] | undefined }>(row: R): R {
  if (row.deleted?.length === 0) delete row.deleted;
  return row;
}

/** No effect for a person who has read nothing: all is unread for them. Undefined if there is no such timeline. */
export async function setMark(
  db: Db,
  userId: string,
  timelineId: string,
  position: number | null,
): Promise<Omit<Marking, 'serverId'> | undefined> {
  const [marking] = await query<Omit<Marking, 'serverId'>>(
    db,
    `with changed as (
       update reads set mark_version = mark_version + 1,
         mark = (select least($3, last_position) from rooms where id = $2 and $3 is not null)
       where user_id = $1 and timeline_id = $2 returning mark, mark_version
     )
     select mark as position, coalesce(mark_version, 0) as version, last_position as last,
       ${deletedAfter('$2', 'mark - 1')} as deleted
     from rooms left join changed on true where id = $2`,
    [userId, timelineId, position],
  );
  return marking && withoutEmpty(marking);
}

const advancingEach = named(
  `insert into reads (user_id, timeline_id, position)
   select * from unnest($1::uuid[], $2::uuid[], $3::bigint[]) order by 1, 2 ${forwardOnly}`,
);

/** Each pair of ids occurs at most once. The rows are locked in one order, so that no deadlock occurs. */
export async function advancePositions(
  db: Db,
  readings: (ReadPosition & { userId: string })[],
): Promise<void> {
  if (readings.length === 0) return;
  await query(db, advancingEach, [
    readings.map(({ userId }) => userId),
    readings.map(({ timelineId }) => timelineId),
    readings.map(({ position }) => position),
  ]);
}

const inServer = named(
  `insert into reads (user_id, timeline_id, position)
   select $1, rooms.id, last_position from channels join rooms on rooms.id = channels.id
   where server_id = $2 and not private and last_position > 0 order by 2 ${forwardAndUnmark}
   returning timeline_id as "timelineId", position`,
);

export const advanceInServer = (
  db: Db,
  userId: string,
  serverId: string,
): Promise<ReadPosition[]> => query(db, inServer, [userId, serverId]);

/** A person who was added to a timeline. */
export interface Admitted {
  timelineId: string;
  userId: string;
}

export const advanceMany = (
  db: Db,
  admitted: readonly Admitted[],
): Promise<(Admitted & { position: number })[]> =>
  query(
    db,
    `insert into reads (user_id, timeline_id, position)
     select user_id, id, last_position from rooms
     join unnest($1::uuid[], $2::uuid[]) as admitted (timeline_id, user_id) on timeline_id = id
     where last_position > 0 order by 1, 2 ${forwardAndUnmark}
     returning user_id as "userId", timeline_id as "timelineId", position`,
    [admitted.map(({ timelineId }) => timelineId), admitted.map(({ userId }) => userId)],
  );

export async function advanceToEnd(
  db: Db,
  userId: string,
  timelineId: string,
): Promise<Omit<Marking, 'serverId'> | undefined> {
  const [marking] = await query<Omit<Marking, 'serverId'>>(
    db,
    `insert into reads (user_id, timeline_id, position)
     select $1, id, last_position from rooms where id = $2 and last_position > 0
     ${forwardAndUnmark}, mark_version = reads.mark_version + 1
     returning mark as position, mark_version as version, reads.position as last`,
    [userId, timelineId],
  );
  return marking;
}

export async function advanceAll(
  db: Db,
  { serverId, timelineId, except }: { serverId: string; timelineId: string; except: string[] },
): Promise<void> {
  await query(
    db,
    `insert into reads (user_id, timeline_id, position)
     select user_id, id, last_position from rooms, members
     where id = $2 and last_position > 0 and server_id = $1 and user_id <> all ($3::uuid[])
     order by 1 ${forwardAndUnmark}`,
    [serverId, timelineId, except],
  );
}

export async function areLonger(db: Db, positions: Positions): Promise<boolean> {
  const [row] = await query<{ longer: boolean }>(
    db,
    `select exists (
       select from unnest($1::uuid[], $2::bigint[]) as known (id, position)
       join rooms using (id) where last_position > position) as longer`,
    [Object.keys(positions), Object.values(positions)],
  );
  return row?.longer === true;
}

export async function findNotAtEnd(db: Db, channelId: string, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `select members.user_id as id from channels
     join rooms on rooms.id = channels.id
     join members on members.server_id = channels.server_id
     left join reads on reads.user_id = members.user_id and reads.timeline_id = channels.id
     where channels.id = $1 and coalesce(reads.position, 0) < last_position limit $2`,
    [channelId, limit],
  );
  return rows.map(({ id }) => id);
}

export async function deleteReads(db: Db, userId: string): Promise<void> {
  await query(db, 'delete from reads where user_id = $1', [userId]);
}

export async function deletePositions(db: Db, timelineId: string, limit: number): Promise<number> {
  const deleted = await query(
    db,
    `delete from reads where ctid = any (array(
       select ctid from reads where timeline_id = $1 limit $2))
     returning 1 as one`,
    [timelineId, limit],
  );
  return deleted.length;
}
