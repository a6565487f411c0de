import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { isField } from './keys.ts';

/** How long to wait for a focusable element, in milliseconds. */
const focusTimeoutMs = 5_000;

/** Returns a function that restores the focus: to the element, one around it or `data-focus-home`, never the body. */
export function saveFocus(): () => void {
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

const heirs = new WeakMap<Element, HTMLElement>();

/** Passes the focus of an element that is about to be removed to another: at once, or when a dialog returns it. */
export function passFocus(from: Element | undefined, to: HTMLElement | undefined): void {
  if (!from || !to) return;
  heirs.set(from, to);
  if (from.contains(document.activeElement))
    void tick().then(() => {
      if (document.activeElement === document.body) to.focus({ preventScroll: true });
    });
}

function fallbackOf(element: Element): Element {
  const heir = element.isConnected ? undefined : heirs.get(element);
  return heir ? fallbackOf(heir) : element;
}

/** A notice takes the focus when the page changes unexpectedly, so that typing does not go to another place. */
export const isInNotice = () => document.activeElement?.matches('[data-notice]') === true;

/** True while the user is in a field, a dialog, a menu or a notice. */
export const isFocusTaken = () =>
  isField(document.activeElement) ||
  isInNotice() ||
  document.querySelector('dialog:modal, :popover-open') !== null;

export const focusComposer = () => {
  document.getElementById('composer')?.focus({ preventScroll: true });
};

/** Focuses a sensible element, because the focused one is about to be removed. */
export function focusHome(): void {
  focusFirst([]);
}

/** Focuses this element when it replaces the focused one, and when a focused element within it is removed. */
export const recoversFocus: Attachment<HTMLElement> = (home) => {
  let last: EventTarget | null = null;
  const recover = () => {
    if (document.activeElement === document.body) home.focus({ preventScroll: true });
  };
  const noted = ({ target }: FocusEvent) => (last = target);
  const observer = new MutationObserver(() => {
    if (last instanceof Element && !last.isConnected) recover();
  });
  void tick().then(recover);
  home.addEventListener('focusin', noted);
  observer.observe(home, { childList: true, subtree: true });
  return () => {
    home.removeEventListener('focusin', noted);
    observer.disconnect();
  };
};

/** Focuses the first focusable candidate, or, for example while a dialog closes, the first that becomes focusable. */
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
  const timer = setTimeout(end, focusTimeoutMs);
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
}

function focusOneOf(candidates: readonly Element[]): boolean {
  const all = [...candidates.map(fallbackOf), ...document.querySelectorAll('[data-focus-home]')];
  return all.some((element) => {
    if (!(element instanceof HTMLElement) || !element.checkVisibility()) return false;
    element.focus({ preventScroll: true });
    return document.activeElement === element;
  });
}
