/** Lists outside of room state: a page requests one while it shows it. */
import { errorText } from '../ui/error-text.ts';

/** Runs work and keeps the error of the last failure. */
export class Attempts {
  failure = $state<string>();

  async run(work: () => Promise<unknown>): Promise<void> {
    this.failure = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = errorText(error);
    }
  }
}

const loadEveryMs = 1_000;

export abstract class LoadedList<T> extends Attempts {
  /** Undefined until loaded. */
  list = $state.raw<readonly T[]>();

  protected abstract read(): Promise<readonly T[]>;

  load(): Promise<void> {
    return this.run(async () => {
      this.list = await this.read();
    });
  }
}

/** A list that its page loads again after each change, at most once per `loadEveryMs`. */
export abstract class WatchedList<T> extends LoadedList<T> {
  #loading: Promise<void> | undefined;
  /** How often the list was requested. */
  #requests = 0;

  /** Loads the list once more after a load under way, which can have missed what changed since. */
  override load(): Promise<void> {
    this.#requests += 1;
    return (this.#loading ??= this.#loadUntilCurrent());
  }

  async #loadUntilCurrent() {
    let answered = 0;
    while (answered < this.#requests) {
      answered = this.#requests;
      await super.load();
      // Waits, because many changes in a row would each cause a load.
      await new Promise((resolve) => setTimeout(resolve, loadEveryMs));
    }
    this.#loading = undefined;
    this.#requests = 0;
  }
}
