/** Only so many sockets are open at a time: whoever has been quiet longest gives up the seat. */
export interface Sitter {
  close(): void;
}

export class Seats {
  readonly #most: number;
  readonly #busy = new Set<Sitter>();
  /** The longest quiet first. */
  readonly #quiet = new Set<Sitter>();

  constructor(most: number) {
    this.#most = most;
  }

  get taken() {
    return this.#busy.size + this.#quiet.size;
  }

  /** Sits down for as long as `work` takes, and stays seated until somebody else needs the seat. */
  async during<T>(sitter: Sitter, work: () => Promise<T>): Promise<T> {
    this.#quiet.delete(sitter);
    this.#busy.add(sitter);
    if (this.taken > this.#most) this.#clearOne();
    return work().finally(() => {
      this.#busy.delete(sitter);
      this.#quiet.add(sitter);
    });
  }

  leave(sitter: Sitter) {
    this.#quiet.delete(sitter);
    sitter.close();
  }

  clear() {
    for (const sitter of this.#quiet) this.leave(sitter);
  }

  /** When all are busy nobody is sent away: their number is the caller's to bound. */
  #clearOne() {
    const [longestQuiet] = this.#quiet;
    if (longestQuiet) this.leave(longestQuiet);
  }
}
