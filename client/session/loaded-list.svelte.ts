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
