/** Arrow keys in a grid of buttons with wrapping rows. */

/** The button that the key leads to, or `above` upwards from the first row; undefined for other keys. */
export function nextInGrid(
  grid: HTMLElement,
  { key, target }: KeyboardEvent,
): HTMLButtonElement | 'above' | undefined {
  const all = [...grid.querySelectorAll('button')];
  const at = all.indexOf(target as HTMLButtonElement);
  if (at < 0) return undefined;
  const rightToLeft = getComputedStyle(grid).direction === 'rtl';
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (key === 'ArrowLeft') return all[at + (rightToLeft ? 1 : -1)];
  if (key === 'ArrowRight') return all[at + (rightToLeft ? -1 : 1)];
  if (key === 'ArrowUp') return inNextRow(all, at, -1) ?? 'above';
  if (key === 'ArrowDown') return inNextRow(all, at, 1);
  return undefined;
}

/** The nearest button of the next row, which can be shorter than this one. */
function inNextRow(all: HTMLButtonElement[], at: number, step: 1 | -1) {
  const box = all[at]?.getBoundingClientRect();
  if (!box) return undefined;
  let nearest: HTMLButtonElement | undefined;
  let top: number | undefined;
  let least = Infinity;
  for (let i = at + step; i >= 0 && i < all.length; i += step) {
    const other = all[i]?.getBoundingClientRect();
    if (!other || other.top === box.top) continue;
    top ??= other.top;
    if (other.top !== top) break;
    const far = Math.abs(other.left - box.left);
    if (far < least) [least, nearest] = [far, all[i]];
  }
  return nearest;
}
