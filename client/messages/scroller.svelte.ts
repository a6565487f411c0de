/**
 * The scroll position in a list that grows at both ends. The list is laid out from its end (`column-reverse`), so
 * `scrollTop` is 0 there and negative above. Changes of size keep the end in view, and only the user scrolls away from
 * it. Elsewhere the first row in view stays in place, by the browser's scroll anchoring, or by this class in browsers
 * without it.
 */
import type { Attachment } from 'svelte/attachments';

const near = 100;

interface Anchor {
  row: HTMLElement;
  top: number;
}

interface View {
  /** The pixels of the list that are out of view on either side. */
  above: number;
  below: number;
  /** The positions of the rows in view, up to the last one that is completely visible. */
  seen: { from: number; to: number } | undefined;
  /** Whether the day divider of the first row is above the screen. */
  isDayAbove: boolean;
}

interface Callbacks {
  /** Called after scrolling and after changes of size. */
  onmove: (view: View) => void;
  /** Called when the anchor row was removed. */
  onlost: (anchor: Anchor) => void;
  /** True if the end of the list is the newest message. Only then does the view stay at the end. */
  isWhole: () => boolean;
}

export class Scroller {
  atEnd = $state(true);
  #box: HTMLElement | undefined;
  #resized: ResizeObserver | undefined;
  #anchor: Anchor | undefined;
  /** `scrollTop` when the anchor was taken. A different value means that the user has scrolled since. */
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
      if (this.atEnd) box.scrollTop = 0;
      else this.#putBack(box);
      moved();
    });
    this.#resized = resized;
    resized.observe(box);
    for (const child of box.children) resized.observe(child);
    box.addEventListener('scroll', moved, { passive: true });
    return () => {
      resized.disconnect();
      box.removeEventListener('scroll', moved);
      this.#box = undefined;
    };
  };

  /** Called when rows were added or removed. Observing again runs the resize observer even without a change of size. */
  look() {
    const content = this.#box?.firstElementChild;
    if (!content) return;
    this.#resized?.unobserve(content);
    this.#resized?.observe(content);
  }

  toEnd() {
    this.atEnd = true;
    this.#anchor = undefined;
    if (this.#box) this.#box.scrollTop = 0;
  }

  /** Scrolls an element into view, `top` pixels below the upper edge or else at a third of the height. */
  show(element: Element, top?: number) {
    const box = this.#box;
    if (!box) return;
    this.atEnd = false;
    box.scrollTop += topIn(box, element) - (top ?? box.clientHeight / 3);
    this.#moved(box);
  }

  /** The row at a position, or else the next row, or else the last. */
  rowAt(position: number): HTMLElement | undefined {
    const rows = this.#box ? rowsOf(this.#box) : [];
    return rows.find((row) => positionOf(row) >= position) ?? rows.at(-1);
  }

  #putBack(box: HTMLElement) {
    const anchor = this.#anchor;
    if (!anchor?.row.isConnected || box.scrollTop !== this.#top) return;
    box.scrollTop += topIn(box, anchor.row) - anchor.top;
  }

  #moved(box: HTMLElement) {
    if (this.#anchor?.row.isConnected === false) this.#callbacks.onlost(this.#anchor);
    const below = -box.scrollTop;
    this.atEnd = below < near && this.#callbacks.isWhole();
    const { first, last } = inView(box);
    this.#anchor = this.atEnd || !first ? undefined : { row: first, top: topIn(box, first) };
    this.#top = box.scrollTop;
    this.#callbacks.onmove({
      above: box.scrollHeight - box.clientHeight - below,
      below,
      seen: first && last && { from: positionOf(first), to: positionOf(last) },
      isDayAbove: !isDayOnTop(box, first),
    });
  }
}

const topIn = (box: HTMLElement, element: Element) =>
  element.getBoundingClientRect().top - box.getBoundingClientRect().top;

/** A day divider within this distance of the upper edge, in pixels, counts as the label of the top. */
const nearTop = 48;

function isDayOnTop(box: HTMLElement, first: HTMLElement | undefined): boolean {
  return [...box.querySelectorAll('.day')].some((day) => {
    const bottom = day.getBoundingClientRect().bottom - box.getBoundingClientRect().top;
    return bottom > 0 && (bottom < nearTop || day.closest('li')?.contains(first ?? null));
  });
}

const rowsOf = (box: HTMLElement) => [...box.querySelectorAll<HTMLElement>('[data-position]')];

export const positionOf = (row: HTMLElement) => Number(row.dataset.position);

function inView(box: HTMLElement): {
  first?: HTMLElement | undefined;
  last?: HTMLElement | undefined;
} {
  const { top, bottom } = box.getBoundingClientRect();
  const rows = rowsOf(box);
  const end = (row: HTMLElement) => row.getBoundingClientRect().bottom;
  const from = rows.findIndex((row) => end(row) > top);
  if (from < 0) return {};
  const beyond = rows.findIndex((row, index) => index >= from && end(row) > bottom + 1);
  return { first: rows[from], last: rows[(beyond < 0 ? rows.length : beyond) - 1] };
}
