import { expect } from 'chai';
import { message } from '../../support/browser.ts';
import { inChannel, type ScreenScene } from './scene.ts';
import { askAbout, dialog, type Screen } from './screen.ts';

export const friendsScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'friends, requests and blocked people',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      for (const title of ['Received', 'Sent', 'Online', 'Blocked'])
        await page.getByRole('heading', { name: new RegExp(`^${title}`) }).waitFor();
    },
  },
  {
    name: 'UX-61 no friends yet',
    as: () => scene.loner,
    path: () => '/friends',
    show: (page) => page.getByText('No friends yet').waitFor(),
  },
  {
    name: 'people found by name',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      await page.getByRole('searchbox', { name: 'Find people' }).fill('grace');
      for (const name of ['Add friend: Grace Hopper', 'Cancel request to Grace Owusu'])
        await page.getByRole('button', { name }).first().waitFor();
    },
  },
  {
    name: 'UX-61 no one found by a name',
    as: () => scene.loner,
    path: () => '/friends',
    async show(page) {
      await page.getByRole('searchbox', { name: 'Find people' }).fill('Rumpelstiltskin');
      await page.getByText('No one found for “Rumpelstiltskin”.').waitFor();
    },
  },
  {
    name: 'the note of a friend request',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      await askAbout(page, 'Grace Owusu', 'Edit note');
      await dialog(page).getByLabel('Note').waitFor();
    },
    closes: true,
  },
  {
    name: 'a nickname for a friend',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      await askAbout(page, 'Bosun', 'Nickname');
      await dialog(page).getByLabel('Nickname').waitFor();
    },
    closes: true,
  },
  {
    name: 'UX-63 asking before a friend is removed',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      await askAbout(page, 'Bosun', 'Remove friend');
      await page.getByRole('dialog', { name: /^Remove Bosun.*\?$/ }).waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('Cancel');
    },
    closes: true,
  },
  {
    name: 'asking before someone is blocked',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      await askAbout(page, 'Bosun', 'Block');
      await page.getByRole('dialog', { name: 'Block Bosun?' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'the card of a friend',
    as: () => scene.ann,
    path: () => '/friends',
    async show(page) {
      await page.getByRole('button', { name: /^Bosun/ }).click();
      await dialog(page).getByRole('button', { name: 'More for Bosun' }).waitFor();
    },
    closes: true,
  },
  {
    name: 'messages from blocked people',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.office),
    show: (page) => message(page, '2 messages from someone you blocked').waitFor(),
  },
];
