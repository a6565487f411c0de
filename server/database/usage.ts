/** After so many additions, accounts that have used nothing for a while are removed. */
const forgetEvery = 1_000;

/** The time that each account has used recently: half of it is forgotten every `halfLife` milliseconds. */
export class Usage {
  readonly #halfLife: number;
  readonly #now: () => number;
  /** A level is the logarithm of the time used plus the time of day in half-lives. So it decays without being rewritten. */
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

  /** A level to compare accounts by: the lower, the less an account has used. */
  of(who: string): number {
    return this.#levels.get(who) ?? -Infinity;
  }

  /** The time used recently, in milliseconds. */
  lately(who: string): number {
    const level = this.#levels.get(who) ?? -Infinity;
    return 2 ** (level - this.#now() / this.#halfLife);
  }

  /** How many accounts are remembered. */
  size(): number {
    return this.#levels.size;
  }
}
