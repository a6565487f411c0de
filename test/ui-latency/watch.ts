/** Code that runs in the page: measures from an event to the frame that shows its effect. */
import type { Page } from 'playwright-core';

interface Watching {
  shown: Promise<number>;
}

/** Runs `act`. Resolves with the milliseconds from its `event` until the last message contains `text`. */
export async function untilShown(
  page: Page,
  event: 'keydown' | 'click',
  text: string,
  act: () => Promise<void>,
): Promise<number> {
  await page.evaluate(watch, { event, text });
  await act();
  return page.evaluate(() => (globalThis as unknown as Watching).shown);
}

function watch({ event, text }: { event: string; text: string }): void {
  const watching = globalThis as unknown as Watching;
  watching.shown = new Promise((resolve) => {
    let from: number | undefined;
    addEventListener(event, ({ timeStamp }) => (from = timeStamp), { once: true, capture: true });
    const observer = new MutationObserver(() => {
      const last = [...document.querySelectorAll('main article')].at(-1);
      if (from === undefined || !last?.textContent.includes(text)) return;
      observer.disconnect();
      const began = from;
      // A message that is posted in a frame arrives after that frame has been drawn.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - began);
        port2.postMessage(undefined);
      });
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}

/** Pastes a screenshot of this name. Returns the time, in milliseconds of the machine’s clock. */
export const pasteScreenshot = (page: Page, name: string): Promise<number> =>
  page.evaluate(async (name) => {
    const canvas = new OffscreenCanvas(1_440, 900);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('There is nothing to draw on.');
    for (let y = 0; y < 900; y += 18) {
      context.fillStyle = `hsl(${(y * 7) % 360} 40% 60%)`;
      context.fillRect(y % 60, y, 1_440 - ((y * 31) % 700), 12);
      context.fillText(`${name}, line ${y}`, 700, y);
    }
    const data = new DataTransfer();
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    data.items.add(new File([blob], name, { type: 'image/png' }));
    const init = { bubbles: true, cancelable: true, clipboardData: data };
    const at = performance.timeOrigin + performance.now();
    document.querySelector('#composer')?.dispatchEvent(new ClipboardEvent('paste', init));
    return at;
  }, name);

/** The time at which the picture of this name was drawn in a message, by the machine’s clock. */
export const untilPictured = (page: Page, name: string): Promise<number> =>
  page.evaluate(async (name) => {
    for (;;) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const pictures = [...document.querySelectorAll<HTMLImageElement>('main article img')];
      const isThere = pictures.some(
        ({ alt, complete, naturalWidth }) => alt === name && complete && naturalWidth > 0,
      );
      if (isThere) return performance.timeOrigin + performance.now();
    }
  }, name);

/** Lengths of the long tasks during `act`, in milliseconds: those of more than 50 ms. */
export async function longTasks(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    });
    observer.observe({ type: 'longtask' });
  });
  await act();
  return page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks);
}

/** Scrolls up by `pixels` pixels a frame, to the start of the timeline. Returns the milliseconds of each frame. */
export const scrollToStart = (page: Page, pixels: number): Promise<number[]> =>
  page.evaluate(async (pixels) => {
    const rows = document.querySelector('main article');
    let box = rows?.parentElement ?? null;
    while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
    if (!box) throw new Error('There is nothing to scroll.');
    const frames: number[] = [];
    let before = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const giveUp = before + 120_000;
    while (before < giveUp) {
      const first = document.querySelector('main article')?.textContent;
      const above = box.scrollHeight - box.clientHeight + box.scrollTop;
      if (above < 1 && first?.includes('archive 1)')) break;
      box.scrollTop -= pixels;
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      frames.push(now - before);
      before = now;
    }
    return frames;
  }, pixels);
