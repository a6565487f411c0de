import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Writes it as WebP, which only the browser's own protocol can make. */
export async function drawPicture(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // A first picture is dropped: it makes the page draw its latest settings.
  await page.screenshot();
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await writeFile(path, data, 'base64');
  await session.detach();
}

/** Saves a picture of a page for people to look at, with PICTURES=folder. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const { PICTURES } = process.env;
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

export async function saveScreenshots(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await saveScreenshot(page, `${name}-${colorScheme}`);
  }
}
