/** Whether this device is in use: without a touch, a key or a look at it for ten minutes it is not. */
import { isOpen, on, send } from '../session/socket.ts';

const patience = 10 * 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let usedAt = Date.now();
let active = true;

export function watchUse(): void {
  for (const sign of signs) addEventListener(sign, used, { capture: true, passive: true });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) used();
  });
  // A new connection counts as in use, until it says otherwise.
  on('ready', () => {
    if (!active) say();
  });
  lookAgain();
}

function used(): void {
  usedAt = Date.now();
  if (active) return;
  active = true;
  say();
}

/** Looks when the time could be up, and not at every key that puts it off. */
function lookAgain(): void {
  const left = usedAt + patience - Date.now();
  if (left <= 0 && active) {
    active = false;
    say();
  }
  setTimeout(lookAgain, left > 0 ? left : patience);
}

/** Lost with the connection: the next one hears it anew. */
function say(): void {
  if (isOpen()) send('presence:update', { active }).catch(() => undefined);
}
