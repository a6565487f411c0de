/** Uploads as a client makes them: in chunks, a few of them under way. */
import { createHash } from 'node:crypto';
import type { File } from '../../shared/files.ts';
import type { Person } from './person.ts';

const underWay = 4;

/** Sends all of a file. Returns its id. */
export async function sendChunks(
  person: Person,
  timelineId: string,
  bytes: Buffer,
  name = 'picture.png',
): Promise<string> {
  const begun = await person.send('file:begin', { timelineId, name, size: bytes.length });
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

export async function upload(
  person: Person,
  timelineId: string,
  bytes: Buffer,
  name?: string,
): Promise<File> {
  const fileId = await sendChunks(person, timelineId, bytes, name);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return (await person.send('file:finish', { fileId, sha256 })).file;
}
