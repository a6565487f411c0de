/** Runs work one at a time for each key, in the order in which it was added. */
export class KeyedQueue {
  readonly #ends = new Map<string, Promise<void>>();

  add<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const end: Promise<void> = result
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        if (this.#ends.get(key) === end) this.#ends.delete(key);
      });
    this.#ends.set(key, end);
    return result;
  }

  async idle(): Promise<void> {
    await Promise.all(this.#ends.values());
  }
}
