/**
 * What lies over the page (dialogs, drawers, menus), the last on top. Each is a step of the browser's history,
 * so that Back closes it and goes nowhere. A layer that closes otherwise leaves its step behind: the next layer or
 * the next page takes that over, and Back passes it.
 */
import { tick } from 'svelte';

interface Layer {
  close: () => void;
}

const open: Layer[] = [];

/** Of how many layers the present entry of the history is. */
const depthHere = (): number => {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'layers' in state
    ? Number(state.layers)
    : 0;
};
let depth = depthHere();

/** A layer has come on top. Answers with what to call when it is closed, whoever closed it. */
export function openLayer(close: () => void): () => void {
  const layer = { close };
  open.push(layer);
  step();
  return () => {
    const at = open.indexOf(layer);
    if (at >= 0) open.splice(at, 1);
  };
}

/** One for each layer that has none. */
function step(): void {
  while (depth < open.length) {
    depth += 1;
    history.pushState({ layers: depth }, '');
  }
}

/** Shows another address; what lies over the page closes. A step that a layer left, or is leaving, becomes the page's. */
export function goTo(path: string): void {
  const isLeft = depth > 0;
  depth = 0;
  closeAbove(0);
  history[isLeft ? 'replaceState' : 'pushState'](null, '', path);
}

/**
 * After a step through the history: whether it led to another page. If it closed something, the page stays, and
 * so does its address.
 */
export function movedOn(here: string): boolean {
  const before = depth;
  depth = depthHere();
  if (open.length > depth) {
    history.replaceState(history.state, '', here);
    closeAbove(depth);
    // A layer may ask first.
    void tick().then(step);
    return false;
  }
  const isLeft = before > depth && location.pathname === here;
  if (isLeft) history.back();
  return !isLeft;
}

function closeAbove(count: number): void {
  for (const { close } of open.slice(count).reverse()) close();
}
