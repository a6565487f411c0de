import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, eventually, focused, openBrowser, tabTo } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('the default channel', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    await ann.send('channel:create', { serverId, name: 'plans' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('UX-62 cannot be deleted: the button says why, and does nothing', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${general}` });
    await page.getByRole('button', { name: 'Channel settings' }).click();
    const button = page.getByRole('button', { name: 'Delete #general' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).to.equal('true');
    expect(await button.getAttribute('disabled')).to.equal(null);
    await tabTo(page, 'Delete #general');
    const reason = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`);
    expect(await reason.isVisible()).to.equal(true);
    expect((await reason.innerText()).replace(/\s+/g, ' ').trim()).to.equal(
      'New members start here. The default channel can’t be deleted. Choose another default first.',
    );
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').count()).to.equal(1);
    expect(await page.locator(':focus').innerText()).to.equal('Choose another default');
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).to.equal(1);
    const refused = await ann.expectError('channel:delete', { channelId: general });
    expect(refused.code).to.equal('conflict');
    await page.getByRole('link', { name: 'general' }).waitFor({ state: 'attached' });
  });

  it('can be replaced, and then deleted', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${general}` });
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByRole('button', { name: 'Choose another default' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByLabel('Default channel').waitFor();
    expect(await page.locator(':focus').evaluate((node) => node.tagName)).to.equal('SELECT');
    await settings.getByLabel('Default channel').selectOption('#plans');
    await settings.getByRole('button', { name: 'Save changes' }).click();
    await settings.getByText('Saved', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByRole('button', { name: 'Delete #general' }).click();
    await page.getByRole('button', { name: 'Delete channel' }).click();
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
    await page.getByRole('link', { name: 'general' }).waitFor({ state: 'detached' });
    await eventually(async () => expect(await focused(page)).to.not.equal('BODY'));
  });
});
