/** Choosing whom to mention while one writes: a list opens behind an @, and the field keeps the keyboard. */
import type { Role } from '../../shared/permissions.ts';
import { account } from '../accounts/account.svelte.ts';
import { people as everyone } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { isKey } from '../ui/keys.ts';
import { somebody } from './somebody.ts';
import { spell, toText, type Named, type Somebody } from './spelling.ts';
import { soughtAt, suggest, type Sought } from './suggest.ts';

/** Somebody who sees what is written. */
export interface Listener extends Somebody {
  role?: Role;
}

/** What is written in the field of which this is the list. */
interface Writing {
  /** Whom one may mention. */
  audience: readonly Listener[];
  /** Who spoke last comes first. */
  speakers: readonly string[];
  /** Whom the names mean that were chosen so far. */
  named: Named;
  /** From now on this name means somebody. */
  onname: (named: Named) => void;
}

export class Mentioning {
  readonly id: string;
  readonly #writing: () => Writing;
  #field: HTMLTextAreaElement | undefined;
  #sought = $state.raw<Sought>();
  /** The @ whose list was closed: it stays so. */
  #closed = $state<number>();
  #at = $state(0);

  /** Nobody mentions themselves. Read only while a list is open. */
  readonly #called = $derived.by(() =>
    this.#writing()
      .audience.filter(({ userId }) => userId !== account.id)
      .map((one) => ({
        ...one,
        also: everyone.get(one.userId).name,
        isAway: presence.anywhere(one.userId) === 'offline',
      })),
  );
  readonly found = $derived.by(() =>
    this.#sought && this.#sought.at !== this.#closed
      ? suggest(this.#called, this.#sought.letters, this.#writing().speakers)
      : [],
  );
  readonly chosen = $derived(this.found[Math.min(this.#at, this.found.length - 1)]);

  constructor(id: string, writing: () => Writing) {
    this.id = id;
    this.#writing = writing;
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

  /** What was copied as it is sent has ids in it: here they are names. */
  readonly paste = (event: ClipboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const { audience, named, onname } = this.#writing();
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    const written = toText(pasted, audience, somebody);
    if (written.text === pasted || Object.keys(written.named).some((name) => name in named)) return;
    event.preventDefault();
    onname({ ...named, ...written.named });
    type(event.currentTarget, written.text);
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
    const { audience, named, onname } = this.#writing();
    const name = spell(audience, one, named);
    if (!field || !sought || name === undefined) return;
    onname({ ...named, [name]: one.userId });
    field.setSelectionRange(sought.at, sought.at + 1 + sought.letters.length);
    type(field, `@${name} `);
  }

  #move(step: 1 | -1) {
    const count = this.found.length;
    this.#at = (Math.min(this.#at, count - 1) + step + count) % count;
  }
}

/** In place of what is selected, as if by hand: so it can be undone. */
function type(field: HTMLTextAreaElement, text: string) {
  field.focus();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else can be undone
  document.execCommand('insertText', false, text);
}
