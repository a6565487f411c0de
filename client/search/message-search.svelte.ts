import { SvelteMap } from 'svelte/reactivity';
import type { FoundChannel } from '../../shared/channels.ts';
import type { Output } from '../../shared/protocol.ts';
import type { Hit } from '../../shared/search.ts';
import { QueryProblem, readQuery } from '../../shared/search-query.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { send } from '../session/socket.ts';
import { withMoments } from './filters.ts';
import { wordsIn } from './marked.ts';

const debounceMs = 300;
/** Number of pages without a hit that are loaded automatically before the user is asked. */
const maxAutomatic = 12;

export type SearchOrder = 'newest' | 'best';

class MessageSearch {
  order = $state<SearchOrder>('newest');
  hits = $state.raw<readonly Hit[]>([]);
  channels = new SvelteMap<string, FoundChannel>();
  atLeast = $state(0);
  more = $state<string>();
  failure = $state<string>();
  isAsking = $state(false);
  /** The query of the current results. */
  sought = $state('');
  visited = $state<string>();
  #typed = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  #userId: string | undefined;
  #asked = 0;

  get typed() {
    return this.#typed;
  }

  set typed(typed: string) {
    this.#typed = typed;
    clearTimeout(this.#timer);
    if (typed.trim() === '') this.clear();
    else this.#timer = setTimeout(() => void this.ask(), debounceMs);
  }

  get words(): readonly string[] {
    return wordsIn(this.sought);
  }

  /** Resets the search if another user has signed in on this page. */
  begin(query: string) {
    if (this.#userId !== account.id) {
      this.#userId = account.id;
      this.typed = '';
    }
    if (query === '') return;
    this.typed = query;
    void this.ask();
  }

  clear() {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.hits = [];
    this.channels.clear();
    this.atLeast = 0;
    this.more = this.failure = this.visited = undefined;
    this.isAsking = false;
    this.sought = '';
  }

  async ask() {
    const query = this.#typed.trim();
    if (query === '') return;
    this.clear();
    const problem = readQuery(query);
    this.sought = query;
    if (problem instanceof QueryProblem) this.failure = problem.message;
    else await this.#go(undefined);
  }

  async loadMore() {
    if (this.more !== undefined && !this.isAsking) await this.#go(this.more);
  }

  /** Continues until a page has hits, because rare words can be far back. */
  async #go(before: string | undefined) {
    const asked = (this.#asked += 1);
    this.isAsking = true;
    this.failure = undefined;
    try {
      let next = before;
      for (let pages = 0; pages < maxAutomatic; pages += 1) {
        const page = await send('message:search', {
          query: withMoments(this.sought),
          order: this.order,
          ...(next !== undefined && { before: next }),
        });
        if (asked !== this.#asked) return;
        this.#add(page);
        next = page.more;
        if (next === undefined || page.hits.length > 0) break;
      }
    } catch (error) {
      if (asked === this.#asked) this.failure = errorText(error);
    } finally {
      if (asked === this.#asked) this.isAsking = false;
    }
  }

  #add({ hits, people: found, channels, atLeast, more }: Output<'message:search'>) {
    people.receive(found);
    for (const channel of channels) this.channels.set(channel.id, channel);
    this.atLeast = this.hits.length + atLeast;
    this.hits = [...this.hits, ...hits];
    this.more = more;
  }
}

export const messageSearch = new MessageSearch();
