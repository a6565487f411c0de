/** Finding members by name, as one types: of a large server the server is asked, of others everyone is here. */
import type { Member } from '../../shared/members.ts';
import { crowds } from './large-members.svelte.ts';
import { matching, named, type NamedPerson } from './find.ts';
import { members } from './members.svelte.ts';

const pause = 200;

export class Search {
  sought = $state('');
  readonly #serverId: () => string;
  #hits = $state.raw<string[]>([]);

  /** To be made while a component is. */
  constructor(serverId: () => string) {
    this.#serverId = serverId;
    const isLarge = $derived(crowds.has(serverId()));
    $effect(() => (isLarge ? this.#ask(serverId(), this.sought.trim()) : undefined));
  }

  /** Of a large server some: the first of those who are found. */
  get everyone(): NamedPerson[] {
    return named(this.#serverId(), this.#known());
  }

  get found(): NamedPerson[] {
    return matching(this.everyone, this.sought);
  }

  #known(): Member[] {
    const serverId = this.#serverId();
    return crowds.has(serverId) ? members.among(serverId, this.#hits) : members.of(serverId);
  }

  #ask(serverId: string, query: string): () => void {
    const timer = setTimeout(() => {
      crowds.find(serverId, query).then(
        (hits) => {
          if (query === this.sought.trim()) this.#hits = hits;
        },
        () => undefined,
      );
    }, pause);
    return () => {
      clearTimeout(timer);
    };
  }
}
