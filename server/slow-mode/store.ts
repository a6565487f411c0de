import { quotas } from '../../shared/quotas.ts';
import { named, query, type Db } from '../database/database.ts';

export interface Sender {
  timelineId: string;
  userId: string;
}

export interface SlowSender extends Sender {
  slowSeconds: number;
  /** Milliseconds until the person can send; 0 if they can. */
  waitMs: number;
}

const senders = 'unnest($1::uuid[], $2::uuid[]) as senders (timeline_id, user_id)';

const waiting = named(
  `select senders.timeline_id as "timelineId", senders.user_id as "userId", slow_seconds as "slowSeconds",
     least(1000 * slow_seconds, greatest(0, ceil(1000 * extract(epoch from
       sent_at + slow_seconds * interval '1 second' - now()))))::int as "waitMs"
   from ${senders} join channels on channels.id = senders.timeline_id
   left join slow_sends using (timeline_id, user_id)`,
);

/**
 * Requires the lock of the timelines. A send can be later than `now()`, which is the time before the lock; the wait is never
 * longer than the setting.
 */
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
  await query(
    db,
    `delete from slow_sends where (timeline_id, user_id) in (
       select timeline_id, user_id from slow_sends where sent_at < now() - $1 * interval '1 second'
       for update skip locked)`,
    [quotas.slowSeconds],
  );
}
