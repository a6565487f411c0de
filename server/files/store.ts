import type { File } from '../../shared/files.ts';
import { named, query, type Db } from '../database/database.ts';

/** A file as it is stored. */
export interface StoredFile {
  id: string;
  uploaderId: string;
  timelineId: string;
  name: string;
  size: number;
  /** How many bytes are there, from the first on. */
  received: number;
  type: File['type'];
  sha256: Buffer | null;
  /** Of a picture, as it is told. */
  width: number | null;
  height: number | null;
  placeholder: string | null;
  isFinished: boolean;
  /** The message that has it. */
  messageId: string | null;
}

/** What a picture became when it was made anew. */
export type Picture = Pick<StoredFile, 'size' | 'width' | 'height' | 'placeholder'>;

/** As it is told to everyone. */
export const asFile = (file: StoredFile): File => {
  const { id, name, type, size, width, height, placeholder } = file;
  const isPicture = width !== null && height !== null && placeholder !== null;
  return { id, name, type, size, ...(isPicture && { width, height, placeholder }) };
};

const columns = `id, uploader_id as "uploaderId", timeline_id as "timelineId", name, size, received, type, sha256,
  width, height, placeholder,
  finished_at is not null as "isFinished", message_id as "messageId"`;

export type NewFile = Pick<StoredFile, 'id' | 'uploaderId' | 'timelineId' | 'name' | 'size'>;

/** False if there is one with this id. */
export async function insertFile(db: Db, file: NewFile): Promise<boolean> {
  const { id, uploaderId, timelineId, name, size } = file;
  const inserted = await query(
    db,
    `insert into files (id, uploader_id, timeline_id, name, size) values ($1, $2, $3, $4, $5)
     on conflict (id) do nothing returning 1 as one`,
    [id, uploaderId, timelineId, name, size],
  );
  return inserted.length === 1;
}

/** Counts bytes of new files, or fewer of one, as long as all together stay within `most`. To be called last: everyone counts in one row. */
export async function reserve(db: Db, bytes: number, most: number): Promise<boolean> {
  const reserved = await query(
    db,
    'update file_usage set bytes = bytes + $1 where $1 <= 0 or bytes + $1 <= $2 returning 1 as one',
    [bytes, most],
  );
  return reserved.length === 1;
}

/** How many bytes all files may grow to. */
export async function usedBytes(db: Db): Promise<number> {
  const [usage] = await query<{ bytes: number }>(db, 'select bytes from file_usage');
  return usage?.bytes ?? 0;
}

/** One that is not about to be deleted. */
export async function findFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const [file] = await query<StoredFile>(
    db,
    `select ${columns} from files where id = $1 and not dropped`,
    [id],
  );
  return file;
}

/** Those of these that are there, by id. From here on nobody else deletes them, or gives them to a message. */
export async function lockFiles(db: Db, ids: string[]): Promise<Map<string, StoredFile>> {
  const files = await query<StoredFile>(
    db,
    `select ${columns} from files where id = any($1::uuid[]) and not dropped order by id for update`,
    [ids],
  );
  return new Map(files.map((file) => [file.id, file]));
}

/** One that a message has which is not deleted, and when that one's timeline is its own. */
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

/**
 * Counts what comes at this place: undefined if it does not belong there. The commit is not waited for on disk: that
 * of the file's end is, and all before it with it.
 */
export async function advance(
  db: Db,
  { id, uploaderId }: Pick<StoredFile, 'id' | 'uploaderId'>,
  offset: number,
  bytes: number,
): Promise<number | undefined> {
  const [file] = await query<{ received: number }>(db, advancing, [id, uploaderId, offset, bytes]);
  return file?.received;
}

const advancing = named(
  `update files set received = received + $4
   from set_config('synchronous_commit', 'off', true)
   where id = $1 and uploader_id = $2 and received = $3 and received + $4 <= size
     and finished_at is null and not dropped
   returning received`,
);

/** What arrived was not what was sent. */
export async function restart(db: Db, id: string): Promise<void> {
  await query(db, 'update files set received = 0 where id = $1 and finished_at is null', [id]);
}

/** Keeps it from others who would finish it, or send it again: false if it is not to be finished any more. */
export async function lockWhole(db: Db, id: string): Promise<boolean> {
  const whole = await query(
    db,
    `select 1 as one from files
     where id = $1 and received = size and finished_at is null and not dropped for update`,
    [id],
  );
  return whole.length === 1;
}

export async function finish(
  db: Db,
  file: Pick<StoredFile, 'id' | 'type' | 'sha256'> & Partial<Picture>,
): Promise<void> {
  const { id, type, sha256, size, width, height, placeholder } = file;
  await query(
    db,
    `update files set type = $2, sha256 = $3, finished_at = clock_timestamp(), size = coalesce($4, size),
       received = coalesce($4, size), width = $5, height = $6, placeholder = $7
     where id = $1 and received = size and finished_at is null`,
    [id, type, sha256, size ?? null, width ?? null, height ?? null, placeholder ?? null],
  );
}

/** Gives each file to its message. */
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

/** Lets go of the files of these messages: from the commit on nobody has them. */
export async function dropFilesOf(db: Db, messageIds: readonly string[]): Promise<void> {
  await query(db, 'update files set dropped = true where message_id = any($1::uuid[])', [
    messageIds,
  ]);
}

/** Lets go of up to `most` files of messages in a stretch of a timeline. Returns how many it were. */
export async function dropSome(
  db: Db,
  { timelineId, after, upTo }: { timelineId: string; after: number; upTo: number },
  most: number,
): Promise<number> {
  const dropped = await query(
    db,
    `update files set dropped = true where id = any(array(
       select files.id from files join messages on messages.id = files.message_id
       where messages.timeline_id = $1 and position > $2 and position <= $3 and not dropped limit $4))
     returning 1 as one`,
    [timelineId, after, upTo, most],
  );
  return dropped.length;
}

/** One that no message has, of its uploader. */
export async function dropUnnamed(
  db: Db,
  { id, uploaderId }: Pick<StoredFile, 'id' | 'uploaderId'>,
): Promise<boolean> {
  const dropped = await query(
    db,
    `update files set dropped = true
     where id = $1 and uploader_id = $2 and message_id is null and not dropped returning 1 as one`,
    [id, uploaderId],
  );
  return dropped.length === 1;
}

/** One that nobody has any more: let go of, or in no message for so long. No other node looks at it meanwhile. */
export async function lockSuperfluous(
  db: Db,
  seconds: number,
): Promise<Pick<StoredFile, 'id' | 'size'> | undefined> {
  const [file] = await query<Pick<StoredFile, 'id' | 'size'>>(
    db,
    `select id, size from files
     where dropped or message_id is null and created_at < now() - $1 * interval '1 second'
     limit 1 for update skip locked`,
    [seconds],
  );
  return file;
}

/** To be called last, as `reserve`. */
export async function deleteFile(
  db: Db,
  { id, size }: Pick<StoredFile, 'id' | 'size'>,
): Promise<void> {
  await query(db, 'delete from files where id = $1', [id]);
  await query(db, 'update file_usage set bytes = bytes - $1', [size]);
}
