/**
 * Layers over the page (dialogs, drawers, menus), the last one on top. Each has an entry in the browser's history, so
 * that Back closes it and stays on the page. A layer that is closed in another way leaves its entry behind. The next
 * layer or page reuses the entry, and Back skips it.
 */
import { tick } from 'svelte';

interface Layer {
  close: () => void;
}

const open: Layer[] = [];

const depthHere = (): number => {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'layers' in state
    ? Number(state.layers)
    : 0;
};
let depth = depthHere();

/** Adds a layer on top. Returns a function to call when it has closed for any reason. */
export function openLayer(close: () => void): () => void {
  const layer = { close };
  open.push(layer);
  step();
  return () => {
    const at = open.indexOf(layer);
    if (at >= 0) open.splice(at, 1);
  };
}

function step(): void {
  while (depth < open.length) {
    depth += 1;
    history.pushState({ layers: depth }, '');
  }
}

/** Navigates to another address and closes all layers. The page reuses a layer's history entry. */
export function goTo(path: string): void {
  const isLeft = depth > 0;
  depth = 0;
  closeAbove(0);
  history[isLeft ? 'replaceState' : 'pushState'](null, '', path);
}

/** Called after a step through the history. Returns whether it led to another page instead of closing a layer. */
export function movedOn(here: string): boolean {
  const before = depth;
  depth = depthHere();
  if (open.length > depth) {
    history.replaceState(history.state, '', here);
    closeAbove(depth);
    // A layer can stay open and ask first. It then needs its entry again.
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
