/** Of emoji what is seldom needed. */
import { later } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

const EmojiPicker = later(() => import('./EmojiPicker.svelte'));

/** Beside what was pressed for it. */
export function pickEmoji(opener: Element, onpick: (sign: string) => void): void {
  const from = opener.getBoundingClientRect();
  overlay.open(EmojiPicker, () => ({ from, onpick }));
}
