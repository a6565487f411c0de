import type { Locator, Page } from 'playwright-core';

export interface FingerPath {
  /** The distance from where the finger came down, in px. */
  x?: number;
  y?: number;
  /** The way back from there before lifting, in px. */
  back?: number;
  meanwhile?: () => Promise<void>;
}

/** Puts two fingers around a point, `from` px apart, moves them to `to` px apart, and lifts them. */
export async function pinchFingers(
  page: Page,
  { x, y }: { x: number; y: number },
  { from, to }: { from: number; to: number },
): Promise<void> {
  const fingers = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', apart: number) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [
        { x, y: y - apart / 2, id: 1 },
        { x, y: y + apart / 2, id: 2 },
      ],
    });
  await touch('touchStart', from);
  for (let step = 1; step <= 10; step += 1)
    await touch('touchMove', from + ((to - from) * step) / 10);
  await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await fingers.detach();
}

/** Drags a finger from the middle of an element, but no farther right than a phone’s middle, and lifts it. */
export async function dragFinger(
  target: Locator,
  { x = 0, y = 0, back = 0, meanwhile }: FingerPath,
): Promise<void> {
  const box = (await target.boundingBox())!;
  const from = { x: Math.min(box.x + box.width / 2, 240), y: box.y + box.height / 2 };
  const page = target.page();
  const finger = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', right: number, down: number) =>
    finger.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [{ x: from.x + right, y: from.y + down }],
    });
  await touch('touchStart', 0, 0);
  for (let step = 1; step <= 10; step += 1)
    await touch('touchMove', (x * step) / 10, (y * step) / 10);
  if (back > 0) await touch('touchMove', x + back, y);
  await meanwhile?.();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await finger.detach();
}
