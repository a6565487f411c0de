/** What the eye sees: where something stands whenever the page is painted, and not between, while it is laid out. */
import type { ElementHandle, Page } from 'playwright-core';

interface Watched {
  seen: { top: number; bottom: number }[];
  stop(): void;
}

/**
 * Where an element stands within a frame, whenever both were painted while something was done: how far its
 * upper edge is below the frame's, and how far its lower edge.
 */
export async function paintedWhile(
  page: Page,
  element: ElementHandle<Element>,
  frame: ElementHandle<Element>,
  act: () => Promise<unknown>,
): Promise<Watched['seen']> {
  const watch = await page.evaluateHandle(watchPainting, [element, frame] as const);
  await act();
  await painted(page);
  return watch.evaluate((watch) => {
    watch.stop();
    return watch.seen;
  });
}

/** All that was laid out until now is painted. */
export const painted = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));

/** Runs in the page. What a new observer hears first is how things stand when the frame is painted. */
function watchPainting([element, frame]: readonly [Element, Element]): Watched {
  const watch = {
    seen: [] as Watched['seen'],
    stopped: false,
    stop() {
      watch.stopped = true;
    },
    look() {
      if (watch.stopped) return;
      const observer = new IntersectionObserver((entries) => {
        observer.disconnect();
        const [one, around] = [element, frame].map(
          (target) => entries.find((entry) => entry.target === target)?.boundingClientRect,
        );
        if (one && around)
          watch.seen.push({ top: one.top - around.top, bottom: one.bottom - around.bottom });
        requestAnimationFrame(() => {
          watch.look();
        });
      });
      observer.observe(element);
      observer.observe(frame);
    },
  };
  requestAnimationFrame(() => {
    watch.look();
  });
  return watch;
}
