import { query, type Db } from '../database/database.ts';

export interface Subscription {
  sessionId: string;
  userId: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  hidesText: boolean;
}

/** Locks an endpoint until the transaction ends. An advisory lock, because there can be no row to lock yet. */
export async function lockEndpoint(db: Db, endpoint: string): Promise<void> {
  await query(db, `select pg_advisory_xact_lock(hashtextextended('push ' || $1, 0))`, [endpoint]);
}

/**
 * A browser has one endpoint, owned by the session that subscribed last. Returns nothing if the session has ended. `isNew`
 * means that the session had another endpoint, or none.
 */
export async function saveSubscription(
  db: Db,
  { sessionId, userId, endpoint, p256dh, auth, hidesText }: Subscription,
): Promise<{ isNew: boolean } | undefined> {
  await query(db, 'delete from push_subscriptions where endpoint = $1 and session_id <> $2', [
    endpoint,
    sessionId,
  ]);
  const [saved] = await query<{ isNew: boolean }>(
    db,
    // The lock waits for a session that is ending.
    `insert into push_subscriptions (session_id, user_id, endpoint, p256dh, auth, hides_text)
     select id, user_id, $3, $4, $5, $6 from sessions where id = $1 and user_id = $2 for key share
     on conflict (session_id) do update set endpoint = excluded.endpoint,
       p256dh = excluded.p256dh, auth = excluded.auth, hides_text = excluded.hides_text
     returning not exists (
       select from push_subscriptions where session_id = $1 and endpoint = $3) as "isNew"`,
    [sessionId, userId, endpoint, p256dh, auth, hidesText],
  );
  return saved;
}

export async function deleteSurplus(db: Db, userId: string, limit: number): Promise<void> {
  await query(
    db,
    `delete from push_subscriptions where session_id in (
       select session_id from push_subscriptions where user_id = $1 and endpoint is not null
       order by created_at desc offset $2)`,
    [userId, limit],
  );
}

export async function deleteSubscription(db: Db, sessionId: string): Promise<void> {
  await query(db, 'delete from push_subscriptions where session_id = $1', [sessionId]);
}

/** Turns a subscription off, and keeps its row as a note of this. Returns false if none was on. */
export async function turnOffSubscription(
  db: Db,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const ended = await query(
    db,
    `update push_subscriptions set endpoint = null, p256dh = null, auth = null
     where user_id = $1 and session_id = $2 and endpoint is not null returning 1 as one`,
    [userId, sessionId],
  );
  return ended.length > 0;
}

export interface Subscribed {
  sessionId: string;
  /** False if another device turned it off. */
  isOn: boolean;
}

export const findSubscriptions = (db: Db, userId: string): Promise<Subscribed[]> =>
  query<Subscribed>(
    db,
    `select session_id as "sessionId", endpoint is not null as "isOn"
     from push_subscriptions where user_id = $1`,
    [userId],
  );

export async function deleteEndpoint(db: Db, endpoint: string): Promise<void> {
  await query(db, 'delete from push_subscriptions where endpoint = $1', [endpoint]);
}
