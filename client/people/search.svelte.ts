/** Searches on the server while the user types, after a pause. Only the latest answer counts. */
import { errorText } from '../ui/error-text.ts';

const debounceMs = 200;

export class PeopleSearch<F> {
  /** The query of `found`; empty while nothing is searched. */
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
    if (typed.trim()) this.#timer = setTimeout(() => void this.ask(), debounceMs);
    else this.stop();
  }

  get isAsking() {
    return this.#typed.trim() !== this.sought && !this.failure;
  }

  /** Earlier results stay until new ones arrive. */
  async ask() {
    const query = this.#typed.trim();
    this.failure = undefined;
    try {
      const found = await this.#find(query);
      if (query !== this.#typed.trim()) return;
      this.sought = query;
      this.found = found;
    } catch (error) {
      if (query === this.#typed.trim()) this.failure = errorText(error);
    }
  }

  stop() {
    clearTimeout(this.#timer);
    this.sought = '';
    this.found = undefined;
    this.failure = undefined;
  }
}
