/** Choosing whom to mention while one writes: a list opens behind an @, and the field keeps the keyboard. */
import { account } from '../accounts/account.svelte.ts';
import { groupByLook, handleOf, lookOf } from '../people/looks.ts';
import { people as everyone } from '../people/people.svelte.ts';
import { isKey } from '../ui/keys.ts';
import { spell, spellingOf, type Somebody } from './spelling.ts';
import { soughtAt, suggest, type Sought } from './suggest.ts';

export class Mentioning {
  readonly id: string;
  readonly #people: () => readonly Somebody[];
  #field: HTMLTextAreaElement | undefined;
  #sought = $state.raw<Sought>();
  /** The @ whose list was closed: it stays so. */
  #closed = $state<number>();
  #at = $state(0);

  /** Nobody mentions themselves. Guests and bots of one name are told apart, too. */
  readonly #called = $derived.by(() => {
    const others = this.#people().filter(({ userId }) => userId !== account.id);
    const alike = groupByLook(others, ({ name }) => lookOf(name));
    return others.map((one) => {
      const person = everyone.get(one.userId);
      const isAlone = alike.get(lookOf(one.name))?.length === 1;
      const handle = isAlone && person.username === undefined ? '' : handleOf(person);
      return { ...one, also: person.name, handle };
    });
  });
  readonly found = $derived(
    this.#sought && this.#sought.at !== this.#closed
      ? suggest(this.#called, this.#sought.letters)
      : [],
  );
  readonly chosen = $derived(this.found[Math.min(this.#at, this.found.length - 1)]);

  constructor(id: string, people: () => readonly Somebody[]) {
    this.id = id;
    this.#people = people;
  }

  optionId(userId: string) {
    return `${this.id}-${userId}`;
  }

  /** What a field says of its list. */
  get aria() {
    const open = this.chosen && { list: this.id, option: this.optionId(this.chosen.userId) };
    return {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': open?.list,
      'aria-activedescendant': open?.option,
    } as const;
  }

  /** The text or the caret has changed. */
  readonly look = (event: { currentTarget: HTMLTextAreaElement }) => {
    const field = event.currentTarget;
    const { value, selectionStart, selectionEnd } = field;
    const sought = selectionStart === selectionEnd ? soughtAt(value, selectionStart) : undefined;
    this.#field = field;
    if (sought?.at !== this.#sought?.at || sought?.letters !== this.#sought?.letters) this.#at = 0;
    if (sought?.at !== this.#closed) this.#closed = undefined;
    this.#sought = sought;
  };

  readonly leave = () => {
    this.#sought = undefined;
  };

  /** Whether the key was for the list. */
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

  choose(one: Somebody) {
    const [field, sought] = [this.#field, this.#sought];
    if (!field || !sought) return;
    const words = `${spell(spellingOf(this.#people()), one)} `;
    field.setRangeText(words, sought.at, sought.at + 1 + sought.letters.length, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    field.focus();
  }

  #move(step: 1 | -1) {
    const count = this.found.length;
    this.#at = (Math.min(this.#at, count - 1) + step + count) % count;
  }
}
