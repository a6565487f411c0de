/** A node's clock, which runs like any other until a test lets time pass at once. */
import type { Clock, Stop } from '../../server/node/clock.ts';

interface Waiting {
  at: number;
  act: () => void;
  timer: NodeJS.Timeout;
}

export class MovableClock implements Clock {
  #ahead = 0;
  readonly #waiting = new Set<Waiting>();

  now = () => performance.now() + this.#ahead;

  after(ms: number, act: () => void): Stop {
    const timer = setTimeout(() => this.#do(waiting), ms).unref();
    const waiting = { at: this.now() + ms, act, timer };
    this.#waiting.add(waiting);
    return () => this.#drop(waiting);
  }

  /** What is due by then happens at once, in its order. */
  pass(ms: number): void {
    const end = this.now() + ms;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) {
      this.#moveTo(next.at);
      this.#do(next);
    }
    this.#moveTo(end);
    for (const waiting of this.#waiting) {
      clearTimeout(waiting.timer);
      const left = Math.max(0, waiting.at - this.now());
      waiting.timer = setTimeout(() => this.#do(waiting), left).unref();
    }
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
