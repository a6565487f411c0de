/** Removes idle accounts after this number of additions. */
const forgetEvery = 1_000;

/** The recent use of each account, in milliseconds: a half is forgotten every `halfLife` milliseconds. */
export class Usage {
  readonly #halfLife: number;
  readonly #now: () => number;
  /** The logarithm of the time used, plus the time in half-lives, so that a level decays without being rewritten. */
  readonly #levels = new Map<string, number>();
  #additions = 0;

  constructor(halfLife: number, now = () => performance.now()) {
    this.#halfLife = halfLife;
    this.#now = now;
  }

  add(who: string, ms: number): void {
    const total = ms + this.lately(who);
    if (total > 0) this.#levels.set(who, Math.log2(total) + this.#now() / this.#halfLife);
    this.#additions += 1;
    if (this.#additions % forgetEvery !== 0) return;
    for (const one of this.#levels.keys()) if (this.lately(one) < 1) this.#levels.delete(one);
  }

  /** A level to compare accounts by: lower means less used. */
  of(who: string): number {
    return this.#levels.get(who) ?? -Infinity;
  }

  lately(who: string): number {
    const level = this.#levels.get(who) ?? -Infinity;
    return 2 ** (level - this.#now() / this.#halfLife);
  }

  size(): number {
    return this.#levels.size;
  }
}
