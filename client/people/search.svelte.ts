/** People found by what is typed: asked for when the typing pauses, and only the answer to the last of it counts. */
import type { FoundPerson } from '../../shared/accounts.ts';
import { people } from './people.svelte.ts';
import { send } from '../socket.ts';
import { words } from '../words.ts';

/** In milliseconds. */
const pause = 250;

export class Search {
  /** What `found` was found for; nothing while nothing is sought. */
  sought = $state('');
  found = $state.raw<readonly FoundPerson[]>();
  failure = $state<string>();

  #typed = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  get typed() {
    return this.#typed;
  }

  set typed(typed: string) {
    this.#typed = typed;
    clearTimeout(this.#timer);
    if (typed.trim()) this.#timer = setTimeout(() => void this.ask(), pause);
    else this.stop();
  }

  /** What was found stays until there is something else to show. */
  async ask() {
    const query = this.#typed.trim();
    this.failure = undefined;
    try {
      const { users } = await send('user:search', { query });
      if (query !== this.#typed.trim()) return;
      people.hear(Object.fromEntries(users.map((person) => [person.id, person])));
      this.sought = query;
      this.found = users;
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
