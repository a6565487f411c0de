import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { inChannel, type ScreenScene } from './scene.ts';
import { askAbout, dialog, openAccount, turnTo, type Screen } from './screen.ts';

const openPeople = async (page: Page, narrow: boolean) => {
  await openAccount(page, narrow, 'Settings');
  await turnTo(page, 'People');
};

export const accountScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'your devices',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Devices');
      await dialog(page).getByText('This device').waitFor();
      await dialog(page)
        .getByRole('button', { name: /^Sign out/ })
        .first()
        .waitFor();
    },
    closes: true,
  },
  {
    name: 'your account',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Account');
      await dialog(page).getByLabel('Display name').fill(' ');
      await dialog(page).getByRole('button', { name: 'Save name' }).click();
      await dialog(page).getByText('Enter a name.').waitFor();
    },
    closes: true,
  },
  {
    name: 'the pages of your settings',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    only: 'phone',
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await dialog(page).getByRole('heading', { name: 'Settings' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'your files',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Files');
      await dialog(page).getByText('Uploaded today').waitFor();
    },
    closes: true,
  },
  {
    name: 'how it looks',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Appearance');
      await dialog(page).getByRole('radio', { name: 'Match system' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'your privacy',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Privacy');
      await dialog(page).getByRole('button', { name: 'Unblock Basil' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'your bots, and a new token',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Bots');
      await dialog(page).getByRole('button', { name: 'Create a bot' }).click();
      await dialog(page).getByLabel('Name', { exact: true }).fill('Deploy watcher');
      await dialog(page).getByLabel('Delete anyone’s messages').check();
      await page.keyboard.press('Enter');
      await dialog(page).getByLabel('Token', { exact: true }).waitFor();
    },
    closes: true,
  },
  {
    name: 'adding a bot to a server',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Bots');
      await dialog(page)
        .getByRole('button', { name: /^More about/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Add to a server' }).click();
      await dialog(page).getByLabel('Server', { exact: true }).waitFor();
    },
  },
  {
    name: 'all people, and a link to set a new password',
    as: () => scene.admin,
    path: () => scene.lobby,
    async show(page, { narrow }) {
      await openPeople(page, narrow);
      await dialog(page).getByText('Suspended', { exact: true }).waitFor();
      await askAbout(page, 'Grace Owusu', 'Create password link');
      await dialog(page).getByLabel('Link').waitFor();
    },
    closes: true,
  },
  {
    name: 'asking before an account is suspended',
    as: () => scene.admin,
    path: () => scene.lobby,
    async show(page, { narrow }) {
      await openPeople(page, narrow);
      await askAbout(page, 'Grace Owusu', 'Suspend account');
      await dialog(page).getByRole('button', { name: 'Suspend account' }).waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('Cancel');
    },
    closes: true,
  },
  {
    name: 'changing the password',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openAccount(page, narrow, 'Settings');
      await turnTo(page, 'Account');
      await dialog(page).getByLabel('New password').fill('short');
      await dialog(page).getByRole('button', { name: 'Change password' }).click();
      await dialog(page).getByText('Too short').waitFor();
    },
    closes: true,
  },
];
