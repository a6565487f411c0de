/** A picture of what a page shows, small enough to be kept beside the documents. */
import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Writes it to the path, as WebP, which only the browser's own protocol can make. */
export async function drawPicture(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  // A first picture is dropped: it makes the page draw what it has just been told to be.
  await page.screenshot();
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await writeFile(path, data, 'base64');
  await session.detach();
}
