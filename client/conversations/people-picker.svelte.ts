/** Choosing whom to write to: as one types, the server is asked too. */
import { ChatError } from '../../shared/failure.ts';
import type { FoundMember } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { acquaintances, strangers, type Acquaintance } from '../people/acquaintances.ts';
import { findMembers, findRegistered } from '../people/find.ts';
import { Search } from '../people/search.svelte.ts';
import { choices } from './choices.ts';

export class Choosing {
  readonly search = new Search(findPeople);
  /** Those who were found and chosen: they stay where something else is sought. */
  readonly #met = $state<Record<string, Acquaintance>>({});

  shown(chosen: readonly string[], without: readonly string[]): Acquaintance[] {
    const { members, registered } = this.#found;
    const known = acquaintances(members).filter(({ id }) => !without.includes(id));
    const others = registered.filter(
      (id) => !known.some((one) => one.id === id) && !without.includes(id),
    );
    return choices({
      chosen: chosen.flatMap((id) => known.find((one) => one.id === id) ?? this.#met[id] ?? []),
      known,
      found: [...members.map(({ userId }) => userId), ...registered],
      others: strangers(others),
      sought: this.sought,
    });
  }

  /** Without white space around it. */
  get sought() {
    return this.search.typed.trim();
  }

  meet(person: Acquaintance) {
    this.#met[person.id] = person;
  }

  get #found(): FoundPeople {
    const { search } = this;
    return (search.sought === this.sought ? search.found : undefined) ?? nobody;
  }
}

interface FoundPeople {
  members: readonly FoundMember[];
  registered: readonly string[];
}

const nobody: FoundPeople = { members: [], registered: [] };

/** Guests find nobody but those around them. */
async function findPeople(query: string): Promise<FoundPeople> {
  const [members, registered] = await Promise.all([
    findMembers(query),
    account.isGuest ? [] : findRegistered(query),
  ]);
  return { members, registered: registered.map(({ id }) => id) };
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
