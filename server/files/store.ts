import type { File, PicturePurpose } from '../../shared/files.ts';
import { query, type Db } from '../database/database.ts';
import type { PictureSize } from './pictures.ts';

export interface StoredFile {
  id: string;
  uploaderId: string;
  /** Null for avatars, icons and emoji: see `purpose`. */
  timelineId: string | null;
  purpose: PicturePurpose | null;
  name: string;
  size: number;
  /** How many bytes have arrived, from the start. */
  received: number;
  /** How many bytes of `file_usage` the file takes: those that have arrived, and some that will. */
  reserved: number;
  type: File['type'];
  /** An unfinished file has one after `finish` was refused because the file may say where it was taken. */
  sha256: Buffer | null;
  /** In pixels; null unless it is a picture. */
  width: number | null;
  height: number | null;
  placeholder: string | null;
  /** The scaled variants of a picture, stored after it. */
  sizes: PictureSize[] | null;
  beside: number;
  isFinished: boolean;
  isMoved: boolean;
  /** The key of its object, while it is in the object store or moves there. */
  object: string;
  messageId: string | null;
  /** The person, server or emoji whose picture it is, if it is in no timeline. */
  ownerId: string | null;
}

export const asFile = (file: StoredFile): File => {
  const { id, name, type, size, width, height, placeholder } = file;
  const isPicture = width !== null && height !== null && placeholder !== null;
  return { id, name, type, size, ...(isPicture && { width, height, placeholder }) };
};

const columns = `id, uploader_id as "uploaderId", timeline_id as "timelineId", purpose, name, size, received, reserved, type, sha256,
  width, height, placeholder, sizes, beside,
  finished_at is not null as "isFinished", moved_at is not null as "isMoved", coalesce(object, id) as object,
  message_id as "messageId", owner_id as "ownerId"`;

export async function findFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const [file] = await query<StoredFile>(
    db,
    `select ${columns} from files where id = $1 and not dropped`,
    [id],
  );
  return file;
}

/**
 * Locks finished files, so that nobody else deletes them or gives them to a message. Does not wait for a file whose
 * picture is being rewritten, because that is not finished, or for a stranger's.
 */
export async function lockFinished(
  db: Db,
  asked: readonly Pick<StoredFile, 'id' | 'uploaderId'>[],
): Promise<Map<string, StoredFile>> {
  const files = await query<StoredFile>(
    db,
    `select ${columns} from files
     where (id, uploader_id) in (select * from unnest($1::uuid[], $2::uuid[]))
       and finished_at is not null and not dropped
     order by id for update`,
    [asked.map(({ id }) => id), asked.map(({ uploaderId }) => uploaderId)],
  );
  return new Map(files.map((file) => [file.id, file]));
}

export async function isShown(db: Db, { id, messageId }: StoredFile): Promise<boolean> {
  const [shown] = await query(
    db,
    `select 1 as one from files join messages on messages.id = files.message_id
     where files.id = $1 and messages.id = $2 and messages.deleted_at is null and not dropped
       and messages.timeline_id = files.timeline_id`,
    [id, messageId],
  );
  return shown !== undefined;
}

export async function nameFiles(
  db: Db,
  files: readonly { id: string; messageId: string }[],
): Promise<void> {
  await query(
    db,
    `update files set message_id = named.message_id
     from unnest($1::uuid[], $2::uuid[]) as named (id, message_id) where files.id = named.id`,
    [files.map(({ id }) => id), files.map(({ messageId }) => messageId)],
  );
}

/**
 * Marks the files of these messages for deletion. From the commit on they cannot be read. Leaves out marked ones, because
 * the sweep can hold their locks while it waits for the object store.
 */
export async function dropFilesOf(db: Db, messageIds: readonly string[]): Promise<void> {
  await query(
    db,
    'update files set dropped = true where message_id = any($1::uuid[]) and not dropped',
    [messageIds],
  );
}

