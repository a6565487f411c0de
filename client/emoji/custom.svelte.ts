import type { CustomEmoji } from '../../shared/emoji.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import type { EmojiEntry } from './search.ts';

class Custom {
  readonly rows = new RowsByRoom<CustomEmoji>(({ id }) => id);

  of(serverId: string | undefined): CustomEmoji[] {
    if (serverId === undefined) return [];
    const rows = this.rows.in(serverRoom(serverId))?.values() ?? [];
    return [...rows].sort((a, b) => a.name.localeCompare(b.name));
  }

  find(serverId: string | undefined, text: string, limit: number): CustomEmoji[] {
    const sought = text.trim().toLowerCase().replaceAll(' ', '_');
    return this.of(serverId)
      .filter(({ name }) => name.includes(sought))
      .sort((a, b) => Number(b.name.startsWith(sought)) - Number(a.name.startsWith(sought)))
      .slice(0, limit);
  }

  get(serverId: string | undefined, sign: string): CustomEmoji | undefined {
    if (serverId === undefined || !customSign.test(sign)) return undefined;
    const name = sign.slice(1, -1);
    for (const one of this.rows.in(serverRoom(serverId))?.values() ?? [])
      if (one.name === name) return one;
    return undefined;
  }
}

export const custom = new Custom();

export const asEmoji = ({ name }: CustomEmoji): EmojiEntry => ({
  ...{ sign: `:${name}:`, name: name.replaceAll('_', ' '), words: [], hasTones: false },
});

/** True for an emoji of one server. Recently used emoji are offered in every server, so these are left out. */
export const isCustom = ({ sign }: Pick<EmojiEntry, 'sign'>): boolean => sign.startsWith(':');

const customSign = /^:[a-z0-9_]{2,32}:$/;

export const emojiHref = ({ id }: Pick<CustomEmoji, 'id'>): string => `/files/${id}/emoji`;
