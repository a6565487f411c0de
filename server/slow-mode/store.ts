import { limits } from '../../shared/limits.ts';
import { named, query, type Db } from '../database/database.ts';

/** A person's place in the order of a channel with slow mode. */
export interface Sender {
  timelineId: string;
  userId: string;
}

export interface SlowSender extends Sender {
  slowSeconds: number;
  /** Milliseconds until the person can send; not positive if they can. */
  waitMs: number;
}

const senders = 'unnest($1::uuid[], $2::uuid[]) as senders (timeline_id, user_id)';

const waiting = named(
  `select senders.timeline_id as "timelineId", senders.user_id as "userId", slow_seconds as "slowSeconds",
     coalesce(ceil(1000 * extract(epoch from
       sent_at + slow_seconds * interval '1 second' - now())), 0)::int as "waitMs"
   from ${senders} join channels on channels.id = senders.timeline_id
   left join slow_sends using (timeline_id, user_id)`,
);

/** Requires the lock of the timelines. */
export const findWaits = (db: Db, of: readonly Sender[]): Promise<SlowSender[]> =>
  query<SlowSender>(db, waiting, columnsOf(of));

const recording = named(
  `insert into slow_sends (timeline_id, user_id, sent_at) select timeline_id, user_id, now() from ${senders}
   on conflict (timeline_id, user_id) do update set sent_at = excluded.sent_at`,
);

export async function recordSends(db: Db, of: readonly Sender[]): Promise<void> {
  await query(db, recording, columnsOf(of));
}

const columnsOf = (of: readonly Sender[]) => [
  of.map(({ timelineId }) => timelineId),
  of.map(({ userId }) => userId),
];

/** Deletes the sends that no longer make anyone wait. */
export async function deleteOldSends(db: Db): Promise<void> {
  await query(db, `delete from slow_sends where sent_at < now() - $1 * interval '1 second'`, [
    limits.slowSeconds,
  ]);
}
