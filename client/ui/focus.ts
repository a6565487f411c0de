import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';

/** How long focus waits for something that can have it, in ms. */
const patience = 5_000;

/**
 * Remembers where focus is; what it answers brings it back there. If that is gone by then, focus goes to what
 * was around it, or to the nearest thing a person would expect: never to the body.
 */
export function keepFocus(): () => void {
  const candidates: Element[] = [];
  for (
    let at = document.activeElement;
    at && at !== document.body;
    at = at.parentElement?.closest('[tabindex]') ?? null
  )
    candidates.push(at);
  return () => {
    focusFirst(candidates);
  };
}

/** To whom what is taken away leaves the focus. */
const heirs = new WeakMap<Element, HTMLElement>();

/** One that is about to go leaves the focus to another: at once if it has it, or when a dialog gives it back. */
export function passFocus(from: Element | undefined, to: HTMLElement | undefined): void {
  if (!from || !to) return;
  heirs.set(from, to);
  if (from.contains(document.activeElement))
    void tick().then(() => {
      if (document.activeElement === document.body) to.focus({ preventScroll: true });
    });
}

function heirOf(element: Element): Element {
  const heir = element.isConnected ? undefined : heirs.get(element);
  return heir ? heirOf(heir) : element;
}

export const focusComposer = () => {
  document.getElementById('composer')?.focus({ preventScroll: true });
};

/** What held the focus is about to go away, and something else should have it now. */
export function focusHome(): void {
  focusFirst([]);
}

/**
 * Here the focus is never nowhere: neither when this comes in place of what had it, nor when what has it is taken
 * away, as by somebody else.
 */
export const keepsFocus: Attachment<HTMLElement> = (home) => {
  let last: EventTarget | null = null;
  const mend = () => {
    if (document.activeElement === document.body) home.focus({ preventScroll: true });
  };
  const noted = ({ target }: FocusEvent) => (last = target);
  const observer = new MutationObserver(() => {
    if (last instanceof Element && !last.isConnected) mend();
  });
  void tick().then(mend);
  home.addEventListener('focusin', noted);
  observer.observe(home, { childList: true, subtree: true });
  return () => {
    home.removeEventListener('focusin', noted);
    observer.disconnect();
  };
};

/** The one that can have it; if none can yet, as when a dialog still goes away, the first that comes to be able. */
function focusFirst(candidates: readonly Element[]): void {
  if (focusOneOf(candidates)) return;
  const isDone = () => document.activeElement !== document.body || focusOneOf(candidates);
  const end = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  const observer = new MutationObserver(() => {
    if (isDone()) end();
  });
  const timer = setTimeout(end, patience);
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
}

function focusOneOf(candidates: readonly Element[]): boolean {
  const all = [...candidates.map(heirOf), ...document.querySelectorAll('[data-focus-home]')];
  return all.some((element) => {
    if (!(element instanceof HTMLElement) || !element.checkVisibility()) return false;
    element.focus({ preventScroll: true });
    return document.activeElement === element;
  });
}
