/** Where focus goes when what held it is gone: the nearest thing a person would expect, never the body. */
export function focusAgain(element: Element | null): void {
  const target =
    element instanceof HTMLElement && element !== document.body && element.checkVisibility()
      ? element
      : document.querySelector<HTMLElement>('[data-focus-home]');
  target?.focus({ preventScroll: true });
}
