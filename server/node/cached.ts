import { realClock, type Clock } from './clock.ts';

/** Caches the result of `read` for `ms` milliseconds after it settles. Concurrent callers share one read. */
export function cachedFor<T>(
  ms: number,
  read: () => Promise<T>,
  clock: Clock = realClock,
): () => Promise<T> {
  let cached: Promise<T> | undefined;
  return () => {
    if (cached === undefined) {
      cached = read();
      const forget = () => void clock.after(ms, () => (cached = undefined));
      cached.then(forget, forget);
    }
    return cached;
  };
}
