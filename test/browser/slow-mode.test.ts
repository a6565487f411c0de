import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { checkWindows, closeWindows, expectAccessible, message, say } from '../support/browser.ts';
import { openOwnerAndMember, type OwnerAndMember } from '../support/owner-and-member.ts';
import { saveScreenshots } from '../support/picture.ts';

describe('slow mode in the client', function () {
  this.bail(true);
  let app: TestApp;
  let { ann, page, bens, channelId } = {} as OwnerAndMember;

  before(async () => {
    app = await startSite();
    ({ ann, page, bens, channelId } = await openOwnerAndMember(app));
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const note = (of: Page, span = '10 seconds') => of.getByText(`One message every ${span}`);

  it('is chosen in the settings, and named to those who have to wait', async () => {
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByLabel('Slow mode').selectOption('10 seconds');
    await page.getByText('Members wait this long between messages.').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'slow-mode-settings');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await note(bens).waitFor();
    expect(await note(page).count()).to.equal(0);
    await expectAccessible(bens);
  });

  it('keeps messages that come too early, and sends them when they may be sent', async () => {
    await ann.send('channel:update', { channelId, slowSeconds: 3_600 });
    await note(bens, 'hour').waitFor();
    for (const text of ['One', 'Two', 'Three', 'Four']) await say(bens, text);
    await message(bens, 'Two').getByText('Sending again in 60 min').waitFor();
    await message(bens, 'Three').getByText('Waiting', { exact: true }).waitFor();
    await saveScreenshots(bens, 'slow-mode-waiting');
    await expectAccessible(bens);
    await message(bens, 'Three').getByRole('button', { name: 'Delete' }).click();
    await ann.send('channel:update', { channelId, slowSeconds: 1 });
    for (const text of ['Two', 'Four']) await message(page, text).waitFor();
    await bens.getByText(/^Sending again|^Waiting$/).waitFor({ state: 'detached' });
    expect(await message(page, 'Three').count()).to.equal(0);
  });

  it('names a wait that no choice has, and is gone once it is off', async () => {
    await ann.send('channel:update', { channelId, slowSeconds: 45 });
    await note(bens, '45 seconds').waitFor();
    await page.getByRole('button', { name: 'Channel settings' }).click();
    expect(await page.getByLabel('Slow mode').inputValue()).to.equal('45');
    await page.keyboard.press('Escape');
    await ann.send('channel:update', { channelId, slowSeconds: 60 });
    await note(bens, 'minute').waitFor();
    await ann.send('channel:update', { channelId, slowSeconds: 0 });
    await note(bens, 'minute').waitFor({ state: 'detached' });
  });
});
