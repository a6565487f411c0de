/** Following what has the focus where it goes. */

/**
 * A row that is moved in the document loses the focus, and so does one that goes from one list and comes in
 * another; somebody else may do that to it at any time. Here it keeps it, wherever it comes to stand.
 */
export function followFocus(root: HTMLElement): void {
  let held: HTMLElement | undefined;
  root.addEventListener('focusin', ({ target }) => {
    held = target instanceof HTMLElement ? target : undefined;
  });
  // Whoever takes it elsewhere themselves is not followed. Of a move the observer hears sooner than this.
  root.addEventListener('focusout', () => {
    setTimeout(() => {
      if (document.activeElement === document.body) held = undefined;
    });
  });
  new MutationObserver((records) => {
    if (held === undefined || document.activeElement !== document.body) return;
    const lost = held;
    if (!records.some(({ removedNodes }) => isWithin(lost, removedNodes))) return;
    const again = lost.isConnected ? lost : cameAgain(lost, records);
    again?.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}

const isWithin = (element: Element, nodes: NodeList) =>
  [...nodes].some((node) => node.contains(element));

/** The same, among all that came as it went. */
function cameAgain(gone: HTMLElement, records: MutationRecord[]): HTMLElement | undefined {
  const name = nameOf(gone);
  if (!name) return undefined;
  const came = records
    .flatMap(({ addedNodes }) => [...addedNodes])
    .filter((node) => node instanceof HTMLElement)
    .flatMap((node) => [node, ...node.querySelectorAll<HTMLElement>(gone.localName)]);
  return came.find((one) => one.localName === gone.localName && nameOf(one) === name);
}

/** Where it leads, or what it is called. */
const nameOf = (element: HTMLElement) =>
  element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent;
