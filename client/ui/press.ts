/** Opens a context menu by right click, menu key or long press. */
import type { From } from './place.ts';

export interface Press extends From {
  held: number | undefined;
}

const longMs = 500;
/** How far a finger can move during a long press, in pixels. */
const slop = 10;

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
    // The browser can also fire `contextmenu` for a press that has already opened the menu.
    if (!isOpened || held === undefined) opened(event.clientX, event.clientY);
  };
  /** Suppresses the click at the end of a long press. */
  const clicked = (event: MouseEvent) => {
    // A key also triggers a click, without a press before it.
    if (!isOpened || isOver(event) || event.detail === 0) return;
    isOpened = false;
    event.preventDefault();
    event.stopPropagation();
  };

  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener('pointerdown', down, { signal });
  element.addEventListener('pointermove', moved, { signal });
  // On the window, because the menu can have captured the pointer.
  addEventListener('pointerup', ended, { signal, capture: true });
  addEventListener('pointercancel', ended, { signal, capture: true });
  element.addEventListener('contextmenu', asked, { signal });
  element.addEventListener('click', clicked, { signal, capture: true });
  return () => {
    clearTimeout(waiting);
    listening.abort();
  };
}

/** True in the menu itself, which is within the element, and in text fields, which have their own context menu. */
const isOver = ({ target }: Event) =>
  target instanceof Element && target.closest('[popover], textarea, input') !== null;
