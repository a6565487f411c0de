/** Finds people to write to: known people and, while the user types, people on the server. */
import { ChatError } from '../../shared/failure.ts';
import type { FoundMember } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { acquaintances, strangers, type Acquaintance } from '../people/acquaintances.ts';
import { findListedMembers, findRegistered } from '../people/find.ts';
import { PeopleSearch } from '../people/search.svelte.ts';
import { choices } from './choices.ts';

export class PeopleChoice {
  readonly search = new PeopleSearch(findPeople);
  /** People that were found and selected; they stay when the search changes. */
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

/** Guests find only members of their servers. */
async function findPeople(query: string): Promise<FoundPeople> {
  const [members, registered] = await Promise.all([
    findListedMembers(query),
    account.isGuest ? [] : findRegistered(query),
  ]);
  return { members, registered: registered.map(({ id }) => id) };
}

/** Explains a refusal: a person found by name can be closed to this user, and the server does not say which. */
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
