/** Asking the server as one types: when the typing pauses, and only the answer to the last of it counts. */
import { words } from '../session/error-text.ts';

/** In milliseconds. */
const pause = 200;

export class Search<F> {
  /** What `found` was found for; nothing while nothing is sought. */
  sought = $state('');
  found = $state.raw<F>();
  failure = $state<string>();

  readonly #find: (query: string) => Promise<F>;
  #typed = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(find: (query: string) => Promise<F>) {
    this.#find = find;
  }

  get typed() {
    return this.#typed;
  }

  set typed(typed: string) {
    this.#typed = typed;
    clearTimeout(this.#timer);
    if (typed.trim()) this.#timer = setTimeout(() => void this.ask(), pause);
    else this.stop();
  }

  /** The answer to what was typed is still to come. */
  get isAsking() {
    return this.#typed.trim() !== this.sought && !this.failure;
  }

  /** What was found stays until there is something else to show. */
  async ask() {
    const query = this.#typed.trim();
    this.failure = undefined;
    try {
      const found = await this.#find(query);
      if (query !== this.#typed.trim()) return;
      this.sought = query;
      this.found = found;
    } catch (error) {
      if (query === this.#typed.trim()) this.failure = words(error);
    }
  }

  stop() {
    clearTimeout(this.#timer);
    this.sought = '';
    this.found = undefined;
    this.failure = undefined;
  }
}
