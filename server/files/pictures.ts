/**
 * Makes pictures anew, each in a process of its own (picture-process.ts): decoding takes long and memory, and reads
 * what a stranger made. Two at a time on a node; whose turn it is, is as fair as with commands.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { ChatError } from '../../shared/failure.ts';
import type { PictureType } from '../../shared/files.ts';
import { openFairQueue, openUsage } from '../realtime/fair-queue.ts';

export interface PictureFacts {
  /** In bytes. */
  size: number;
  width: number;
  height: number;
  placeholder: string;
}

/** A picture as it was sent, and how many bytes it may become. */
interface Sent {
  type: PictureType;
  bytes: AsyncIterable<Uint8Array>;
  most: number;
}

export interface Pictures {
  /**
   * Makes a picture anew, and gives it to `keep` as it is read. False, and nothing is given, if it cannot be read,
   * or is too large.
   * @throws ChatError busy, when there was no time for it
   */
  remake(
    who: string,
    sent: Sent,
    keep: (facts: PictureFacts, bytes: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<boolean>;
  close(): void;
}

/** What goes in, what comes out, what is dropped, and what is told of it. */
type Pipes = [Writable, Readable, null, Readable, undefined];

/** In milliseconds: one that waits for a processor that long is tried again. */
const patience = 60_000;

export function openPictures(isPressed: () => boolean): Pictures {
  const slots = { free: 2, pressed: 1, turnMs: 2 * patience };
  const queue = openFairQueue({ usage: openUsage(), isPressed }, slots);
  const running = new Set<ChildProcess>();
  return {
    remake: (who, sent, keep) =>
      queue.run(who, async () => {
        const child = start(sent);
        running.add(child);
        try {
          const [stdin, stdout, , told] = child.stdio as Pipes;
          // Node drops what nobody reads yet when a process ends.
          const made = stdout.pipe(new PassThrough());
          const [facts] = await Promise.all([text(told), pipeline(sent.bytes, stdin)]);
          if (facts === '' && child.killed) throw noTime();
          if (facts === '') return false;
          await keep(JSON.parse(facts) as PictureFacts, made);
          return true;
        } finally {
          child.kill('SIGKILL');
          running.delete(child);
        }
      }),
    close() {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

const isBuilt = import.meta.url.endsWith('.js');
const program = new URL(`./picture-process.${isBuilt ? 'js' : 'ts'}`, import.meta.url);

function start({ type, most }: Sent) {
  const flags = isBuilt ? [] : ['--import=tsx'];
  const child = spawn(process.execPath, [...flags, fileURLToPath(program), type, String(most)], {
    // Nothing of ours: neither where the database is nor its password.
    env: { MALLOC_ARENA_MAX: '2' },
    cwd: new URL('.', import.meta.url),
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    timeout: patience,
    killSignal: 'SIGKILL',
  });
  // Its pipes break with it, which is heard.
  child.on('error', () => undefined);
  return child;
}

const noTime = () =>
  new ChatError('busy', 'The server is busy with pictures. Try again shortly.', {
    retryAfterMs: 5_000,
  });
