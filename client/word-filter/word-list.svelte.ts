import { LoadedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

export class WordList extends LoadedList<string> {
  readonly #serverId: string;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(serverId: string) {
    super();
    this.#serverId = serverId;
  }

  protected async read() {
    return (await send('wordFilter:get', { serverId: this.#serverId })).words;
  }

  /** Changes the latest list. One change at a time, because each sends the whole list. */
  change(to: (words: string[]) => string[]): Promise<void> {
    const change = this.#changing.then(async () => {
      const words = to(await this.read());
      this.list = (await send('wordFilter:set', { serverId: this.#serverId, words })).words;
    });
    this.#changing = change.catch(() => undefined);
    return change;
  }
}
