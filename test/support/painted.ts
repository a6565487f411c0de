/** Records positions as the eye sees them: at each paint, and not between, during layout. */
import type { ElementHandle, Page } from 'playwright-core';

interface Watched {
  seen: { top: number; bottom: number }[];
  stop(): void;
}

/** Records at each paint during `act` how far the upper and lower edges of an element are from those of its frame. */
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

/** Waits until everything laid out so far is painted. */
export const painted = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));

/** Runs in the page. The first report of a new observer is the state when the frame is painted. */
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
