/**
 * Runs bcrypt on worker threads, because a call takes as much processor time as hundreds of messages. On Linux, where
 * each thread has a priority, it gets only the time that messages leave.
 */
import { availableParallelism, constants } from 'node:os';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';

export interface BcryptThreads {
  compare: (digest: string, hash: string) => Promise<boolean>;
  hash: (digest: string, cost: number) => Promise<string>;
}

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
  /** In the order of the requests, in which the thread answers. */
  waiting: Waiting[];
}

const isBuilt = import.meta.url.endsWith('.js');
/** Registers tsx first, because a thread does not load TypeScript by itself, even where the process does. */
const unbuilt = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import('${new URL('./bcrypt-thread.ts', import.meta.url).href}');
});`;

function openThreads(maxThreads: number, priority: number): BcryptThreads {
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
    worker.once('error', (error) => {
      threads.delete(thread);
      for (const { reject } of thread.waiting) reject(error);
    });
    threads.add(thread);
    return thread;
  };

  const ask = (asked: Asked): Promise<unknown> => {
    const [idlest] = [...threads].sort((a, b) => a.waiting.length - b.waiting.length);
    const isFree = idlest?.waiting.length === 0 || threads.size >= maxThreads;
    const { worker, waiting } = idlest !== undefined && isFree ? idlest : start();
    // Keeps the process alive only while the thread has work. Otherwise the process would never exit.
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

export const hashedAtOnce = Math.max(1, availableParallelism() >> 1);
export const passwordThreads = openThreads(hashedAtOnce, PRIORITY_BELOW_NORMAL);
/** For guessed passwords: uses only processor time that nothing else needs. */
export const guessThread = openThreads(1, PRIORITY_LOW);
