import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('local time on a card', () => {
  let app: TestApp;
  let [ann, ben]: Person[] = [];
  let path: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    path = `/s/${server.id}/${server.defaultChannelId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const dialog = (page: Page) => page.getByRole('dialog');
  const openCard = async (page: Page, name: RegExp) => {
    await page
      .getByRole('complementary', { name: 'Members' })
      .getByRole('button', { name })
      .click();
    await dialog(page).getByRole('heading').waitFor();
  };
  const sharedOffset = async () =>
    (await ben!.send('localTime:get', { userId: ann!.user.id })).utcOffset;
  const clockIn = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(new Date());
  const turnOver = async (page: Page) => {
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await dialog(page).getByRole('button', { name: 'Privacy' }).click();
    const shares = dialog(page).getByRole('switch', { name: 'Local time' });
    await page.locator('[role=switch]:not([aria-disabled])').nth(1).waitFor();
    const before = await shares.getAttribute('aria-checked');
    await shares.click();
    await eventually(async () =>
      expect(await shares.getAttribute('aria-checked')).to.not.equal(before),
    );
    return before;
  };

  it('is that of the person, and is neither shown nor reported once they turn it off', async () => {
    const away = await openBrowser(app, { as: ann!, path, timeZone: 'Asia/Kolkata', ahead: true });
    await composer(away.page).waitFor();
    await eventually(async () => expect(await sharedOffset()).to.equal(330));
    const { page } = await openBrowser(app, { as: ben!, path, timeZone: 'Europe/London' });
    await openCard(page, /^Ann/);
    const shown = await dialog(page)
      .getByText(/local time$/)
      .innerText();
    expect(shown).to.equal(`${clockIn('Asia/Kolkata')} local time`);
    await expectAccessible(page);
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/local-time-card.png` });
    await page.keyboard.press('Escape');

    expect(await turnOver(away.page)).to.equal('true');
    await expectAccessible(away.page);
    if (process.env.PICTURES)
      await away.page.screenshot({ path: `${process.env.PICTURES}/local-time-privacy.png` });
    expect(await sharedOffset()).to.equal(null);
    // A device that has not reported its time zone yet.
    const other = await openBrowser(app, { as: ann!, path, timeZone: 'Asia/Kolkata', ahead: true });
    await composer(other.page).waitFor();
    await openCard(page, /^Ann/);
    await dialog(page)
      .getByText(/^Owner of Harbour/)
      .waitFor();
    expect(await sharedOffset()).to.equal(null);
    expect(await dialog(page).getByText('local time').count()).to.equal(0);
    expect(await turnOver(other.page)).to.equal('false');
    expect(await sharedOffset()).to.equal(330);
  });

  it('follows the clock of their device, wherever they are now', async () => {
    const { page } = await openBrowser(app, {
      as: ann!,
      path,
      timeZone: 'Asia/Tokyo',
      ahead: true,
    });
    await composer(page).waitFor();
    await eventually(async () => expect(await sharedOffset()).to.equal(540));
  });
});
