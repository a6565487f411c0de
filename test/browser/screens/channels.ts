import { expect } from 'chai';
import { message } from '../../support/browser.ts';
import { inChannel, type ScreenScene } from './scene.ts';
import { actions, dialog, openChannelSettings, turnTo, type Screen } from './screen.ts';

export const channelsScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'a channel with all kinds of names and text',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    show: (page) => message(page, 'Mine, again').waitFor(),
  },
  {
    name: 'UX-61 an empty channel',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.plans),
    show: (page) => page.getByText('No messages yet.').waitFor(),
  },
  {
    name: 'UX-58 a message with its actions',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    only: 'wide',
    async show(page) {
      const row = await actions(page, false);
      await row.getByRole('button', { name: 'Edit' }).waitFor();
    },
  },
  {
    name: 'a message with its actions, for a finger',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    only: 'phone',
    async show(page) {
      const menu = await actions(page, true);
      await menu.getByRole('menuitem', { name: 'Edit' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'UX-58 a message being edited',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      const found = await actions(page, narrow);
      await found
        .getByText('Edit')
        .or(found.getByRole('button', { name: 'Edit' }))
        .first()
        .click();
      await page.getByLabel('Edit message').waitFor();
    },
    closes: true,
  },
  {
    name: 'asking before a message is deleted',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      const found = await actions(page, narrow);
      if (!narrow) await found.getByRole('button', { name: 'More' }).click();
      await found.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog(page).getByRole('button', { name: 'Cancel' }).waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('Cancel');
    },
    closes: true,
  },
  {
    name: 'a channel, and what there is to know of it',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.plans),
    only: 'phone',
    async show(page) {
      await page.getByRole('heading', { level: 1 }).getByRole('button').tap();
      await page.getByRole('menuitem', { name: 'Channel settings' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'settings of the default channel',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openChannelSettings(page, narrow);
      await turnTo(page, 'Overview');
      await page.getByText('The default channel can’t be deleted').waitFor();
    },
    closes: true,
  },
  {
    name: 'UX-63 asking before a channel is deleted',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.plans),
    async show(page, { narrow }) {
      await openChannelSettings(page, narrow);
      await turnTo(page, 'Overview');
      await page.getByRole('button', { name: /^Delete #software/ }).click();
      await page.getByRole('dialog', { name: /^Delete #software.*\?$/ }).waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('Cancel');
    },
    closes: true,
  },
];
