import type { Clock, Stop } from '../../server/node/clock.ts';

interface Waiting {
  at: number;
  act: () => void;
  timer: NodeJS.Timeout | undefined;
}

export class MovableClock implements Clock {
  #ahead = 0;
  #heldAt: number | undefined;
  readonly #waiting = new Set<Waiting>();

  now = () => (this.#heldAt ?? performance.now()) + this.#ahead;

  after(ms: number, act: () => void): Stop {
    const waiting: Waiting = { at: this.now() + ms, act, timer: undefined };
    this.#waiting.add(waiting);
    this.#await(waiting);
    return () => this.#drop(waiting);
  }

  /** Stops all timers: they run only by `pass`. */
  hold(): void {
    this.#heldAt ??= performance.now();
    for (const waiting of this.#waiting) this.#await(waiting);
  }

  /** Runs everything that is due by then, in order. */
  pass(ms: number): void {
    const end = this.now() + ms;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#moveTo(next.at);
      this.#do(next);
    }
    this.#moveTo(end);
    for (const waiting of this.#waiting) this.#await(waiting);
  }

  #await(waiting: Waiting) {
    clearTimeout(waiting.timer);
    const left = Math.max(0, waiting.at - this.now());
    const isHeld = this.#heldAt !== undefined;
    waiting.timer = isHeld ? undefined : setTimeout(() => this.#do(waiting), left).unref();
  }

  #next = () => [...this.#waiting].sort((one, other) => one.at - other.at)[0];
  #moveTo = (at: number) => void (this.#ahead += Math.max(0, at - this.now()));

  #drop(waiting: Waiting) {
    clearTimeout(waiting.timer);
    this.#waiting.delete(waiting);
  }

  #do(waiting: Waiting) {
    this.#drop(waiting);
    waiting.act();
  }
}
