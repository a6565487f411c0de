/** Typing while no field has the focus starts a message: the composer gets the focus, and the character. */
import { focusComposer, isInNotice } from '../ui/focus.ts';
import { isField } from '../ui/keys.ts';

export function typeIntoComposer(event: KeyboardEvent): void {
  const { key, target, defaultPrevented, ctrlKey, metaKey, altKey } = event;
  const isCharacter = key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
  if (!isCharacter || defaultPrevented || isField(target)) return;
  if (document.querySelector('dialog:modal, :popover-open') || isInNotice()) return;
  // The browser inserts the character into the element that is focused by then.
  focusComposer();
}
