/**
 * Suggests people, channels and emoji while the user writes: a list opens after @, # or :, and the field keeps the
 * focus.
 */
import type { Channel } from '../../shared/channels.ts';
import type { Role } from '../../shared/permissions.ts';
import { account } from '../accounts/account.svelte.ts';
import { people as everyone } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { emojiSought, emojiWritten } from '../emoji/sought.ts';
import { asEmoji, custom, isCustom } from '../emoji/custom.svelte.ts';
import { allEmoji } from '../emoji/emoji.svelte.ts';
import { emojiHabits, noteEmoji } from '../emoji/habits.ts';
import type { EmojiEntry } from '../emoji/search.ts';
import { inTone } from '../emoji/tones.ts';
import { somebody } from '../mentions/somebody.ts';
import { spell, toText, type ChosenNames, type Somebody } from '../mentions/spelling.ts';
import {
  soughtAt,
  suggest,
  suggestChannels,
  type MentionCandidate,
  type PersonMatch,
} from '../mentions/suggest.ts';
import { isKey } from '../ui/keys.ts';
import { typeText } from '../ui/typing.ts';

/** A person who sees the message. */
export interface Mentionable extends Somebody {
  role?: Role;
}

/** A suggestion, with a unique `key`. */
export type Option =
  | { kind: 'person'; key: string; person: MentionCandidate & Mentionable }
  /** @everyone or @here. */
  | { kind: 'call'; key: string; text: string; about: string }
  | { kind: 'channel'; key: string; channel: Channel }
  | { kind: 'emoji'; key: string; emoji: EmojiEntry; sign: string };

/** The field that the list belongs to. */
interface Writing {
  /** The server, which may have its own emoji; undefined in a conversation. */
  serverId: string | undefined;
  /** The people who can be mentioned. */
  audience: readonly Mentionable[];
  /** Whether the user may mention @everyone and @here. */
  canCall: boolean;
  /** The channels that can be mentioned. */
  channels: readonly Channel[];
  /** User ids, most recent author first. */
  speakers: readonly string[];
  /** The people meant by the names chosen so far. */
  named: ChosenNames;
  /** A name was chosen for a person. */
  onname: (named: ChosenNames) => void;
}

const maxEmoji = 8;

const calls = [
  { kind: 'call', key: 'everyone', text: '@everyone', about: 'Notify everyone here' },
  { kind: 'call', key: 'here', text: '@here', about: 'Notify everyone who’s online' },
] as const;

export class Completion {
  readonly id: string;
  readonly #writing: () => Writing;
  #field: HTMLTextAreaElement | undefined;
  #sought = $state.raw<PersonMatch & { kind: Option['kind'] }>();
  /** The index of the sign whose list was closed: it stays closed. */
  #closed = $state<number>();
  #at = $state(0);
  /** The caret's index after a space that choosing a suggestion added. */
  #spaced: number | undefined;

