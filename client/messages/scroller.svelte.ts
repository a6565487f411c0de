/**
 * Where the reader is in a list that grows at both ends. The list is laid out from its end (`column-reverse`),
 * so `scrollTop` is 0 there and negative above: no change of size moves the end, and only a hand leaves it.
 * Elsewhere the row in view stays where it is: by the browser's scroll anchoring, and by us where it has none.
 */
import type { Attachment } from 'svelte/attachments';

const near = 100;

/** A row, and how far below the upper edge it stands. */
interface Anchor {
  row: HTMLElement;
  top: number;
}

interface View {
  /** How much of the list is out of view on either side. */
  above: number;
  below: number;
  /** The positions of the rows in view, up to the last whose end is. */
  seen: { from: number; to: number } | undefined;
  /** Whether the line of the first row's day is further up. */
  isDayAbove: boolean;
}

interface Callbacks {
  /** Hears of every scrolling and of every change of size. */
  onmove: (view: View) => void;
  /** The row in view was taken away. */
  onlost: (anchor: Anchor) => void;
  /** Whether the end of the list is the end of all: only there does one stay at the end. */
  isWhole: () => boolean;
}

export class Scroller {
  atEnd = $state(true);
  #box: HTMLElement | undefined;
  #resized: ResizeObserver | undefined;
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

  /** Rows came or went, perhaps as many as before: then no size changes, and looking anew tells of it all the same. */
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

  /** Brings an element into view, with a third of the list above it unless it is said how much. */
  show(element: Element, top?: number) {
    const box = this.#box;
    if (!box) return;
    this.atEnd = false;
    box.scrollTop += topIn(box, element) - (top ?? box.clientHeight / 3);
    this.#moved(box);
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

/** A day's own line this near the upper edge is read for what is there, in px. */
const nearTop = 48;

function isDayOnTop(box: HTMLElement, first: HTMLElement | undefined): boolean {
  return [...box.querySelectorAll('.day')].some((day) => {
    const bottom = day.getBoundingClientRect().bottom - box.getBoundingClientRect().top;
    return bottom > 0 && (bottom < nearTop || day.closest('li')?.contains(first ?? null));
  });
}

export const positionOf = (row: HTMLElement) => Number(row.dataset.position);

/** Of the rows that are in the history, the first in view, and the last whose end is. */
function inView(box: HTMLElement): {
  first?: HTMLElement | undefined;
  last?: HTMLElement | undefined;
} {
  const { top, bottom } = box.getBoundingClientRect();
  const rows = [...box.querySelectorAll<HTMLElement>('[data-position]')];
  const end = (row: HTMLElement) => row.getBoundingClientRect().bottom;
  const from = rows.findIndex((row) => end(row) > top);
  if (from < 0) return {};
  const beyond = rows.findIndex((row, index) => index >= from && end(row) > bottom + 1);
  return { first: rows[from], last: rows[(beyond < 0 ? rows.length : beyond) - 1] };
}
