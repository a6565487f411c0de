/** An uploader that retries through all failures of the nodes, and records the state of each file. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { connectAs, type Person } from '../support/person.ts';

/** Last acknowledged step of an upload. */
export type UploadState = 'begun' | 'finished' | 'named' | 'deleted';

export interface Sent {
  id: string;
  bytes: Buffer;
  fate: UploadState;
}

export interface Uploads {
  sent: Sent[];
  chunks: number;
  /** Interrupted uploads that continued on the other node. */
  wentOn: number;
  /** Set to end: each uploader begins no further file once it has sent three. */
  isStopped: boolean;
  isOver: boolean;
  /** Called when the finish of a file that no message will name is acknowledged, before the next request. */
  atFinish?: (() => void) | undefined;
}

export const noUploads = (): Uploads => ({
  ...{ sent: [], chunks: 0, wentOn: 0, isStopped: false, isOver: false },
});

interface Uploader {
  urls: readonly string[];
  cookie: string;
  timelineId: string;
}

/** Uploads files in turn: a third stays unnamed, a third is named, a third is named and its message deleted. */
export async function keepUploading(
  uploads: Uploads,
  uploader: Uploader,
  first: number,
): Promise<void> {
  const { timelineId } = uploader;
  const doIt = <T>(work: (person: Person, isElsewhere: boolean) => Promise<T>) =>
    persist(uploads, uploader, first, work);
  for (let i = 0; i < 3 || !uploads.isStopped; i += 1) {
    const file: Sent = { id: v7(), bytes: randomBytes(700_000), fate: 'begun' };
    uploads.sent.push(file);
    await doIt(async (person, isElsewhere) => {
      await send(uploads, person, file, timelineId, isElsewhere);
      file.fate = 'finished';
      if (i % 3 === 0) uploads.atFinish?.();
    });
    if (i % 3 === 0) continue;
    const messageId = v7();
    await doIt((person) =>
      person.send('message:send', { id: messageId, timelineId, files: [{ id: file.id }] }),
    );
    file.fate = 'named';
    if (i % 3 === 1) continue;
    await doIt((person) => person.send('message:delete', { messageId }));
    file.fate = 'deleted';
  }
}

/** Runs `work` on the two nodes in turn until it succeeds. */
async function persist<T>(
  uploads: Uploads,
  { urls, cookie }: Uploader,
  first: number,
  work: (person: Person, isElsewhere: boolean) => Promise<T>,
): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    let person: Person | undefined;
    try {
      person = await connectAs(urls[(first + turn) % urls.length]!, cookie);
      return await work(person, turn % 2 === 1);
    } catch (error) {
      if (uploads.isOver) throw error;
      await sleep(50);
    } finally {
      person?.close();
    }
  }
}

async function send(
  uploads: Uploads,
  person: Person,
  { id, bytes }: Sent,
  timelineId: string,
  isElsewhere: boolean,
): Promise<void> {
  const begin = { id, timelineId, name: 'notes.bin', size: bytes.length };
  const { offset, chunkBytes } = await person.send('file:begin', begin);
  if (isElsewhere && offset > 0 && offset < bytes.length) uploads.wentOn += 1;
  let next = offset;
  const line = async () => {
    for (let at = next; at < bytes.length; at = next) {
      next = at + chunkBytes;
      const piece = bytes.subarray(at, next);
      await person.send('file:chunk', { fileId: id, offset: at, bytes: piece });
      uploads.chunks += 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, line));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await person.send('file:finish', { fileId: id, sha256 });
}
