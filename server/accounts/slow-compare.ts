/**
 * Compares guessed passwords in the processor time that nobody else wants: on a thread of the lowest priority. A
 * process has one, from the first guess on.
 */
import { Worker } from 'node:worker_threads';

interface Waiting {
  resolve: (fits: boolean) => void;
  reject: (error: Error) => void;
}

/** In the order of asking, in which the thread answers. */
let waiting: Waiting[] = [];
let thread: Worker | undefined;

const isBuilt = import.meta.url.endsWith('.js');
/** A thread reads no TypeScript by itself, even where the process does. */
const unbuilt = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import('${new URL('./compare-thread.ts', import.meta.url).href}');
});`;

/** Whether this is the password of a hash; both as bcrypt reads them. */
export function compareSlowly(digest: string, hash: string): Promise<boolean> {
  thread ??= start();
  // Held while it has something to do; otherwise no process would end.
  thread.ref();
  thread.postMessage({ digest, hash });
  return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
}

function start(): Worker {
  const worker = isBuilt
    ? new Worker(new URL('./compare-thread.js', import.meta.url))
    : new Worker(unbuilt, { eval: true });
  worker.on('message', (fits: boolean) => {
    waiting.shift()?.resolve(fits);
    if (waiting.length === 0) worker.unref();
  });
  // The next guess starts another.
  worker.once('error', (error) => {
    thread = undefined;
    for (const { reject } of waiting) reject(error);
    waiting = [];
  });
  return worker;
}
