/** Replaces the selection as if typed, so that it can be undone. */
export function typeText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else can be undone
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}
