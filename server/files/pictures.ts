/**
 * Encodes pictures again, each in a process of its own (picture-process.ts), because decoding takes time and memory,
 * and reads untrusted data. A node encodes two uploads and one preview at a time, with the same fair queue as commands.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { busy } from '../../shared/failure.ts';
import type { PictureType } from '../../shared/file-types.ts';
import type { PicturePurpose } from '../../shared/files.ts';
import { FairQueue, newUsage } from '../admission/fair-queue.ts';
import type { Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';

/** A scaled variant of a picture. `still` is the first frame of an animation. */
export interface PictureSize {
  name: 'small' | 'large' | 'still';
  /** In bytes. */
  size: number;
}

export interface PictureFacts {
  type: PictureType;
  /** In bytes. */
  size: number;
  width: number;
  height: number;
  placeholder: string;
  /** The bytes of the variants follow those of the picture, in this order. */
  sizes: PictureSize[];
}

/** A picture as it was sent. Encoded again, it can have up to `maxBytes` bytes. */
interface Sent {
  type: PictureType;
  bytes: AsyncIterable<Uint8Array>;
  maxBytes: number;
  /** If set, the picture becomes a small still picture for this purpose. */
  purpose: PicturePurpose | 'preview' | null;
}

export interface Pictures {
  /**
   * Streams the encoded picture to `store`. False, without that call, if it cannot be read or is too large.
   * @throws ChatError busy, when there was not enough time, or `stop` was aborted
   */
  remake(
    who: string,
    sent: Sent,
    store: (facts: PictureFacts, bytes: AsyncIterable<Buffer>) => Promise<void>,
    stop?: AbortSignal,
  ): Promise<boolean>;
  close(): void;
}

/** Standard input (the upload), standard output (the pictures), standard error (ignored), and a pipe for the facts. */
type Pipes = [Writable, Readable, null, Readable, undefined];

/** In milliseconds. After that the process is ended; the upload can be tried again. */
const processTimeoutMs = 60_000;

export const picturesOn = perNode(({ isPressed }: Node) => openPictures(isPressed));

export function openPictures(isPressed: () => boolean, atOnce = 2): Pictures {
  const slots = { free: atOnce, pressed: 1, turnMs: 2 * processTimeoutMs };
  const queue = new FairQueue({ usage: newUsage(), isPressed }, slots);
  const running = new Set<ChildProcess>();
  return {
    async remake(who, sent, store, stop) {
      const leave = await queue.enter(who);
      if (stop?.aborted) {
        leave();
        throw noTime();
      }
      const child = start(sent);
      const kill = () => void child.kill('SIGKILL');
      stop?.addEventListener('abort', kill);
      // The next one begins after the exit, because a process that is ending still holds its memory.
      child.once('exit', leave).once('error', leave);
      running.add(child);
      try {
        const [stdin, stdout, , factsOutput] = child.stdio as Pipes;
        // Node drops unread output when a process ends, so this buffers it.
        const made = stdout.pipe(new PassThrough());
        const [facts] = await Promise.all([text(factsOutput), pipeline(sent.bytes, stdin)]);
        if (facts === '' && child.killed) throw noTime();
        if (facts === '') return false;
        await store(JSON.parse(facts) as PictureFacts, made);
        return true;
      } finally {
        stop?.removeEventListener('abort', kill);
        kill();
        running.delete(child);
      }
    },
    close() {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

const isBuilt = import.meta.url.endsWith('.js');
export const pictureProgram = {
  file: fileURLToPath(new URL(`./picture-process.${isBuilt ? 'js' : 'ts'}`, import.meta.url)),
  flags: isBuilt ? [] : ['--import=tsx'],
};

/** Returns a warning for startup if pictures cannot be encoded, because sharp is not available on every platform. */
export async function pictureProblem(): Promise<string | undefined> {
  const child = spawnProgram(['check'], ['ignore', 'ignore', 'ignore']);
  const code = await new Promise((resolve) => {
    child.once('exit', resolve).once('error', resolve);
  });
  return code === 0
    ? undefined
    : 'The package “sharp” can’t be loaded on this machine, so pictures are only offered as downloads. Try npm install --include=optional sharp.';
}

function start({ type, maxBytes, purpose }: Sent) {
  const asked = [type, String(maxBytes), purpose ?? ''];
  const child = spawnProgram(asked, ['pipe', 'pipe', 'ignore', 'pipe']);
  // If the process fails to start, its pipes break, and that error is handled.
  child.on('error', () => undefined);
  return child;
}

function spawnProgram(asked: string[], stdio: ('pipe' | 'ignore')[]): ChildProcess {
  const { flags, file } = pictureProgram;
  return spawn(process.execPath, [...flags, file, ...asked], {
    // Passes none of the node's environment, which has the address and password of the database.
    env: { MALLOC_ARENA_MAX: '2' },
    cwd: new URL('.', import.meta.url),
    stdio,
    timeout: processTimeoutMs,
    killSignal: 'SIGKILL',
  });
}

const noTime = () => busy('The server is busy with pictures. Try again shortly.', 5_000);
