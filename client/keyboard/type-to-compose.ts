/** Starts a message when the user types while no field has the focus: the composer gets the focus and the character. */
import { focusComposer, isInNotice } from '../ui/focus.ts';
import { isField } from '../ui/keys.ts';

export function typeIntoComposer(event: KeyboardEvent): void {
  const { key, target, defaultPrevented, ctrlKey, metaKey, altKey } = event;
  const isCharacter = key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
  if (!isCharacter || defaultPrevented || isField(target)) return;
  if (document.querySelector('dialog:modal, :popover-open') || isInNotice()) return;
  // The browser then inserts the character into the focused composer.
  focusComposer();
}
