/** What the keyboard can do: the list that people read is the table that the handlers use. */
import { isComposing, isField, isKey } from '../ui/keys.ts';

export interface Shortcut<C = void> {
  /** Any of these: see `isKey`. */
  keys: readonly string[];
  /** In a person's words. */
  does: string;
  /** Without one, the browser or the field itself does it. Answering `false` leaves the key to others. */
  act?: (context: C) => unknown;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Pick<Shortcut, 'keys' | 'does'>[];
}

/** Does what the key means here, if anything, and says whether it did. */
export function runShortcut<C>(
  shortcuts: readonly Shortcut<C>[],
  event: KeyboardEvent,
  context: C,
): boolean {
  if (event.defaultPrevented || isComposing(event)) return false;
  const found = shortcuts.find(({ keys, act }) => act && keys.some((key) => isKey(event, key)));
  if (!found?.act || found.act(context) === false) return false;
  event.preventDefault();
  return true;
}

/** One key and nothing held: only where no field takes it, and only as long as somebody wants it (WCAG 2.1.4). */
export const isSingle = ({ keys }: Pick<Shortcut, 'keys'>) => keys.some((key) => key.length === 1);

export const mayBeSingle = ({ target }: KeyboardEvent) => !isField(target);
