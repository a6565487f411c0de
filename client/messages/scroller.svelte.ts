/**
 * Where the reader is in a list that grows at both ends. At the end it stays at the end; anywhere else the
 * row in view stays where it is, whatever is added or taken away around it.
 */
import type { Attachment } from 'svelte/attachments';

const near = 100;

export class Scroller {
  atEnd = $state(true);
  #box: HTMLElement | undefined;
  readonly #onmove: (box: HTMLElement) => void;

  /** `onmove` hears of every scrolling and of every change of size. */
  constructor(onmove: (box: HTMLElement) => void) {
    this.#onmove = onmove;
  }

  readonly attach: Attachment<HTMLElement> = (box) => {
    this.#box = box;
    const moved = () => {
      this.#moved(box);
    };
    const resized = new ResizeObserver(() => {
      if (this.atEnd) this.toEnd();
      else moved();
    });
    resized.observe(box);
    for (const child of box.children) resized.observe(child);
    box.addEventListener('scroll', moved, { passive: true });
    return () => {
      resized.disconnect();
      box.removeEventListener('scroll', moved);
      this.#box = undefined;
    };
  };

  #moved(box: HTMLElement) {
    this.atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < near;
    this.#onmove(box);
  }

  toEnd() {
    this.atEnd = true;
    if (this.#box) this.#box.scrollTop = this.#box.scrollHeight;
  }

  /** Brings an element into view with a third of the list above it. */
  show(element: Element) {
    const box = this.#box;
    if (!box) return;
    this.atEnd = false;
    const down = element.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTop += down - box.clientHeight / 3;
    this.#moved(box);
  }

  /** Remembers the first row in view; what it answers puts that row back to where it was. */
  hold(): () => void {
    const box = this.#box;
    const top = box?.getBoundingClientRect().top ?? 0;
    const row = [...(box?.querySelectorAll<HTMLElement>('[data-id]') ?? [])].find(
      (element) => element.getBoundingClientRect().bottom > top,
    );
    const before = row?.getBoundingClientRect().top ?? 0;
    return () => {
      if (box && row?.isConnected) box.scrollTop += row.getBoundingClientRect().top - before;
    };
  }
}
