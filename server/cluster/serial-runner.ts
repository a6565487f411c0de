export interface Rounds {
  /** Starts a round now, or as soon as the current one is done. */
  run(): void;
  stop(): void;
  first: Promise<void>;
}

export interface Round {
  possible: () => boolean;
  /** When the next round is due if `run` is not called before; in milliseconds of `performance.now()`. */
  next: () => number;
  round: () => Promise<void>;
  failed: (error: unknown) => void;
}

/** Runs rounds of work one after the other, never two at a time. A round that fails is tried again after a pause. */
export function runSerially(pause: number, { possible, next, round, failed }: Round): Rounds {
  let asked = 0;
  let answered = 0;
  let busy = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let begin: () => void;
  const first = new Promise<void>((resolve) => (begin = resolve));

  async function work(): Promise<number> {
    while (answered < asked && possible()) {
      answered = asked;
      await round();
      begin();
    }
    return next() - performance.now();
  }

  function run() {
    asked += 1;
    if (busy || stopped) return;
    busy = true;
    clearTimeout(timer);
    const rest = (wait: number) => {
      busy = false;
      if (!stopped) timer = setTimeout(run, Math.min(pause, Math.max(50, wait))).unref();
    };
    void work().then(rest, (error: unknown) => {
      rest(pause);
      failed(error);
    });
  }

  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { run, stop, first };
}
