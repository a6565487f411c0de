import type { Locator, Page } from 'playwright-core';
import { composer, message } from '../../support/browser.ts';
import { heldChunks, type HeldChunks } from '../../support/held-chunks.ts';
import { tone } from '../../support/media.ts';
import { until } from '../../support/time.ts';
import { evening, morning, view } from './furnish-files.ts';
import { inChannel, type ScreenScene } from './scene.ts';
import { dialog, openAccount, openMenu, turnTo, type Screen } from './screen.ts';

const areDrawn = (images: Locator) =>
  until(() =>
    images.evaluateAll(
      (all) =>
        all.length > 0 &&
        all.every((one) => one instanceof HTMLImageElement && one.complete && one.naturalWidth > 0),
    ),
  );

export function filesScreens(scene: ScreenScene): Screen[] {
  let chunks: HeldChunks;
  return [
    {
      name: 'a channel with pictures',
      as: () => scene.ann,
      path: () => inChannel(scene, scene.pictures),
      async show(page) {
        await message(page, 'And this one').waitFor();
        await areDrawn(page.locator('article button > img'));
      },
    },
    {
      name: 'a channel with sound, film and other files',
      as: () => scene.ann,
      path: () => inChannel(scene, scene.papers),
      async show(page) {
        await page.getByRole('link', { name: /^logs/ }).waitFor();
        await page.locator('video').waitFor();
      },
    },
    {
      name: 'a picture, looked at',
      as: () => scene.ann,
      path: () => inChannel(scene, scene.pictures),
      async show(page) {
        await page.getByRole('button', { name: 'View The sea in the morning' }).click();
        await dialog(page).getByText('1 of 5').waitFor();
        await areDrawn(dialog(page).locator('img'));
      },
      closes: true,
    },
    {
      name: 'files to send, of which one is under way and one failed',
      as: () => scene.sender,
      path: () => inChannel(scene, scene.papers),
      prepare: async (page) => void (chunks = await heldChunks(page)),
      async show(page) {
        await composer(page).waitFor();
        await attach(page, 'evening.jpg', 'image/jpeg', await view(800, 600, evening));
        await tiles(page)
          .getByText(/^[\d.]+ kB$/)
          .waitFor();
        chunks.hold(2);
        await attach(page, 'recording.wav', 'audio/wav', tone(3));
        await tiles(page)
          .getByText(/^Uploading, [1-9]\d %$/)
          .waitFor();
        await scene.setFull(true);
        await attach(page, 'plan.pdf', 'application/pdf', Buffer.alloc(9_000, '%'));
        await tiles(page).getByRole('alert').waitFor();
        await scene.setFull(false);
      },
    },
    {
      name: 'cropping a picture of oneself',
      as: () => scene.ann,
      path: () => inChannel(scene, scene.general),
      async show(page, { narrow }) {
        await openAccount(page, narrow, 'Settings');
        await turnTo(page, 'Account');
        const buffer = await view(1_200, 800, morning);
        await page
          .getByLabel('Picture', { exact: true })
          .setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer });
        await areDrawn(dialog(page).locator('.stage img'));
      },
      closes: true,
    },
    {
      name: 'the emoji of a server',
      as: () => scene.ann,
      path: () => inChannel(scene, scene.general),
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Server settings');
        await turnTo(page, 'Emoji');
        const list = dialog(page).getByRole('list', { name: 'Emoji of this server' });
        await areDrawn(list.locator('img'));
      },
      closes: true,
    },
  ];
}

const tiles = (page: Page) => page.getByRole('list', { name: 'Files to send' });

async function attach(page: Page, name: string, mimeType: string, buffer: Buffer) {
  await page.getByLabel('Files to attach').setInputFiles({ name, mimeType, buffer });
  await tiles(page).getByText(name).waitFor();
}
