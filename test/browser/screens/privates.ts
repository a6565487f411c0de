import { expect } from 'chai';
import { composer, message } from '../../support/browser.ts';
import { inChannel, type ScreenScene } from './scene.ts';
import { dialog, openChannelSettings, openMenu, turnTo, type Screen } from './screen.ts';

export const privatesScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'a mention, and choosing people to mention',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.secret),
    async show(page) {
      await message(page, ', ask @').waitFor();
      await composer(page).pressSequentially('@');
      await page.getByRole('listbox').waitFor();
    },
  },
  {
    name: 'creating a private channel, with its people',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Create a channel');
      await dialog(page).getByRole('checkbox', { name: 'Private' }).check();
      await dialog(page).getByRole('checkbox', { name: 'Pieter' }).check();
      await dialog(page).getByText('1 chosen').waitFor();
    },
    closes: true,
  },
  {
    name: 'a private channel',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.secret),
    show: (page) => page.getByText('Only its members can see it.').waitFor(),
  },
  {
    name: 'the members of a private channel',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.secret),
    async show(page, { narrow }) {
      await openChannelSettings(page, narrow);
      await turnTo(page, 'Access');
      await dialog(page).getByRole('button', { name: 'Remove Pieter' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'asking before a channel becomes private',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.plans),
    async show(page, { narrow }) {
      await openChannelSettings(page, narrow);
      await turnTo(page, 'Overview');
      await dialog(page).getByRole('switch', { name: 'Private channel' }).click();
      await dialog(page).getByRole('button', { name: 'Make private' }).waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('Cancel');
    },
    closes: true,
  },
];
