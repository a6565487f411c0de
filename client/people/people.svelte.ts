/** All people that data in the client mentions. Names are in no room's state; the newest revision wins. */
import { SvelteMap } from 'svelte/reactivity';
import type { People, Person } from '../../shared/people.ts';
import { account } from '../accounts/account.svelte.ts';

class Everyone {
  readonly #known = new SvelteMap<string, Person>();

  receive(people: People) {
    for (const person of Object.values(people)) {
      if (person.rev > (this.#known.get(person.id)?.rev ?? 0)) this.#known.set(person.id, person);
      account.receive(person);
    }
  }

  get(id: string): Person {
    return this.#known.get(id) ?? { id, name: 'Someone', kind: 'registered', rev: 0 };
  }
}

export const people = new Everyone();
