/** Replaces the selection as if typed, so that it can be undone. */
export function typeText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else can be undone
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
}
