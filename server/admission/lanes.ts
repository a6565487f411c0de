import pLimit, { type LimitFunction } from 'p-limit';
import { busy } from '../../shared/failure.ts';

interface Bounds {
  /** How many pieces of work run at a time in one lane. */
  atOnce: number;
  /** How many pieces an account may have asked for, in all its lanes. */
  asked: number;
  /** Why more are refused, and after how many milliseconds the client tries again. */
  refusal: [message: string, retryAfterMs: number];
}

/** Runs the work of accounts in lanes: a few pieces at a time in each, in order. The memory for one account is bounded. */
export class Lanes {
  readonly #bounds: Bounds;
  readonly #asked = new Map<string, number>();
  readonly #lanes = new Map<string, LimitFunction>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /**
   * Counts `work` as asked for by the account until it ends.
   * @throws ChatError busy, when the account has asked for too much; then `work` was not started
   */
  async admit<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const { asked, refusal } = this.#bounds;
    const before = this.#asked.get(userId) ?? 0;
    if (before >= asked) throw busy(...refusal);
    this.#asked.set(userId, before + 1);
    try {
      return await work();
    } finally {
      const left = (this.#asked.get(userId) ?? 1) - 1;
      if (left === 0) this.#asked.delete(userId);
      else this.#asked.set(userId, left);
    }
  }

  /** Waits for the lane, which is of one account alone. To be called in admitted work. */
  async wait<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const limit = this.#lanes.get(lane) ?? pLimit(this.#bounds.atOnce);
    this.#lanes.set(lane, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#lanes.delete(lane);
    }
  }
}
