const margin = 8;
const gap = 4;

/** Puts a popover beside its opener, inside the viewport; above when there is no room below. */
export function place(
  popover: HTMLElement,
  opener: HTMLElement,
  side: 'below' | 'above',
  align: 'start' | 'end',
): void {
  const from = opener.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const below = from.bottom + gap;
  const above = from.top - gap - height;
  const fitsBelow = below + height <= innerHeight - margin;
  const top = (side === 'below' && fitsBelow) || above < margin ? below : above;
  const rightToLeft = getComputedStyle(opener).direction === 'rtl';
  const left = (align === 'start') === rightToLeft ? from.right - width : from.left;
  popover.style.top = `${between(margin, top, innerHeight - height - margin)}px`;
  popover.style.left = `${between(margin, left, innerWidth - width - margin)}px`;
}

const between = (least: number, wanted: number, most: number) =>
  Math.max(least, Math.min(wanted, most));
