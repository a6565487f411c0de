/** Choosing whom to write to: as one types, the server is asked too. */
import { ChatError } from '../../shared/failure.ts';
import { account } from '../accounts/account.svelte.ts';
import { acquaintances, type Acquaintance } from '../people/acquaintances.ts';
import { people } from '../people/people.svelte.ts';
import { Search } from '../people/search.svelte.ts';
import { choices } from './choices.ts';

export class Choosing {
  readonly search = new Search();
  #typed = $state('');
  /** Those who were found and chosen: they stay where something else is sought. */
  readonly #met = $state<Record<string, Acquaintance>>({});

  get typed() {
    return this.#typed;
  }

  set typed(typed: string) {
    this.#typed = typed;
    // Guests find nobody but those around them.
    if (!account.isGuest) this.search.typed = typed;
  }

  shown(chosen: readonly string[], without: readonly string[]): Acquaintance[] {
    const known = acquaintances().filter(({ id }) => !without.includes(id));
    return choices({
      chosen: chosen.flatMap((id) => known.find((one) => one.id === id) ?? this.#met[id] ?? []),
      known,
      found: this.#found.filter(({ id }) => !without.includes(id)),
      sought: this.sought,
    });
  }

  /** Without white space around it. */
  get sought() {
    return this.#typed.trim();
  }

  /** The answer to what was typed is still to come. */
  get isSeeking() {
    return (
      !account.isGuest &&
      this.sought !== '' &&
      !this.search.failure &&
      this.search.sought !== this.sought
    );
  }

  meet(person: Acquaintance) {
    this.#met[person.id] = person;
  }

  get #found(): Acquaintance[] {
    if (this.search.sought !== this.sought) return [];
    return (this.search.found ?? []).map(({ id, username }) => ({
      id,
      name: people.get(id).name,
      about: `@${username}`,
    }));
  }
}

/** Whoever was found by name may be somebody one cannot write to; which of them it is, the server does not say. */
export async function reaching<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ChatError && error.code === 'not_found')
      throw new ChatError(
        'not_found',
        'You can’t message one of these people. You need a shared server, or to be friends.',
      );
    throw error;
  }
}
