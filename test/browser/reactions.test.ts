import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { quotas } from '../../shared/quotas.ts';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, expectAccessible, message, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('reactions in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let messageId: string;
  let code: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    code = (await ann.send('invite:create', { serverId: server.id })).invite.code;
    await ben.send('server:join', { code });
    const timelineId = server.defaultChannelId;
    messageId = (await ann.send('message:send', { timelineId, body: 'Tea at four?' })).message.id;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person, more = {}) => (await openBrowser(app, { as, path, ...more })).page;
  const row = (page: Page) => message(page, 'Tea at four?');
  const chip = (page: Page, name: string) => row(page).getByRole('button', { name });

  it('are added, seen by others, joined and removed', async () => {
    const [hers, his] = [await see(ann), await see(ben)];
    await row(his).hover();
    await chip(his, 'React with 👍').click();
    await chip(his, '👍 1, You').waitFor();
    await chip(hers, '👍 1, Ben').click();
    await chip(his, '👍 2, You and Ann').waitFor();
    expect(await chip(his, '👍 2, You and Ann').getAttribute('aria-pressed')).to.equal('true');
    await expectAccessible(his);
    await chip(his, '👍 2, You and Ann').click();
    await chip(hers, '👍 1, You').waitFor();
    await chip(hers, '👍 1, You').click();
    await row(his).getByRole('group', { name: 'Reactions' }).waitFor({ state: 'detached' });
  });

  it('are picked from all emoji, by the keyboard alone', async () => {
    const page = await see(ben);
    await row(page).focus();
    await page.keyboard.press(':');
    await page.getByRole('searchbox').fill('teapot');
    await page.getByRole('button', { name: 'teapot' }).waitFor();
    await page.keyboard.press('Enter');
    await chip(page, '🫖 1, You').waitFor();
  });

  it('are removed when the server refuses them', async () => {
    const page = await see(ben);
    await row(page).waitFor();
    await ann.send('block:create', { userId: ben.id });
    await row(page).hover();
    await chip(page, 'React with 👍').click();
    await page.getByText('You can’t react to this person’s messages.').waitFor();
    expect(await row(page).getByRole('group', { name: 'Reactions' }).count()).to.equal(0);
  });

  it('are joined by a tap on a phone', async () => {
    const page = await see(ben, { width: 390, height: 844, touch: true });
    await row(page).waitFor();
    await ann.send('message:react', { messageId, emoji: '🎉', on: true });
    await chip(page, '🎉 1, Ann').tap();
    await chip(page, '🎉 2, You and Ann').waitFor();
    await expectAccessible(page);
  });

  it('are shown as mine even after twenty others, and even from another device', async () => {
    const others = await Promise.all(
      Array.from({ length: quotas.reactors }, (_, n) => app.guest(`Guest ${n}`)),
    );
    for (const one of [...others, ben]) {
      if (one !== ben) await one.send('server:join', { code });
      await one.send('message:react', { messageId, emoji: '👍', on: true });
    }
    const page = await see(ben);
    const is = (count: number, pressed: boolean) =>
      chip(page, `👍 ${count},`)
        .and(page.locator(`[aria-pressed=${pressed}]`))
        .waitFor();
    await is(21, true);
    await chip(page, '👍 21, You').click();
    await is(20, false);
    await page.reload();
    await is(20, false);
    await ben.send('message:react', { messageId, emoji: '👍', on: true });
    await chip(page, '👍 21').waitFor();
    // The person may have been on another device before the page regains the focus.
    await page.evaluate(() => {
      document.hasFocus = () => false;
      dispatchEvent(new Event('blur'));
    });
    await page.evaluate(() => {
      document.hasFocus = () => true;
      dispatchEvent(new Event('focus'));
    });
    await is(21, true);
    for (const one of others) one.close();
  });

  it('are not shown as those of the next person who signs in', async () => {
    const others = await Promise.all(
      Array.from({ length: quotas.reactors }, (_, n) => app.guest(`Guest ${n}`)),
    );
    for (const one of others) {
      await one.send('server:join', { code });
      await one.send('message:react', { messageId, emoji: '👍', on: true });
    }
    const page = await see(ben);
    await chip(page, `👍 ${quotas.reactors},`).click();
    await chip(page, `👍 ${quotas.reactors + 1}, You`).waitFor();
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    const username = ann.user.username ?? '';
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(`the password of ${username}`);
    // No reaction is shown as pressed, even before the server has answered which are hers.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('.reactions [aria-pressed=true]')) return;
        observer.disconnect();
        document.body.dataset.pressed = 'yes';
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'You' }).getByText('Ann').waitFor();
    await page.getByRole('link', { name: 'Place' }).first().click();
    await chip(page, `👍 ${quotas.reactors + 1},`).waitFor();
    expect(await page.locator('body').getAttribute('data-pressed')).to.equal(null);
    for (const one of others) one.close();
  });
});
