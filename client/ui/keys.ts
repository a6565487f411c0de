/** Whether a key belongs to an input method that is still composing: Enter then picks a word, it does not send. */
export const isComposing = (event: KeyboardEvent) =>
  // Safari ends the composition before the key arrives and marks that key by 229 alone.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  event.isComposing || event.keyCode === 229;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/**
 * Whether this is the key of an event: `Mod+k`, `Alt+Shift+ArrowUp`, `?`. Mod is ⌘ on a Mac and Ctrl elsewhere.
 * A sign is a sign, whether or not Shift is needed to type it on this keyboard.
 */
export function isKey(event: KeyboardEvent, combination: string): boolean {
  const [key = '', ...held] = combination.split('+').reverse();
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    (isMac ? event.metaKey : event.ctrlKey) === held.includes('Mod') &&
    !(isMac ? event.ctrlKey : event.metaKey) &&
    event.altKey === held.includes('Alt') &&
    (isSign || event.shiftKey === held.includes('Shift'))
  );
}

const names: Record<string, string> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** A combination as it stands on the keys, one by one. */
export const keyNames = (combination: string): string[] =>
  combination.split('+').map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key));

/** Whether what is typed goes into a field. */
export const isField = (target: EventTarget | null) =>
  target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
