/**
 * Where the reader is in a list that grows at both ends. At the end it stays at the end; anywhere else the
 * row in view stays where it is, whatever is added, taken away or grows around it.
 */
import type { Attachment } from 'svelte/attachments';

const near = 100;

/** A row, and how far below the upper edge it stands. */
interface Anchor {
  row: HTMLElement;
  top: number;
}

interface Callbacks {
  /** Hears of every scrolling and of every change of size. */
  onmove: (box: HTMLElement) => void;
  /** Whether the end of the list is the end of all: only there does one stay at the end. */
  isWhole: () => boolean;
}

export class Scroller {
  atEnd = $state(true);
  #box: HTMLElement | undefined;
  #anchor: Anchor | undefined;
  /** How far it was scrolled when the anchor was taken: anywhere else, somebody has scrolled since. */
  #top = 0;
  readonly #callbacks: Callbacks;

  constructor(callbacks: Callbacks) {
    this.#callbacks = callbacks;
  }

  readonly attach: Attachment<HTMLElement> = (box) => {
    this.#box = box;
    const moved = () => {
      this.#moved(box);
    };
    const resized = new ResizeObserver(() => {
      if (this.atEnd) this.toEnd();
      else {
        if (this.#anchor && box.scrollTop === this.#top) this.putBack(this.#anchor);
        moved();
      }
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

  toEnd() {
    this.atEnd = true;
    if (this.#box) this.#box.scrollTop = this.#box.scrollHeight;
  }

  /** Brings an element into view, with a third of the list above it unless it is said how much. */
  show(element: Element, top?: number) {
    const box = this.#box;
    if (!box) return;
    this.atEnd = false;
    const from = box.getBoundingClientRect().top;
    box.scrollTop += element.getBoundingClientRect().top - from - (top ?? box.clientHeight / 3);
    this.#moved(box);
  }

  /** The first row in view, of those that are in the history. */
  hold(): Anchor | undefined {
    const box = this.#box;
    if (!box) return undefined;
    const from = box.getBoundingClientRect().top;
    const rows = [...box.querySelectorAll<HTMLElement>('[data-position]')];
    const row = rows.find((element) => element.getBoundingClientRect().bottom > from);
    return row && { row, top: row.getBoundingClientRect().top - from };
  }

  /** Puts a row back to where it was; `false` if it is no longer there. */
  putBack({ row, top }: Anchor): boolean {
    const box = this.#box;
    if (!box || !row.isConnected) return false;
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - top;
    this.#top = box.scrollTop;
    return true;
  }

  #moved(box: HTMLElement) {
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    this.atEnd = below < near && this.#callbacks.isWhole();
    this.#anchor = this.atEnd ? undefined : this.hold();
    this.#top = box.scrollTop;
    this.#callbacks.onmove(box);
  }
}
