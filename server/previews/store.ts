import { query, type Db } from '../database/database.ts';
import type { Page } from './page.ts';

/** A message whose links are to be read. */
export interface Queued {
  messageId: string;
  /** The author, or the owner of the author if it is a bot. */
  payerId: string;
  /** The links of its text before an edit. They are not read again. */
  former: string[];
  /** Changes if the message is queued again, so that `deleteQueued` keeps the new entry. */
  queuedAt: string;
  /** Including this one. */
  attempts: number;
}

// Not prepared: PostgreSQL would keep a plan made for an empty table.
const claiming = `
  with due as (
    select distinct on (payer_id) message_id, payer_id from (
      select message_id, due_at, coalesce(bot_owner_id, author_id) as payer_id
      from preview_queue
      join messages on messages.id = message_id
      join users on users.id = author_id
      where due_at <= now()
    ) as all_due
    where payer_id <> all ($3::uuid[]) order by payer_id, due_at
  ), free as (
    select message_id, payer_id from preview_queue join due using (message_id)
    where due_at <= now() order by due_at limit $1 for update of preview_queue skip locked
  )
  update preview_queue
  set due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1
  from free where preview_queue.message_id = free.message_id
  returning preview_queue.message_id as "messageId", payer_id as "payerId", former,
    queued_at::text as "queuedAt", attempts`;

/**
 * Claims up to `limit` due messages for `forMs`, so that no other node processes them: one of each person, with their
 * bots, and none of `busyIds`.
 */
export const claim = (
  db: Db,
  { limit, forMs, busyIds }: { limit: number; forMs: number; busyIds: string[] },
): Promise<Queued[]> => query<Queued>(db, claiming, [limit, forMs, busyIds]);

/** Deletes the entry, unless the message was queued again after the claim. */
export async function deleteQueued(db: Db, { messageId, queuedAt }: Queued): Promise<void> {
  await query(
    db,
    'delete from preview_queue where message_id = $1 and queued_at = $2::timestamptz',
    [messageId, queuedAt],
  );
}

export async function postpone(
  db: Db,
  { messageId, queuedAt }: Queued,
  byMs: number,
): Promise<void> {
  await query(
    db,
    `update preview_queue set due_at = now() + $3 * interval '1 millisecond'
     where message_id = $1 and queued_at = $2::timestamptz`,
    [messageId, queuedAt, byMs],
  );
}

/** Notes removed links in the queue, so that an attempt that is still to come does not add their previews again. */
export async function noteRemoved(
  db: Db,
  removed: { messageId: string; link: string }[],
): Promise<void> {
  await query(
    db,
    `update preview_queue set former = former || one.links
     from (
       select (one->>'messageId')::uuid as id, array_agg(one->>'link') as links
       from jsonb_array_elements($1::jsonb) as one group by id
     ) as one
     where message_id = one.id`,
    [JSON.stringify(removed)],
  );
}

/** True if the server of the timeline has turned previews off. */
export async function isOffIn(db: Db, timelineId: string): Promise<boolean> {
  const [found] = await query<{ isOff: boolean }>(
    db,
    `select no_previews as "isOff" from channels join servers on servers.id = server_id
     where channels.id = $1`,
    [timelineId],
  );
  return found?.isOff === true;
}

/** How long a page that was read counts as current. */
const currentFor = `interval '1 hour'`;

/** Returns null if the page has no preview, undefined if it was not read in the last hour. */
export async function findPage(db: Db, address: string): Promise<Page | null | undefined> {
  const [found] = await query<{ page: Page | null; pictureAddress: string | null }>(
    db,
    `select page, picture_address as "pictureAddress" from linked_pages where address = $1 and read_at > now() - ${currentFor}`,
    [address],
  );
  if (!found?.page) return found?.page;
  const { page, pictureAddress } = found;
  return pictureAddress === null ? page : { ...page, pictureAddress };
}

/** The address of the picture is apart, because nodes of an earlier version copy all of `page` to messages. */
export async function savePage(db: Db, address: string, page: Page | null): Promise<void> {
  const { pictureAddress, ...words } = page ?? {};
  await query(
    db,
    `insert into linked_pages (address, page, picture_address) values ($1, $2::jsonb, $3)
     on conflict (address) do update
     set page = excluded.page, picture_address = excluded.picture_address, read_at = now()`,
    [address, page && JSON.stringify(words), pictureAddress ?? null],
  );
}

/** Returns undefined if the address was not read in the last hour, and null if it was read but gave no picture. */
export async function findPicture(db: Db, address: string): Promise<Buffer | null | undefined> {
  const [found] = await query<{ picture: Buffer | null }>(
    db,
    `select picture from linked_pictures where address = $1 and read_at > now() - ${currentFor}`,
    [address],
  );
  return found?.picture;
}

export async function savePicture(db: Db, address: string, picture: Buffer | null): Promise<void> {
  await query(
    db,
    `insert into linked_pictures (address, picture) values ($1, $2)
     on conflict (address) do update set picture = excluded.picture, read_at = now()`,
    [address, picture],
  );
}

export async function deleteOld(db: Db): Promise<void> {
  for (const table of ['linked_pages', 'linked_pictures'])
    await query(db, `delete from ${table} where read_at < now() - ${currentFor}`);
  // Messages that no node could finish.
  await query(db, `delete from preview_queue where queued_at < now() - interval '10 minutes'`);
}
