/**
 * The time by which a node does what nobody asks it for: its beats, and its pauses before it tells something or forgets
 * it. Tests move it. How long others may take, the database, Redis or a client, is real time, which nobody moves.
 */
export interface Clock {
  /** In milliseconds, by a clock that nobody sets. */
  now(): number;
  after(ms: number, act: () => void): Stop;
}

export type Stop = () => void;

export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Does it again and again, first in so many milliseconds. */
export function repeat(clock: Clock, ms: number, act: () => void): Stop {
  let stop: Stop;
  const next = () => {
    stop = clock.after(ms, () => {
      next();
      act();
    });
  };
  next();
  return () => stop();
}
