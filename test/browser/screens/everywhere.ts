import { expect } from 'chai';
import { composer, message } from '../../support/browser.ts';
import { inChannel, type ScreenScene } from './scene.ts';
import { dialog, wide, type Screen } from './screen.ts';

export const everywhereScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'the members',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      if (!narrow) await page.setViewportSize({ ...wide, width: 900 });
      await page.getByRole('button', { name: 'Members', exact: true }).click();
      const pane = page.getByRole('complementary', { name: 'Members' });
      await pane.getByText('Pieter').waitFor();
      expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Close members');
    },
    closes: true,
  },
  {
    name: 'the switcher',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
      await page.getByRole('button', { name: 'Jump to…' }).click();
      await page.getByRole('option').first().waitFor();
    },
    closes: true,
  },
  {
    name: 'what is unread',
    as: () => scene.ann,
    path: () => '/unread',
    async show(page) {
      // Earlier screens have read some of these.
      for (const timelineId of [scene.secret, scene.pair, scene.group])
        await scene.ann.send('read:mark', { timelineId, position: 1 });
      await page.getByRole('heading', { level: 1, name: 'Unread' }).waitFor();
      await page.getByRole('button', { name: /^Done: vertraulich/ }).waitFor();
      await page.getByText('See plan.md').first().waitFor();
    },
  },
  {
    name: 'mentions of me',
    as: () => scene.ann,
    path: () => '/mentions',
    async show(page) {
      await page.getByRole('heading', { level: 1, name: 'Mentions' }).waitFor();
      await page.getByRole('link', { name: /^vertraulich/ }).waitFor();
    },
  },
  {
    name: 'UX-61 nothing unread',
    as: () => scene.loner,
    path: () => '/unread',
    show: (page) => page.getByText('You’re all caught up').waitFor(),
  },
  {
    name: 'UX-61 no mentions yet',
    as: () => scene.loner,
    path: () => '/mentions',
    show: (page) => page.getByText('No mentions yet').waitFor(),
  },
  {
    name: 'keyboard shortcuts',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page) {
      await message(page, 'Mine, again').waitFor();
      await page.keyboard.press('Control+/');
      await dialog(page).getByText('Next section').waitFor();
    },
    closes: true,
  },
  {
    name: 'the list of channels',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    only: 'phone',
    async show(page) {
      await page.getByRole('link', { name: /^Back to/ }).click();
      await page.getByRole('navigation', { name: 'Channels' }).waitFor();
    },
  },
  {
    name: 'no connection, and a message waiting for it',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await message(page, 'Mine, again').waitFor();
      await page.context().setOffline(true);
      await page.getByText('Reconnecting…').waitFor();
      await composer(page).fill('Is anybody there?');
      if (narrow) await page.getByRole('button', { name: 'Send' }).tap();
      else await composer(page).press('Enter');
      await message(page, 'Waiting for the connection').waitFor();
    },
  },
];
