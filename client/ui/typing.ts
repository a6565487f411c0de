/** Replaces the selection as if typed, so that it can be undone. */
export function typeText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // oxlint-disable-next-line typescript/no-deprecated -- no other way keeps undo
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}
