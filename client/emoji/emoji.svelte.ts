/** All Unicode emoji with names, groups and search words. Loaded with the search when first needed. */
import wordsUrl from 'emojilib/dist/emoji-en-US.json?url';
import groupsUrl from 'unicode-emoji-json/data-by-group.json?url';
import type * as Search from './search.ts';
import type { EmojiEntry } from './search.ts';

export interface EmojiGroup {
  name: string;
  emojis: readonly EmojiEntry[];
}

/** The format of data-by-group.json. */
interface Found {
  name: string;
  emojis: { emoji: string; name: string; skin_tone_support: boolean }[];
}

class AllEmoji {
  groups = $state.raw<readonly EmojiGroup[]>([]);
  readonly #all = $derived(this.groups.flatMap(({ emojis }) => emojis));
  #search = $state.raw<typeof Search>();
  #loading: Promise<void> | undefined;

  get isThere(): boolean {
    return this.groups.length > 0;
  }

  /** @throws Error if loading fails; the next call tries again */
  load(): Promise<void> {
    this.#loading ??= this.#fetch().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Best matches first; empty before the emoji have loaded. */
  find(text: string, limit: number): EmojiEntry[] {
    return this.#search?.searchEmoji(this.#all, text, limit) ?? [];
  }

  named(shortcode: string): EmojiEntry | undefined {
    return this.#search?.emojiNamed(this.#all, shortcode);
  }

  async #fetch() {
    const [search, groups, words] = await Promise.all([
      import('./search.ts'),
      fetchJson(groupsUrl) as Promise<Found[]>,
      fetchJson(wordsUrl) as Promise<Record<string, string[]>>,
    ]);
    this.#search = search;
    this.groups = groups.map(({ name, emojis }) => ({
      name,
      emojis: emojis.map(({ emoji: sign, name, skin_tone_support: hasTones }) => ({
        ...{ sign, name, hasTones },
        words: words[sign] ?? [],
      })),
    }));
  }
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

export const allEmoji = new AllEmoji();
