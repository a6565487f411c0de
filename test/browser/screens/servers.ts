import { inChannel, type ScreenScene } from './scene.ts';
import { dialog, openMenu, turnTo, type Screen } from './screen.ts';

export const serversScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'server settings',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Server settings');
      await turnTo(page, 'Overview');
      await dialog(page).getByLabel('Default channel').waitFor();
    },
    closes: true,
  },
  {
    name: 'the channels of a server',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Server settings');
      await turnTo(page, 'Channels');
      await dialog(page).getByText('No channels yet.').waitFor();
    },
    closes: true,
  },
  {
    name: 'the invite links of a server',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Server settings');
      await turnTo(page, 'Invite links');
      await dialog(page).getByText('Active links').waitFor();
    },
    closes: true,
  },
  {
    name: 'the members of a server, and a card over them',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Server settings');
      await turnTo(page, 'Members');
      await dialog(page).getByLabel('Find a member').fill('piet');
      await dialog(page)
        .getByRole('button', { name: /^Pieter/ })
        .click();
      await dialog(page)
        .getByRole('button', { name: /^More for/ })
        .waitFor();
    },
  },
  {
    name: 'the bans of a server',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Server settings');
      await turnTo(page, 'Bans');
      await dialog(page).getByText('No one is banned.').waitFor();
    },
    closes: true,
  },
  {
    name: 'the audit log of a server',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Server settings');
      await turnTo(page, 'Audit log');
      await dialog(page)
        .getByText(/Entries are kept for 90 days/)
        .waitFor();
      await dialog(page).getByRole('listitem').first().waitFor();
    },
    closes: true,
  },
  {
    name: 'inviting people',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Invite people');
      await dialog(page).getByRole('button', { name: 'Edit' }).click();
      await dialog(page).getByLabel('Max uses').waitFor();
    },
    closes: true,
  },
];
