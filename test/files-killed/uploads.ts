/** Somebody who goes on uploading whatever happens to the nodes, and knows what became of each file. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { connectAs, type Person } from '../support/person.ts';

/** What its uploader did with it last, and knows to be so. */
export type Fate = 'begun' | 'finished' | 'named' | 'deleted';

export interface Sent {
  id: string;
  bytes: Buffer;
  fate: Fate;
}

export interface Uploads {
  sent: Sent[];
  /** How many chunks were acknowledged. */
  chunks: number;
  /** Uploads that went on elsewhere from where they had been cut off. */
  wentOn: number;
  /** Once more of them is asked for, no line begins another file. */
  isStopped: boolean;
  /** From now on nothing is tried again. */
  isOver: boolean;
  /** What is done as soon as a file is acknowledged to be whole that stays as it is, before anything else is asked. */
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

/** One file after the other, some of each fate: a third is left, a third named, a third named and deleted. */
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

/** Does it on one node, and if that fails on the other, for as long as it takes. */
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

/** Sends all that is not there yet, four chunks under way. */
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
