/** Fixed-window rate limits in memory: each key has `points` for `duration` seconds from its first use. */
import type { Clock } from '../node/clock.ts';

interface Window {
  used: number;
  endsAt: number;
}

export class MemoryWindows {
  readonly points: number;
  readonly #durationMs: number;
  readonly #clock: Clock;
  /** Ordered by `endsAt`, because all windows have the same duration. */
  readonly #windows = new Map<string, Window>();

  /** @param allowance.duration in seconds */
  constructor(allowance: { points: number; duration: number }, clock: Clock) {
    this.points = allowance.points;
    this.#durationMs = allowance.duration * 1_000;
    this.#clock = clock;
  }

  consume(key: string, points: number): number | undefined {
    const now = this.#clock.now();
    this.#forget(now);
    const window = this.#windows.get(key) ?? { used: 0, endsAt: now + this.#durationMs };
    this.#windows.set(key, window);
    window.used += points;
    return window.used > this.points ? window.endsAt - now : undefined;
  }

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
