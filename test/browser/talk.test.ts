import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ownerInvite } from '../../server/invites/invites.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  choose,
  closeWindows,
  composer,
  cutOff,
  eventually,
  inState,
  message,
  messages,
  openBrowser,
  say,
  serverAway,
  texts,
  type BrowserWindow,
} from '../support/browser.ts';

const soon = { timeout: 2_000 };
const passwords = { ann: 'a sentence of Ann', ben: 'a sentence of Ben' };

describe('two people in two browsers', function () {
  // The tests are chapters of one story, and each needs those before it.
  this.bail(true);
  let app: TestApp;
  let ann: BrowserWindow;
  let ben: BrowserWindow;
  let link: string;

  before(async () => void (app = await startSite()));
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const register = async (page: Page, username: string, password: string) => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
  };
  const you = (page: Page) => page.getByRole('region', { name: 'You' }).getByRole('button').first();
  const listed = (page: Page, status: 'Online' | 'Offline') =>
    page
      .getByRole('complementary', { name: 'Members' })
      .locator(`h2:has-text("${status}") + ul`)
      .getByRole('listitem');

  it('Ann owns the place by the link that the first start prints', async () => {
    const code = await ownerInvite(app.db);
    ann = await openBrowser(app, { path: `/join/${code}` });
    await ann.page.getByLabel('Display name').fill('Ann');
    await register(ann.page, 'ann', passwords.ann);
    await ann.page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    await listed(ann.page, 'Online').filter({ hasText: 'Owner' }).waitFor();
    expect(await ownerInvite(app.db)).to.equal(undefined);
  });

  it('Ann makes an invite link', async () => {
    await ann.page.getByRole('button', { name: 'Lobby', exact: true }).click();
    await ann.page.getByRole('menuitem', { name: 'Invite people' }).click();
    await ann.page
      .getByRole('button', { name: 'Copy', exact: true })
      .and(ann.page.locator(':not([aria-disabled])'))
      .click();
    link = await ann.page.evaluate(() => navigator.clipboard.readText());
    expect(link).to.match(/^http:.*\/join\/\w{12}$/);
    await ann.page.keyboard.press('Escape');
    await ann.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('UX-60 Ben follows it, and talks after a name, Enter, and a message', async () => {
    ben = await openBrowser(app, { path: new URL(link).pathname });
    const interactions = [
      () => ben.page.getByLabel('Your name').fill('Ben'),
      () => ben.page.keyboard.press('Enter'),
      async () => {
        await ben.page.locator('#composer:focus').waitFor();
        await ben.page.keyboard.type('Here I am');
        await ben.page.keyboard.press('Enter');
      },
    ];
    for (const interact of interactions) await interact();
    await message(ann.page, 'Here I am').waitFor();
    expect(interactions).to.have.length.at.most(3);
  });

  it('messages reach the other at once', async () => {
    await say(ann.page, 'Welcome, Ben');
    await message(ben.page, 'Welcome, Ben').waitFor(soon);
    await say(ben.page, 'Thank you, Ann');
    await message(ann.page, 'Thank you, Ann').waitFor(soon);
    const conversation = ['Here I am', 'Welcome, Ben', 'Thank you, Ann'];
    for (const { page } of [ann, ben])
      await eventually(async () => expect(await texts(page)).to.deep.equal(conversation));
  });

  it('Ann sees Ben online, and that he is a guest', async () => {
    const row = listed(ann.page, 'Online').filter({ hasText: 'Ben' });
    await row.getByText('Guest').waitFor();
  });

  it('UX-40 Ben edits with the arrow key, and Ann sees the edit', async () => {
    await inState(message(ben.page, 'Thank you, Ann'), 'sent').waitFor();
    await composer(ben.page).press('ArrowUp');
    await ben.page.getByLabel('Edit message').fill('Thanks a lot, Ann');
    await ben.page.getByLabel('Edit message').press('Enter');
    const row = message(ann.page, 'Thanks a lot, Ann');
    await row.getByText('(edited').waitFor(soon);
    expect(await row.getAttribute('aria-label')).to.match(/, edited$/);
    await ben.page.locator('#composer:focus').waitFor();
  });

  it('UX-49 Ben confirms a deletion, and the message is gone for both', async () => {
    await say(ben.page, 'A slip of the finger');
    await message(ann.page, 'A slip of the finger').waitFor(soon);
    await choose(message(ben.page, 'A slip of the finger'), 'Delete');
    const question = ben.page.getByRole('dialog', { name: 'Delete this message?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await message(ben.page, 'A slip of the finger').count()).to.equal(1);

    await choose(message(ben.page, 'A slip of the finger'), 'Delete');
    await question.getByRole('button', { name: 'Delete message' }).click();
    await message(ann.page, 'A slip of the finger').waitFor({ state: 'detached', ...soon });
    await message(ben.page, 'Thanks a lot, Ann').and(ben.page.locator(':focus')).waitFor();
    expect(await message(ben.page, 'A slip of the finger').count()).to.equal(0);
  });

  it('UX-11, UX-12 a restart of the server loses and duplicates nothing', async () => {
    for (const { forgive } of [ann, ben]) for (const what of [serverAway, cutOff]) forgive(what);
    const { where, url } = app;
    await app.close();
    for (const { page } of [ann, ben]) await page.getByText('Reconnecting…').waitFor();
    await say(ann.page, 'Is it only me?');
    await say(ann.page, 'I write anyway');
    await inState(message(ann.page, 'I write anyway'), 'pending').waitFor();
    expect(await texts(ben.page)).to.not.include('I write anyway');

    app = await startSite({ PORT: new URL(url).port }, where);
    for (const { page } of [ann, ben])
      await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await message(ben.page, 'I write anyway').waitFor();
    await inState(message(ann.page, 'I write anyway'), 'sent').waitFor();
    await say(ben.page, 'I am back too');
    await message(ann.page, 'I am back too').waitFor(soon);

    const all = [
      /^Here I am$/,
      /^Welcome, Ben$/,
      /^Thanks a lot, Ann\s\(edited \d\d:\d\d\)$/,
      /^Is it only me\?$/,
      /^I write anyway$/,
      /^I am back too$/,
    ];
    const expectAll = async (page: Page) => {
      const found = await texts(page);
      expect(found).to.have.length(all.length);
      for (const [i, text] of found.entries()) expect(text).to.match(all[i]!);
      expect(await messages(page).count()).to.equal(all.length);
    };
    for (const { page } of [ann, ben]) {
      await eventually(() => expectAll(page));
      await page.reload();
      await message(page, 'I am back too').waitFor();
      await eventually(() => expectAll(page));
    }
    await listed(ann.page, 'Online').filter({ hasText: 'Ben' }).waitFor();
  });

  it('Ben registers, and his messages are still his', async () => {
    const field = await composer(ben.page).elementHandle();
    await you(ben.page).click();
    await ben.page.getByRole('menuitem', { name: 'Create an account' }).click();
    await register(ben.page, 'ben', passwords.ben);
    await ben.page.getByRole('dialog').waitFor({ state: 'detached' });
    // The page is not replaced while its user may be writing.
    expect(await field.evaluate(({ isConnected }) => isConnected)).to.equal(true);
    await say(ben.page, 'Now I can come back');
    await message(ann.page, 'Now I can come back').waitFor(soon);
    for (const { page } of [ann, ben])
      for (const text of ['Here I am', 'I am back too', 'Now I can come back'])
        expect(await message(page, text).getAttribute('aria-label')).to.match(/^Ben, /);
    await ann.page.getByText('Guest', { exact: true }).first().waitFor({ state: 'detached' });
    expect(await listed(ann.page, 'Online').filter({ hasText: 'Ben' }).count()).to.equal(1);
  });

  it('Ben changes his name, and Ann sees it at once, on old messages too', async () => {
    await you(ben.page).click();
    await ben.page.getByRole('menuitem', { name: 'Settings' }).click();
    await ben.page.getByLabel('Display name').fill('Benedict');
    await ben.page.keyboard.press('Enter');
    await ben.page.getByText('Saved', { exact: true }).waitFor();
    await ben.page.keyboard.press('Escape');
    await listed(ann.page, 'Online').filter({ hasText: 'Benedict' }).waitFor(soon);
    for (const { page } of [ann, ben])
      await page.getByRole('article', { name: /^Benedict, Here I am/ }).waitFor(soon);
    await you(ben.page).filter({ hasText: 'Benedict' }).waitFor();
  });

  it('Ben signs out, and Ann sees that he is gone', async () => {
    await you(ben.page).click();
    await ben.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await ben.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await ben.page.getByRole('tab', { name: 'Sign in' }).waitFor();
    expect(await ben.page.getByText('Here I am').count()).to.equal(0);
    await listed(ann.page, 'Offline').filter({ hasText: 'Ben' }).waitFor();
  });

  it('Ben signs in again and finds the conversation as he left it', async () => {
    const left = await texts(ann.page);
    await ben.page.getByLabel('Username').fill('ben');
    await ben.page.getByLabel('Password', { exact: true }).fill(passwords.ben);
    await ben.page.keyboard.press('Enter');
    await messages(ben.page).first().waitFor();
    await eventually(async () => expect(await texts(ben.page)).to.deep.equal(left));
    await listed(ann.page, 'Online').filter({ hasText: 'Ben' }).waitFor();
  });
});
