/** Uploads as a client does: in chunks, a few of them under way. */
import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import { query, type Db } from '../../server/database/database.ts';
import type { File, PicturePurpose } from '../../shared/files.ts';
import type { Person } from './person.ts';

/** Stores a finished, unused picture without the work of an upload. Returns its id. */
export async function storePicture(
  db: Db,
  uploaderId: string,
  purpose: PicturePurpose,
): Promise<string> {
  const id = v7();
  await query(
    db,
    `insert into files (id, uploader_id, purpose, name, size, received, reserved, type, finished_at)
     values ($1, $2, $3, 'picture', 3, 3, 3, 'image/webp', now())`,
    [id, uploaderId, purpose],
  );
  await query(db, `insert into file_chunks (file_id, at, bytes) values ($1, 0, 'tea')`, [id]);
  await query(db, 'update file_usage set bytes = bytes + 3');
  return id;
}

const underWay = 4;

/** A timeline’s id, or the purpose of a picture. */
type Place = string | { purpose: PicturePurpose };

/** Sends all of a file. Returns its id. */
export async function sendChunks(
  person: Person,
  place: Place,
  bytes: Buffer,
  name = 'picture.png',
): Promise<string> {
  const begun = await person.send('file:begin', {
    ...(typeof place === 'string' ? { timelineId: place } : place),
    ...{ name, size: bytes.length },
  });
  const { fileId, chunkBytes } = begun;
  let next = begun.offset;
  const line = async () => {
    for (let at = next; at < bytes.length; at = next) {
      next = at + chunkBytes;
      await person.send('file:chunk', {
        fileId,
        offset: at,
        bytes: bytes.subarray(at, at + chunkBytes),
      });
    }
  };
  await Promise.all(Array.from({ length: underWay }, line));
  return fileId;
}

/** Uploads a file, and confirms it with `asSent` if it may reveal where it was taken. */
export async function upload(
  person: Person,
  place: Place,
  bytes: Buffer,
  name?: string,
): Promise<File> {
  const fileId = await sendChunks(person, place, bytes, name);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const finished = await person.ask('file:finish', { fileId, sha256 });
  if (finished.ok) return finished.value.file;
  const asSent = finished.error.field === 'asSent';
  return (await person.send('file:finish', { fileId, sha256, asSent })).file;
}
