import { expect } from 'chai';
import type { ScreenScene } from './scene.ts';
import type { Screen } from './screen.ts';

export const enteringScreens = (scene: ScreenScene): Screen[] => [
  {
    name: 'signing in, or joining as a guest',
    path: () => '/',
    show: (page) => page.getByLabel('Your name').waitFor(),
  },
  {
    name: 'UX-60 registering, with every error shown',
    path: () => '/',
    async show(page) {
      await page.getByRole('tab', { name: 'Register' }).click();
      await page.getByLabel('Username').fill('A b');
      await page.getByLabel('Display name').fill('x'.repeat(65));
      await page.getByLabel('Password', { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Create account' }).click();
      for (const name of ['Username', 'Display name', 'Password']) {
        const field = page.getByLabel(name, { exact: true });
        expect(await field.getAttribute('aria-invalid')).to.equal('true');
        const note = await field.getAttribute('aria-describedby');
        expect(await page.locator(`[id="${note}"]`).innerText()).to.match(/\w/);
      }
      expect(await page.getByLabel('Username').inputValue()).to.equal('A b');
      expect(await page.locator(':focus').getAttribute('name')).to.equal('username');
    },
  },
  {
    name: 'choosing a new password with a link',
    path: () => '/reset#nosuchlink',
    async show(page) {
      await page.getByRole('textbox', { name: 'New password' }).fill('short');
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.getByText('Too short').waitFor();
    },
  },
  {
    name: 'an invite, signed out',
    path: () => `/join/${scene.code}`,
    show: (page) => page.getByRole('heading', { level: 1, name: /^Software/ }).waitFor(),
  },
  {
    name: 'an invalid invite',
    path: () => '/join/nosuchinvite',
    show: (page) => page.getByRole('heading', { name: 'This invite isn’t valid' }).waitFor(),
  },
  {
    name: 'an invite, signed in',
    as: () => scene.loner,
    path: () => `/join/${scene.code}`,
    show: (page) => page.getByRole('button', { name: /^Join Software/ }).waitFor(),
  },
  {
    name: 'UX-61 no server yet',
    as: () => scene.loner,
    path: () => '/',
    show: (page) => page.getByRole('button', { name: 'Create a server' }).waitFor(),
  },
  {
    name: 'an unavailable page',
    as: () => scene.ann,
    path: () => '/s/01900000-0000-7000-8000-000000000000',
    show: (page) => page.getByText('This page isn’t available').waitFor(),
  },
];