export async function dropFiles(db: Db, ids: readonly string[]): Promise<void> {
  await query(db, 'update files set dropped = true where id = any($1::uuid[]) and not dropped', [
    ids,
  ]);
}

export async function dropSome(
  db: Db,
  { timelineId, after, upTo }: { timelineId: string; after: number; upTo: number },
  limit: number,
): Promise<number> {
  const dropped = await query(
    db,
    `update files set dropped = true where id = any(array(
       select files.id from files join messages on messages.id = files.message_id
       where messages.timeline_id = $1 and position > $2 and position <= $3 and not dropped limit $4))
     returning 1 as one`,
    [timelineId, after, upTo, limit],
  );
  return dropped.length;
}

/** Gives a picture its owner. False if it is not there, is for another purpose, or has another owner. */
export async function own(
  db: Db,
  { id, uploaderId, purpose }: Pick<StoredFile, 'id' | 'uploaderId' | 'purpose'>,
  ownerId: string,
): Promise<boolean> {
  const owned = await query(
    db,
    `update files set owner_id = $4
     where id = $1 and uploader_id = $2 and purpose = $3 and coalesce(owner_id, $4) = $4
       and finished_at is not null and not dropped
     returning 1 as one`,
    [id, uploaderId, purpose, ownerId],
  );
  return owned.length === 1;
}

export async function dropOthers(
  db: Db,
  { ownerId, purpose }: { ownerId: string; purpose: PicturePurpose },
  id: string | null,
): Promise<void> {
  await query(
    db,
    `update files set dropped = true where owner_id = $1 and purpose = $2 and id is distinct from $3`,
    [ownerId, purpose, id],
  );
}

export async function dropOne(db: Db, ownerId: string, id: string): Promise<void> {
  await query(db, 'update files set dropped = true where id = $1 and owner_id = $2', [id, ownerId]);
}

export async function dropOwned(db: Db, ownerId: string): Promise<void> {
  await query(db, 'update files set dropped = true where owner_id = $1', [ownerId]);
}

export interface Superfluous extends Pick<
  StoredFile,
  'id' | 'uploaderId' | 'reserved' | 'isMoved' | 'object'
> {
  /** How many bytes of a stalled upload have not arrived. 0 for a dropped one, whose allowance is settled. */
  unsentBytes: number;
  begunAt: string;
  isMoving: boolean;
}

/** In seconds: how long an unused file is kept, and an upload without progress. */
interface Retention {
  unused: number;
  stalled: number;
}

/** Locks one file that is marked for deletion, unused, or stalled. Other nodes skip it. */
export async function lockSuperfluous(
  db: Db,
  { unused, stalled }: Retention,
): Promise<Superfluous | undefined> {
  const [file] = await query<Superfluous>(
    db,
    `select id, uploader_id as "uploaderId", reserved, created_at::text as "begunAt",
       moved_at is not null as "isMoved", moving_until is not null as "isMoving", coalesce(object, id) as object,
       case when finished_at is null and not dropped then size - received else 0 end as "unsentBytes"
     from files
     where (dropped
         or message_id is null and owner_id is null and created_at < now() - $1 * interval '1 second'
         or finished_at is null and received < size
           and progressed_at < now() - $2 * interval '1 second')
       and (moving_until is null or moving_until < now())
     limit 1 for update skip locked`,
    [unused, stalled],
  );
  return file;
}

/** Call it last in a transaction, like `reserve` (usage-store.ts). */
export async function deleteFile(
  db: Db,
  { id, reserved }: Pick<StoredFile, 'id' | 'reserved'>,
): Promise<void> {
  await query(db, 'delete from files where id = $1', [id]);
  await query(db, 'update file_usage set bytes = bytes - $1', [reserved]);
}

export async function isStored(db: Db, id: string): Promise<boolean> {
  return (await query(db, 'select 1 as one from files where id = $1', [id])).length === 1;
}
