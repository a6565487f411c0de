/** Finds members by name while the user types: for a large server on the server, otherwise among the loaded members. */
import type { Member } from '../../shared/members.ts';
import { findMembers } from './large-member-requests.ts';
import { largeMembers } from './large-members.svelte.ts';
import { matching, withNames, type NamedPerson } from './find.ts';
import { members } from './members.svelte.ts';

const debounceMs = 200;

export class MemberSearch {
  sought = $state('');
  readonly #serverId: () => string;
  #hits = $state.raw<string[]>([]);

  /** Must be created while a component initializes. */
  constructor(serverId: () => string) {
    this.#serverId = serverId;
    const isLarge = $derived(largeMembers.has(serverId()));
    $effect(() => (isLarge ? this.#ask(serverId(), this.sought.trim()) : undefined));
  }

  /** In a large server only the first results. */
  get everyone(): NamedPerson[] {
    return withNames(this.#serverId(), this.#known());
  }

  get found(): NamedPerson[] {
    return matching(this.everyone, this.sought);
  }

  #known(): Member[] {
    const serverId = this.#serverId();
    return largeMembers.has(serverId) ? members.among(serverId, this.#hits) : members.of(serverId);
  }

  #ask(serverId: string, query: string): () => void {
    const timer = setTimeout(() => {
      findMembers(serverId, query).then(
        (hits) => {
          if (query === this.sought.trim()) this.#hits = hits;
        },
        () => undefined,
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
    };
  }
}
