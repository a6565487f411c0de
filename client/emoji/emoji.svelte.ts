/**
 * All emoji, with the names and groups of Unicode and the words by which people look for them. Fetched when first
 * needed, with how they are found.
 */
import wordsUrl from 'emojilib/dist/emoji-en-US.json?url';
import groupsUrl from 'unicode-emoji-json/data-by-group.json?url';
import type * as Search from './search.ts';
import type { Emoji } from './search.ts';

export interface EmojiGroup {
  name: string;
  emojis: readonly Emoji[];
}

/** As data-by-group.json has them. */
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

  /** @throws Error when they cannot be had now; the next call tries again */
  load(): Promise<void> {
    this.#loading ??= this.#fetch().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** The best first. None before they have come. */
  find(text: string, most: number): Emoji[] {
    return this.#search?.searchEmoji(this.#all, text, most) ?? [];
  }

  /** The one that `:tada:` means. */
  named(shortcode: string): Emoji | undefined {
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
