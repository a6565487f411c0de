/** Restores the focus of a row that moves in the document. Another user's action can move it at any time. */
export function followFocus(root: HTMLElement): void {
  let held: HTMLElement | undefined;
  root.addEventListener('focusin', ({ target }) => {
    held = target instanceof HTMLElement ? target : undefined;
  });
  // Drops a focus that the user moved elsewhere. After a move of the row, the observer runs before this timer.
  root.addEventListener('focusout', () => {
    setTimeout(() => {
      if (document.activeElement === document.body) held = undefined;
    });
  });
  new MutationObserver((records) => {
    if (held === undefined || document.activeElement !== document.body) return;
    const lost = held;
    if (!records.some(({ removedNodes }) => isWithin(lost, removedNodes))) return;
    const successor = lost.isConnected ? lost : cameAgain(lost, records);
    successor?.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}

const isWithin = (element: Element, nodes: NodeList) =>
  [...nodes].some((node) => node.contains(element));

/** The same element among the elements that were added when it was removed. */
function cameAgain(gone: HTMLElement, records: MutationRecord[]): HTMLElement | undefined {
  const name = nameOf(gone);
  if (!name) return undefined;
  const came = records
    .flatMap(({ addedNodes }) => [...addedNodes])
    .filter((node) => node instanceof HTMLElement)
    .flatMap((node) => [node, ...node.querySelectorAll<HTMLElement>(gone.localName)]);
  return came.find((one) => one.localName === gone.localName && nameOf(one) === name);
}

const nameOf = (element: HTMLElement) =>
  element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent;
