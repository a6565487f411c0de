/** Copies text; also over plain http, where the clipboard API is not available. Returns whether it succeeded. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  const holder = document.querySelector('dialog:modal') ?? document.body;
  const focused = document.activeElement;
  field.value = text;
  field.className = 'hidden-visually';
  holder.append(field);
  field.select();
  // Deprecated, and the only way without https.
  // oxlint-disable-next-line typescript/no-deprecated
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
