import { expect } from 'chai';
import { inChannel, type ScreenScene } from './scene.ts';
import { dialog, openCategory, openMenu, type Screen } from './screen.ts';

export const categoriesScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'creating a channel under a category',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
      await page.getByRole('button', { name: 'Create a channel in Empty' }).click();
      await dialog(page).getByLabel('Category').waitFor();
    },
    closes: true,
  },
  {
    name: 'creating a category',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openMenu(page, narrow, 'Create a category');
      await dialog(page).getByLabel('Name').waitFor();
    },
    closes: true,
  },
  {
    name: 'a category menu',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openCategory(page, narrow);
      await page.getByRole('menuitem', { name: 'Move down' }).waitFor();
    },
  },
  {
    name: 'asking before a category is deleted',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await openCategory(page, narrow);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog(page).getByRole('button', { name: 'Cancel' }).waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('Cancel');
    },
    closes: true,
  },
  {
    name: 'moving a channel to a category',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    only: 'wide',
    async show(page) {
      await page.getByRole('button', { name: 'More for #general' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Move to category…' }).click();
      await dialog(page).getByLabel('Category').waitFor();
    },
    closes: true,
  },
];
