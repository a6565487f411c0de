/** True while an input method is composing: Enter then picks a word and must not send. */
export const isComposing = (event: KeyboardEvent) =>
  // Safari ends the composition before the key arrives and marks that key by 229 alone.
  // oxlint-disable-next-line typescript/no-deprecated
  event.isComposing || event.keyCode === 229;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** True for a combination such as `Mod+k`. Mod is ⌘ on a Mac, else Ctrl. A symbol matches with or without Shift. */
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
  Plus: '+',
  Mod: isMac ? '⌘' : 'Ctrl',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** The names of a combination's keys, one by one, as keyboards label them. */
export const keyNames = (combination: string): string[] =>
  combination.split('+').map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key));

export const isField = (target: EventTarget | null) =>
  target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