  /** Nobody mentions themselves. Computed only while a list is open. */
  readonly #called = $derived.by(() =>
    this.#writing()
      .audience.filter(({ userId }) => userId !== account.id)
      .map((one) => ({
        ...one,
        also: everyone.get(one.userId).name,
        isAway: presence.anywhere(one.userId) === 'offline',
      })),
  );
  readonly found = $derived.by((): Option[] => {
    if (!this.#sought || this.#sought.at === this.#closed) return [];
    const { kind, letters } = this.#sought;
    if (kind === 'channel') return this.#channels(letters);
    return kind === 'person' ? this.#people(letters) : this.#emoji(letters);
  });
  readonly chosen = $derived(this.found[Math.min(this.#at, this.found.length - 1)]);

  constructor(id: string, writing: () => Writing) {
    this.id = id;
    this.#writing = writing;
  }

  get serverId() {
    return this.#writing().serverId;
  }

  get kind() {
    return this.#sought?.kind;
  }

  optionId({ key }: Option) {
    return `${this.id}-${key}`;
  }

  /** The field's ARIA attributes for its list. */
  get aria() {
    const open = this.chosen && { list: this.id, option: this.optionId(this.chosen) };
    return {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': open?.list,
      'aria-activedescendant': open?.option,
    } as const;
  }

  /** The text or the caret has changed. */
  readonly look = (event: Event & { currentTarget: HTMLTextAreaElement }) => {
    const field = event.currentTarget;
    if (event instanceof InputEvent) this.#closeUp(event, field);
    // Only after an insertion: what the user restores by undo or deletes must stay as it is.
    if (event instanceof InputEvent && !event.isComposing && event.inputType.startsWith('insert'))
      this.#close(field);
    const { value, selectionStart, selectionEnd } = field;
    const sought =
      selectionStart === selectionEnd ? this.#soughtIn(value, selectionStart) : undefined;
    this.#field = field;
    if (sought?.at !== this.#sought?.at || sought?.letters !== this.#sought?.letters) this.#at = 0;
    if (sought?.at !== this.#closed) this.#closed = undefined;
    this.#sought = sought;
  };

  readonly leave = () => {
    this.#sought = undefined;
  };

  /** Pasted text of a body contains ids: they become names here. */
  readonly paste = (event: ClipboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const { audience, named, onname } = this.#writing();
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    const written = toText(pasted, audience, somebody);
    if (written.text === pasted || Object.keys(written.named).some((name) => name in named)) return;
    event.preventDefault();
    onname({ ...named, ...written.named });
    typeText(event.currentTarget, written.text);
  };

  /** Whether the list handled the key. */
  key(event: KeyboardEvent): boolean {
    const { chosen } = this;
    if (!chosen) return false;
    if (isKey(event, 'ArrowDown')) this.#move(1);
    else if (isKey(event, 'ArrowUp')) this.#move(-1);
    else if (isKey(event, 'Enter') || isKey(event, 'Tab')) this.choose(chosen);
    else if (isKey(event, 'Escape')) this.#closed = this.#sought?.at;
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  choose(option: Option) {
    const [field, sought] = [this.#field, this.#sought];
    const text = this.#textOf(option);
    if (!field || !sought || text === undefined) return;
    if (option.kind === 'emoji' && !isCustom(option)) noteEmoji(option.emoji.sign);
    const end = sought.at + 1 + sought.letters.length;
    // Replace a space that is already there, so that there are not two.
    field.setSelectionRange(sought.at, end + (field.value[end] === ' ' ? 1 : 0));
    typeText(field, `${text} `);
    this.#spaced = field.selectionStart;
  }

  /** A punctuation mark or a space after a chosen suggestion replaces the added space. */
  #closeUp({ data, inputType }: InputEvent, field: HTMLTextAreaElement) {
    const caret = field.selectionStart;
    const ends = inputType === 'insertText' && caret - 1 === this.#spaced;
    this.#spaced = undefined;
    if (!ends || !/^[ !?.,;…)]$/.test(data ?? '')) return;
    field.setSelectionRange(caret - 2, caret);
    typeText(field, data ?? '');
  }

  /** `:tada:` becomes the emoji, unless the user closed the list to keep the letters. */
  #close(field: HTMLTextAreaElement) {
    const { value, selectionStart: caret } = field;
    const written = emojiWritten(value, caret);
    if (!written || written.at === this.#closed) return;
    if (custom.get(this.serverId, `:${written.letters}:`)) return;
    if (!allEmoji.isThere)
      return void allEmoji.load().then(
        () => this.#close(field),
        () => undefined,
      );
    const found = allEmoji.named(written.letters);
    if (!found) return;
    noteEmoji(found.sign);
    field.setSelectionRange(written.at, caret);
    typeText(field, toned(found));
  }

  #textOf(option: Option): string | undefined {
    if (option.kind === 'person') return this.#name(option.person);
    if (option.kind === 'call') return option.text;
    return option.kind === 'channel' ? `#${option.channel.name}` : option.sign;
  }

  #soughtIn(text: string, caret: number) {
    const person = soughtAt(text, caret);
    if (person) return { ...person, kind: 'person' } as const;
    const channel = soughtAt(text, caret, '#');
    if (channel && this.#writing().channels.length > 0)
      return { ...channel, kind: 'channel' } as const;
    const emoji = emojiSought(text, caret);
    if (!emoji) return undefined;
    // If they fail to load, none are suggested; the picker shows the error.
    void allEmoji.load().catch(() => undefined);
    return { ...emoji, kind: 'emoji' } as const;
  }

  #people(letters: string): Option[] {
    const { speakers, canCall } = this.#writing();
    const wanted = letters.toLowerCase();
    return [
      ...suggest(this.#called, letters, speakers).map((person): Option => ({
        ...{ kind: 'person', key: person.userId, person },
      })),
      ...calls.filter(({ key }) => canCall && key.startsWith(wanted)),
    ];
  }

  #channels(letters: string): Option[] {
    return suggestChannels(this.#writing().channels, letters).map((channel) => ({
      kind: 'channel',
      key: channel.id,
      channel,
    }));
  }

  #emoji(letters: string): Option[] {
    const own = custom.find(this.serverId, letters, maxEmoji).map(asEmoji);
    return [...own, ...allEmoji.find(letters, maxEmoji)].slice(0, maxEmoji).map((emoji) => ({
      kind: 'emoji',
      key: `${isCustom(emoji) ? 'own-' : ''}${emoji.name.replaceAll(' ', '-')}`,
      emoji,
      sign: toned(emoji),
    }));
  }

  /** Records that this name means the person. */
  #name(person: Somebody): string | undefined {
    const { audience, named, onname } = this.#writing();
    const name = spell(audience, person, named);
    if (name === undefined) return undefined;
    onname({ ...named, [name]: person.userId });
    return `@${name}`;
  }

  #move(step: 1 | -1) {
    const count = this.found.length;
    this.#at = (Math.min(this.#at, count - 1) + step + count) % count;
  }
}

/** In the user's skin tone. */
const toned = ({ sign, hasTones }: EmojiEntry) =>
  hasTones ? inTone(sign, emojiHabits().tone) : sign;
