/** Keyboard shortcuts. The list that users read is the table that the handlers use. */
import { isComposing, isField, isKey } from '../ui/keys.ts';

export interface Shortcut<C = void> {
  /** Any of these combinations: see `isKey`. */
  keys: readonly string[];
  does: string;
  /** Absent if the browser or the field handles the key. Returns `false` to pass the key on. */
  act?: (context: C) => unknown;
}

export interface ShortcutGroup {
  title: string;
  shortcuts: readonly Pick<Shortcut, 'keys' | 'does'>[];
}

/** Runs the shortcut of a key, if any. Returns whether it was handled. */
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

/** A single key without modifiers: only outside of fields, and only while single-key shortcuts are on (WCAG 2.1.4). */
export const isSingle = ({ keys }: Pick<Shortcut, 'keys'>) => keys.some((key) => key.length === 1);

export const canBeSingle = ({ target }: KeyboardEvent) => !isField(target);
