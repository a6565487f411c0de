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

/** What held the focus is about to go away, and something else should have it now. */
export function focusHome(): void {
  focusFirst([]);
}

function focusFirst(candidates: readonly Element[]): void {
  const target =
    candidates.find((element) => element.isConnected && element.checkVisibility()) ??
    document.querySelector('[data-focus-home]');
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}
