const margin = 8;
const gap = 4;

/** The position of a popover's opener: an element's box, or a point. */
export interface From {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Places a popover at its opener, inside the viewport; on the other side if there is no room on this one. */
export function place(
  popover: HTMLElement,
  from: From,
  side: 'below' | 'above' | 'beside',
  align: 'start' | 'end',
): void {
  const { offsetWidth: width, offsetHeight: height } = popover;
  const rightToLeft = getComputedStyle(popover).direction === 'rtl';
  const isBeside =
    side === 'beside' && Math.max(from.left, innerWidth - from.right) > width + 2 * margin;
  const below = from.bottom + gap;
  const above = from.top - gap - height;
  const fitsBelow = below + height <= innerHeight - margin;
  const top = isBeside
    ? from.top
    : (side !== 'above' && fitsBelow) || above < margin
      ? below
      : above;
  const [before, after] = [from.left - margin - width, from.right + margin];
  const fitsAfter = after + width <= innerWidth - margin;
  const isAfter = rightToLeft ? before < margin : fitsAfter;
  const left = isBeside
    ? isAfter
      ? after
      : before
    : (align === 'start') === rightToLeft
      ? from.right - width
      : from.left;
  popover.style.top = `${between(margin, top, innerHeight - height - margin)}px`;
  popover.style.left = `${between(margin, left, innerWidth - width - margin)}px`;
}

const between = (min: number, wanted: number, max: number) => Math.max(min, Math.min(wanted, max));
