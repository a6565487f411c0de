import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

const phone = { width: 390, height: 844, touch: true };

describe('going back', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let plans: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    plans = (await ann.send('channel:create', { serverId, name: 'plans' })).channel.id;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const path = (channelId: string) => `/s/${serverId}/${channelId}`;
  const heading = (page: Page, name: string) =>
    page.getByRole('heading', { level: 1, name, exact: true });
  const members = (page: Page) => page.getByRole('complementary', { name: 'Members' });
  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

  async function twoSteps(looks = {}): Promise<Page> {
    const { page } = await openBrowser(app, { as: ann, path: path(general), ...looks });
    await heading(page, 'general').waitFor();
    await page.evaluate((to) => {
      const link = document.body.appendChild(document.createElement('a'));
      link.href = to;
      link.click();
      link.remove();
    }, path(plans));
    await heading(page, 'plans').waitFor();
    return page;
  }

  it('closes members, a card above them and settings on a phone, and stays in the channel', async () => {
    const page = await twoSteps(phone);
    await page.getByRole('button', { name: 'Members' }).tap();
    await members(page).getByRole('button', { name: /^Ben/ }).tap();
    await dialog(page, 'Ben').waitFor();
    await page.goBack();
    await dialog(page, 'Ben').waitFor({ state: 'detached' });
    await members(page).waitFor();
    await page.goBack();
    await members(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'plans', exact: true }).tap();
    await page.getByRole('menuitem', { name: 'Channel settings' }).tap();
    await dialog(page, 'Channel settings').waitFor();
    await page.goBack();
    await dialog(page, 'Channel settings').waitFor({ state: 'detached' });
    await heading(page, 'plans').waitFor();
    expect(new URL(page.url()).pathname).to.equal(path(plans));
    await page.goBack();
    await heading(page, 'general').waitFor();
  });

  it('closes a menu, and skips a dialog that was closed by other means', async () => {
    const page = await twoSteps();
    const menu = page.getByRole('menu');
    await page.getByRole('button', { name: 'Harbour', exact: true }).first().click();
    await menu.waitFor();
    await page.goBack();
    await menu.waitFor({ state: 'detached' });
    await heading(page, 'plans').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await heading(page, 'general').waitFor();
  });

  it('leads from a place chosen in a dialog to the one before', async () => {
    const page = await twoSteps();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('general');
    await page.getByRole('option', { name: 'general Harbour' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'general').waitFor();
    await page.goBack();
    await heading(page, 'plans').waitFor();
  });
});
