import { message } from '../../support/browser.ts';
import { inChannel, type ScreenScene } from './scene.ts';
import { dialog, type Screen } from './screen.ts';

export const directScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'no conversation yet',
    as: () => scene.loner,
    path: () => '/direct',
    show: (page) => page.getByText('Message a friend').waitFor(),
  },
  {
    name: 'a direct conversation',
    as: () => scene.ann,
    path: () => `/direct/${scene.pair}`,
    show: (page) => message(page, 'plan.md').waitFor(),
  },
  {
    name: 'a group and its people',
    as: () => scene.ann,
    path: () => `/direct/${scene.group}`,
    async show(page) {
      await message(page, 'plan.md').waitFor();
      await page.getByRole('button', { name: 'People' }).click();
      await page.getByText('In this group').waitFor();
    },
  },
  {
    name: 'a new conversation',
    as: () => scene.ann,
    path: () => inChannel(scene, scene.general),
    async show(page, { narrow }) {
      await message(page, 'Mine, again').waitFor();
      if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
      await page
        .getByRole('link', { name: /^Direct/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'New conversation' }).first().click();
      await dialog(page).getByRole('checkbox').nth(1).check();
      await dialog(page).getByRole('checkbox').nth(2).check();
      await dialog(page).getByLabel('Group name').fill('Launch');
    },
    closes: true,
  },
  {
    name: 'adding people to a group',
    as: () => scene.ann,
    path: () => `/direct/${scene.group}`,
    async show(page) {
      await message(page, 'plan.md').waitFor();
      await page
        .getByRole('main')
        .getByRole('button', { name: 'More', exact: true })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Add people' }).click();
      await dialog(page).getByText('They’ll see the whole history').waitFor();
    },
    closes: true,
  },
];
