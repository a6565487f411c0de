/** The clock of a node’s periodic work and pauses. Tests control it. Waits for clients and databases use real time. */
export interface Clock {
  /** In milliseconds, monotonic. */
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
