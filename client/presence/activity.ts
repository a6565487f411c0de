/** Whether this device is in use: it is idle after ten minutes without input and without becoming visible. */
import { isOpen, on, send } from '../session/socket.ts';

const idleAfterMs = 10 * 60_000;
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let usedAt = Date.now();
let active = true;

export function watchUse(): void {
  for (const sign of signs) addEventListener(sign, used, { capture: true, passive: true });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) used();
  });
  // The server assumes that a new connection is active, so an idle one has to report it.
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

/** Checks when the time can be over, instead of restarting a timer on each key. */
function lookAgain(): void {
  const left = usedAt + idleAfterMs - Date.now();
  if (left <= 0 && active) {
    active = false;
    say();
  }
  setTimeout(lookAgain, left > 0 ? left : idleAfterMs);
}

/** If it is lost with the connection, the next `ready` sends it again. */
function say(): void {
  if (isOpen()) send('presence:update', { active }).catch(() => undefined);
}
