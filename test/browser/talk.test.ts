/** The main job: two people in two browsers, one registered, one a guest, talk. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ownerInvite } from '../../server/servers/lobby.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { expectAccessible, openWindow, type Window } from '../support/browser.ts';

const messages = (page: Page) => page.getByRole('article');
const said = (page: Page, text: string) => messages(page).filter({ hasText: text });
const composer = (page: Page) => page.getByRole('textbox', { name: /^(Message|Say hello)/ });

async function say(page: Page, text: string) {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

/** Those who are listed under a heading that begins so. */
const members = (page: Page, status: string) =>
  page.getByRole('complementary').locator(`h2:has-text("${status}") + ul`);

describe('two people', function () {
  this.timeout(90_000);
  let app: TestApp;
  let ann: Window;
  let ben: Window;

  before(async () => {
    app = await startApp();
  });
  after(async () => {
    await ann.close();
    await ben.close();
    await app.close();
  });

  it('Ann registers by the owner’s link and arrives where she can speak', async () => {
    const code = (await ownerInvite(app.app.db)) ?? '';
    ann = await openWindow(`${app.url}/join/${code}`);
    const { page } = ann;
    await page.getByLabel('Username').fill('ann');
    await page.getByLabel('Display name').fill('Ann Lindqvist');
    await page.getByLabel('Password', { exact: true }).fill('a sentence to sign in with');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    await say(page, 'Is anybody here?');
    await said(page, 'Is anybody here?').and(page.locator('[data-state=sent]')).waitFor();
    await expectAccessible(page);
  });

  it('Ben follows an invite, types a name, and speaks', async () => {
    const { page } = ann;
    await page.getByRole('button', { name: 'Lobby' }).last().click();
    await page.getByRole('menuitem', { name: /Invite/ }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('New link').inputValue();
    await page.keyboard.press('Escape');

    ben = await openWindow(link);
    // Three interactions: a name, Enter, a message.
    await ben.page.getByLabel('Your name').fill('Ben');
    await ben.page.getByLabel('Your name').press('Enter');
    await say(ben.page, 'Here I am');
    await said(page, 'Here I am').waitFor();
    await said(ben.page, 'Is anybody here?').waitFor();
  });

  it('see each other online', async () => {
    for (const { page } of [ann, ben]) {
      await members(page, 'Online').getByText('Ben').waitFor();
      await members(page, 'Online').getByText('Ann Lindqvist').waitFor();
    }
  });

  it('see edits and deletions at once', async () => {
    const { page } = ben;
    await composer(page).press('ArrowUp');
    await page.getByLabel('Edit message').fill('Here I am, at last');
    await page.getByLabel('Edit message').press('Enter');
    await said(ann.page, 'Here I am, at last')
      .getByText(/edited/)
      .waitFor();

    await say(page, 'A slip of the finger');
    await said(ann.page, 'A slip of the finger').waitFor();
    await said(page, 'A slip of the finger').hover();
    await said(page, 'A slip of the finger').getByRole('button', { name: 'Delete' }).click();
    await expectAccessible(page);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Delete/ })
      .click();
    await ann.page.getByText(/Message deleted/).waitFor();
    expect(await said(ann.page, 'A slip of the finger').count()).to.equal(0);
  });

  it('lose nothing when the server restarts', async () => {
    const port = new URL(app.url).port;
    await app.close();
    await ann.page.getByText('Reconnecting…').waitFor();
    await expectAccessible(ann.page);
    await say(ben.page, 'Written while nobody could hear');
    await said(ben.page, 'Written while nobody could hear')
      .and(ben.page.locator('[data-state=pending]'))
      .waitFor();
    app = await startApp({ PORT: port }, app.where);
    await ann.page.getByText('Reconnecting…').waitFor({ state: 'detached', timeout: 45_000 });
    await said(ann.page, 'Written while nobody could hear').waitFor({ timeout: 45_000 });
    for (const { page } of [ann, ben]) {
      await page.reload();
      await said(page, 'Written while nobody could hear').waitFor();
      const ids = await messages(page).evaluateAll((rows) =>
        rows.map((row) => row.getAttribute('data-id')),
      );
      expect(ids).to.have.length(4);
      expect(new Set(ids).size).to.equal(4);
    }
    // What the browser says of a server that is away is no fault of the page.
    for (const { complaints } of [ann, ben])
      complaints.splice(
        0,
        complaints.length,
        ...complaints.filter((text) => !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(text)),
      );
  });

  it('Ben claims his account, and what he said stays his', async () => {
    const { page } = ben;
    await page.getByRole('region', { name: 'You' }).getByRole('button').last().click();
    await page
      .getByRole('menuitem', { name: /account|Register/i })
      .first()
      .click();
    await page.getByLabel('Username').fill('ben');
    await page.getByLabel('Password', { exact: true }).fill('another sentence, of his own');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Register|Create|Keep/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await say(page, 'Now I am registered');
    await said(ann.page, 'Now I am registered').waitFor();
    await said(ann.page, 'Here I am, at last').waitFor();
    const row = ann.page
      .getByRole('complementary')
      .getByRole('listitem')
      .filter({ hasText: 'Ben' });
    expect(await row.count()).to.equal(1);
    await row.getByText('Guest').waitFor({ state: 'detached' });
  });

  it('Ann sees Ben go when he signs out', async () => {
    const { page } = ben;
    await page.getByRole('region', { name: 'You' }).getByRole('button').last().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await members(ann.page, 'Offline').getByText('Ben').waitFor();
  });
});
