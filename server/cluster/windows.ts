/** Fixed windows in this process's memory: `points` for each key from its first use on, for `duration` seconds. */
import type { Clock } from '../node/clock.ts';

interface Window {
  used: number;
  endsAt: number;
}

export class MemoryWindows {
  readonly points: number;
  readonly #durationMs: number;
  readonly #clock: Clock;
  /** In the order in which they end, since all last equally long. */
  readonly #windows = new Map<string, Window>();

  /** @param allowance.duration in seconds */
  constructor(allowance: { points: number; duration: number }, clock: Clock) {
    this.points = allowance.points;
    this.#durationMs = allowance.duration * 1_000;
    this.#clock = clock;
  }

  /** Counts so many points. Returns undefined within the limit, or the milliseconds until the window ends. */
  consume(key: string, points: number): number | undefined {
    const now = this.#clock.now();
    this.#forget(now);
    const window = this.#windows.get(key) ?? { used: 0, endsAt: now + this.#durationMs };
    this.#windows.set(key, window);
    window.used += points;
    return window.used > this.points ? window.endsAt - now : undefined;
  }

  /** Gives back one point. */
  reward(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.used -= 1;
  }

  #forget(now: number): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#windows.delete(key);
    }
  }
}
