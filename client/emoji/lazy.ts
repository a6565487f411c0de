import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

export const EmojiPicker = lazy(() => import('./EmojiPicker.svelte'));

export function pickEmoji(
  opener: Element,
  serverId: string | undefined,
  onpick: (sign: string) => void,
): void {
  const from = opener.getBoundingClientRect();
  overlay.open(EmojiPicker, () => ({ from, serverId, onpick }));
}
