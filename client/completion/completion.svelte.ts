/** Suggests people, channels and emoji: a list opens after @, # or :, and the field keeps the focus. */
import { account } from '../accounts/account.svelte.ts';
import { custom, isCustom } from '../emoji/custom.svelte.ts';
import { allEmoji } from '../emoji/emoji.svelte.ts';
import { noteEmoji } from '../emoji/habits.ts';
import { emojiWritten } from '../emoji/sought.ts';
import { somebody } from '../mentions/somebody.ts';
import { spellingFor, toText, type Somebody } from '../mentions/spelling.ts';
import { people as everyone } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { isKey } from '../ui/keys.ts';
import { typeText } from '../ui/typing.ts';
import {
  channelsFor,
  emojiFor,
  peopleFor,
  soughtIn,
  toned,
  type Option,
  type Sought,
  type Writing,
} from './options.ts';

export class Completion {
  readonly id: string;
  readonly #writing: () => Writing;
  #field: HTMLTextAreaElement | undefined;
  #sought = $state.raw<Sought>();
  /** The index of the sign whose list the user closed, so that it stays closed. */
  #closed = $state<number>();
  #at = $state(0);
  /** The caret's index after a space that choosing a suggestion added. */
  #spaced: number | undefined;

  /** Excludes the user, because nobody mentions themselves. Computed only while a list is open. */
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
    if (kind === 'channel') return channelsFor(letters, this.#writing().channels);
    return kind === 'person'
      ? peopleFor(letters, this.#called, this.#writing())
      : emojiFor(letters, this.serverId);
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

  get attributes() {
    const open = this.chosen && { list: this.id, option: this.optionId(this.chosen) };
    return {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': open?.list,
      'aria-activedescendant': open?.option,
      oninput: this.look,
      onkeyup: this.look,
      onclick: this.look,
      onpaste: this.#paste,
      onblur: this.#leave,
    } as const;
  }

  readonly look = (event: Event & { currentTarget: HTMLTextAreaElement }) => {
    const field = event.currentTarget;
    if (event instanceof InputEvent) this.#closeUp(event, field);
    // Only after an insertion: text that the user restores by undo or deletes must stay as it is.
    if (event instanceof InputEvent && !event.isComposing && event.inputType.startsWith('insert'))
      this.#close(field);
    const { value, selectionStart, selectionEnd } = field;
    const sought =
      selectionStart === selectionEnd ? soughtIn(value, selectionStart, this.#writing) : undefined;
    this.#field = field;
    if (sought?.at !== this.#sought?.at || sought?.letters !== this.#sought?.letters) this.#at = 0;
    if (sought?.at !== this.#closed) this.#closed = undefined;
    this.#sought = sought;
  };

  readonly #leave = () => {
    this.#sought = undefined;
  };

  /** Text pasted from a body contains ids: inserts names instead. */
  readonly #paste = (event: ClipboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const { audience, named, onname } = this.#writing();
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    const written = toText(pasted, audience, somebody);
    if (written.text === pasted || Object.keys(written.named).some((name) => name in named)) return;
    event.preventDefault();
    onname({ ...named, ...written.named });
    typeText(event.currentTarget, written.text);
  };

  /** Returns whether the list handled the key. */
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
    // Replaces a space that is already there, so that there are not two.
    field.setSelectionRange(sought.at, end + (field.value[end] === ' ' ? 1 : 0));
    typeText(field, `${text} `);
    this.#spaced = field.selectionStart;
  }

  /** Drops the added space after a suggestion when the user types punctuation or a space. */
  #closeUp({ data, inputType }: InputEvent, field: HTMLTextAreaElement) {
    const caret = field.selectionStart;
    const ends = inputType === 'insertText' && caret - 1 === this.#spaced;
    this.#spaced = undefined;
    if (!ends || !/^[ !?.,;…)]$/.test(data ?? '')) return;
    field.setSelectionRange(caret - 2, caret);
    typeText(field, data ?? '');
  }

  /** Replaces `:tada:` by the emoji, unless the user closed the list to keep the letters. */
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

  #name(person: Somebody): string | undefined {
    const { audience, named, onname } = this.#writing();
    const name = spellingFor(audience, person, named);
    if (name === undefined) return undefined;
    onname({ ...named, [name]: person.userId });
    return `@${name}`;
  }

  #move(step: 1 | -1) {
    const count = this.found.length;
    this.#at = (Math.min(this.#at, count - 1) + step + count) % count;
  }
}
