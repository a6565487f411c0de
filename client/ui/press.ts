/** Asks for the menu of something: the right mouse button, the menu key, or a finger that stays. */
import type { From } from './place.ts';

export interface Press extends From {
  /** The pointer that is still down. */
  held: number | undefined;
}

const longMs = 500;
/** How far a finger may move that stays, in px. */
const slop = 10;

/** Calls `open` for an element; answers with what ends that. */
export function onPress(element: HTMLElement, open: (press: Press) => void): () => void {
  let held: number | undefined;
  let start = { x: 0, y: 0 };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let isOpened = false;

  const opened = (x: number, y: number) => {
    clearTimeout(waiting);
    isOpened = true;
    open({ left: x, right: x, top: y, bottom: y, held });
  };
  const down = (event: PointerEvent) => {
    if (isOver(event)) return;
    const { pointerId, pointerType, clientX: x, clientY: y } = event;
    [held, start, isOpened] = [pointerId, { x, y }, false];
    clearTimeout(waiting);
    if (pointerType === 'touch')
      waiting = setTimeout(() => {
        opened(x, y);
      }, longMs);
  };
  const moved = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - start.x, clientY - start.y) > slop) clearTimeout(waiting);
  };
  const ended = () => {
    clearTimeout(waiting);
    held = undefined;
  };
  const asked = (event: MouseEvent) => {
    if (isOver(event)) return;
    event.preventDefault();
    // A browser may ask for the same press that was long enough for us.
    if (!isOpened || held === undefined) opened(event.clientX, event.clientY);
  };
  /** The end of a long press opens nothing else. */
  const clicked = (event: MouseEvent) => {
    // A key clicks, too: no press comes before that.
    if (!isOpened || isOver(event) || event.detail === 0) return;
    isOpened = false;
    event.preventDefault();
    event.stopPropagation();
  };

  const heard = new AbortController();
  const { signal } = heard;
  element.addEventListener('pointerdown', down, { signal });
  element.addEventListener('pointermove', moved, { signal });
  // Wherever it ends: the menu may have captured the pointer.
  addEventListener('pointerup', ended, { signal, capture: true });
  addEventListener('pointercancel', ended, { signal, capture: true });
  element.addEventListener('contextmenu', asked, { signal });
  element.addEventListener('click', clicked, { signal, capture: true });
  return () => {
    clearTimeout(waiting);
    heard.abort();
  };
}

/** In the menu itself, which lies in the element and is seen over it; or in a text, which has a menu of its own. */
const isOver = ({ target }: Event) =>
  target instanceof Element && target.closest('[popover], textarea, input') !== null;
