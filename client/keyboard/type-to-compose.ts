/** Starts a message when the user types while no field has the focus: the composer gets the focus and the character. */
import { focusComposer, isFocusTaken } from '../ui/focus.ts';

export function typeIntoComposer(event: KeyboardEvent): void {
  const { key, defaultPrevented, ctrlKey, metaKey, altKey } = event;
  const isCharacter = key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
  if (!isCharacter || defaultPrevented || isFocusTaken()) return;
  // The browser then inserts the character into the focused composer.
  focusComposer();
}
