import pLimit, { type LimitFunction } from 'p-limit';
import { busy } from '../../shared/failure.ts';

interface Bounds {
  atOnce: number;
  /** Unfinished pieces of work of an account, in all its lanes. */
  asked: number;
  refusal: [message: string, retryAfterMs: number];
}

/**
 * Runs the work of accounts in lanes: in order, a few pieces at a time. The memory for one account is bounded.
 *
 * Attack: an account asks for hundreds of answers or files at once. Test: command-queues.test.ts, moved-files.test.ts.
 */
export class Lanes {
  readonly #bounds: Bounds;
  readonly #asked = new Map<string, number>();
  readonly #lanes = new Map<string, LimitFunction>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** @throws ChatError busy, when the account has too much unfinished work; then `work` was not started */
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

  /** Runs `work` in a lane, which belongs to one account. Call only inside `admit`. */
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
