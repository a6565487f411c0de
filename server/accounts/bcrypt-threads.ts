/**
 * bcrypt on threads of their own. Each call takes a processor for as long as hundreds of messages, so it gets only the
 * time that they leave: on Linux, where a thread has a priority. A process starts a thread when it is first needed.
 */
import { availableParallelism, constants } from 'node:os';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

export interface BcryptThreads {
  /** Whether this is the password of a hash; both as bcrypt reads them. */
  compare: (digest: string, hash: string) => Promise<boolean>;
  hash: (digest: string, cost: number) => Promise<string>;
}

/** What a thread is asked: to compare, or to hash. */
export const Asked = z.union([
  z.strictObject({ digest: z.string(), hash: z.string() }),
  z.strictObject({ digest: z.string(), cost: z.int() }),
]);
type Asked = z.infer<typeof Asked>;

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

interface Thread {
  worker: Worker;
  /** In the order of asking, in which the thread answers. */
  waiting: Waiting[];
}

const isBuilt = import.meta.url.endsWith('.js');
/** A thread reads no TypeScript by itself, even where the process does. */
const unbuilt = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import('${new URL('./bcrypt-thread.ts', import.meta.url).href}');
});`;

function openThreads(most: number, priority: number): BcryptThreads {
  const threads = new Set<Thread>();

  const start = (): Thread => {
    const options = { workerData: priority };
    const worker = isBuilt
      ? new Worker(new URL('./bcrypt-thread.js', import.meta.url), options)
      : new Worker(unbuilt, { ...options, eval: true });
    const thread: Thread = { worker, waiting: [] };
    worker.on('message', (answer: unknown) => {
      thread.waiting.shift()?.resolve(answer);
      if (thread.waiting.length === 0) worker.unref();
    });
    // The next call starts another.
    worker.once('error', (error) => {
      threads.delete(thread);
      for (const { reject } of thread.waiting) reject(error);
    });
    threads.add(thread);
    return thread;
  };

  const ask = (asked: Asked): Promise<unknown> => {
    const [idlest] = [...threads].sort((a, b) => a.waiting.length - b.waiting.length);
    const isFree = idlest?.waiting.length === 0 || threads.size >= most;
    const { worker, waiting } = idlest !== undefined && isFree ? idlest : start();
    // Held while it has something to do; otherwise no process would end.
    worker.ref();
    worker.postMessage(asked);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };

  return {
    compare: async (digest, hash) => z.boolean().parse(await ask({ digest, hash })),
    hash: async (digest, cost) => z.string().parse(await ask({ digest, cost })),
  };
}

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/** How many passwords are hashed at a time, besides guessed ones. */
export const hashedAtOnce = Math.max(1, availableParallelism() >> 1);
export const passwordThreads = openThreads(hashedAtOnce, PRIORITY_BELOW_NORMAL);
/** For guessed passwords: in the time that nobody else wants. */
export const guessThread = openThreads(1, PRIORITY_LOW);
