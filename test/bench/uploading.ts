import type { ClientSocket } from '../support/person.ts';
import { ask } from './asking.ts';
import { someFile } from './transfers.ts';

export interface Uploads {
  timelineId: string;
}

/** Chunks of a file under way at a time, as in the client. */
const underWay = 4;

/** Each socket uploads files for this number of seconds, and completes the last one. */
export async function uploadFor(
  sockets: ClientSocket[],
  { timelineId }: Uploads,
  seconds: number,
): Promise<{ 'MB/s': number }> {
  const file = someFile();
  const began = performance.now();
  const end = began + seconds * 1_000;
  const sent = await Promise.all(
    sockets.map(async (socket) => {
      let bytes = 0;
      do {
        await uploadWhole(socket, timelineId, file);
        bytes += file.length;
      } while (performance.now() < end);
      return bytes;
    }),
  );
  const all = sent.reduce((sum, one) => sum + one, 0);
  return { 'MB/s': all / 1_000 / (performance.now() - began) };
}

async function uploadWhole(socket: ClientSocket, timelineId: string, file: Buffer): Promise<void> {
  const size = file.length;
  const { fileId, chunkBytes } = await ask(socket, 'file:begin', {
    ...{ timelineId, name: 'a.bin', size },
  });
  let next = 0;
  const line = async () => {
    for (let at = next; at < size; at = next) {
      next = at + chunkBytes;
      const bytes = file.subarray(at, at + chunkBytes);
      await ask(socket, 'file:chunk', { fileId, offset: at, bytes });
    }
  };
  await Promise.all(Array.from({ length: underWay }, line));
  await ask(socket, 'file:finish', { fileId });
}
