/** The movement of two fingers: by how much they have spread since the last move, and where their middle was and is. */
export interface Pinch {
  by: number;
  from: Point;
  to: Point;
}

export interface Point {
  x: number;
  y: number;
}

/** Calls `work` while two fingers move. The browser handles a single finger. */
export const pinched = (work: (pinch: Pinch) => void) => (node: HTMLElement) => {
  let last: Fingers | undefined;
  node.addEventListener('touchstart', ({ touches }) => (last = fingersOf(touches)), {
    passive: true,
  });
  node.addEventListener(
    'touchmove',
    (event) => {
      const now = fingersOf(event.touches);
      if (now && event.cancelable) event.preventDefault();
      if (now && last) work({ by: now.apart / last.apart, from: last.middle, to: now.middle });
      last = now;
    },
    // Prevents the browser from zooming the whole page, which would stay zoomed.
    { passive: false },
  );
};

interface Fingers {
  apart: number;
  middle: Point;
}

function fingersOf([one, two]: TouchList): Fingers | undefined {
  if (!one || !two) return undefined;
  return {
    apart: Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) || 1,
    middle: { x: (one.clientX + two.clientX) / 2, y: (one.clientY + two.clientY) / 2 },
  };
}
