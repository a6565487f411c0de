import { realClock, type Clock } from './clock.ts';

/** What `read` answers, kept for so many milliseconds of the clock: however many ask, it is read once. */
export function keptFor<T>(
  ms: number,
  read: () => Promise<T>,
  clock: Clock = realClock,
): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept === undefined) {
      kept = read();
      const forget = () => void clock.after(ms, () => (kept = undefined));
      kept.then(forget, forget);
    }
    return kept;
  };
}
