/** Lists that are no room state: a page asks for one while it shows it. */
import { errorText } from '../ui/error-text.ts';

/** Work that may fail, and why it did the last time. */
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
  /** Undefined until it has been loaded. */
  list = $state.raw<readonly T[]>();

  protected abstract read(): Promise<readonly T[]>;

  load(): Promise<void> {
    return this.run(async () => {
      this.list = await this.read();
    });
  }
}
