import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';
import { enterAs, type Person } from '../support/person.ts';
import { saveScreenshot } from '../support/picture.ts';

describe('an invite in a browser', () => {
  let app: TestApp;
  let ann: Person;
  let code: string;
  let serverId: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    serverId = server.id;
    code = (await ann.send('invite:create', { serverId: server.id })).invite.code;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const picture = (page: Page, name: string) => saveScreenshot(page, `invited-${name}`);
  const servers = (page: Page) => page.getByRole('navigation', { name: 'Servers' });

  async function enterAsGuest(page: Page, name: string): Promise<void> {
    await page.getByLabel('Your name').fill(name);
    await page.keyboard.press('Enter');
    await composer(page).waitFor();
  }

  it('is not used by people who sign in after the session it was for', async () => {
    const { page } = await openBrowser(app, { path: `/join/${code}` });
    await heading(page, 'Harbour').waitFor();
    await page.evaluate(() => {
      new MutationObserver(() => {
        const { textContent = '' } = document.querySelector('h1') ?? {};
        const { dataset } = document.documentElement;
        dataset.headings = `${dataset.headings ?? ''};${textContent}`;
      }).observe(document.body, { childList: true, subtree: true });
    });
    await enterAsGuest(page, 'Cem');
    const headings = await page.evaluate(() => {
      const { dataset } = document.documentElement;
      const all = dataset.headings;
      delete dataset.headings;
      return all;
    });
    expect(headings, 'what was shown on the way in').to.not.include('Welcome');
    await servers(page).getByRole('link', { name: 'Harbour' }).waitFor();
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Welcome').waitFor();
    expect(await page.content()).to.not.include('Harbour');
    await enterAsGuest(page, 'Dana');
    await servers(page).getByRole('link', { name: 'Lobby' }).waitFor();
    expect(await servers(page).getByRole('link', { name: 'Harbour' }).count()).to.equal(0);
  });

  it('is needed to own a Parley; its first page says so until it has an owner', async () => {
    const said = 'This Parley has no owner yet. Open the link printed in the terminal.';
    const { page } = await openBrowser(app, { path: undefined });
    await page.clock.install();
    await page.goto(app.url);
    await page.getByText(said).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Username').fill('robin');
    await app.owner();
    // The page was opened before, and still receives the change.
    await page.clock.fastForward(11_000);
    await page.getByText(said).waitFor({ state: 'detached' });
    await heading(page, 'Welcome').waitFor();
    expect(await page.getByLabel('Username').inputValue()).to.equal('robin');
  });

  it('if invalid, offers strangers to sign in, and signed-in people to continue', async () => {
    const stranger = await openBrowser(app, { path: '/join/nowhere123' });
    await stranger.page.getByText('Ask for a new one.').waitFor();
    const { page } = await openBrowser(app, { as: ann, path: '/join/nowhere123' });
    await heading(page, 'This invite isn’t valid').waitFor();
    await page.getByText('Ask for a new one.', { exact: false }).waitFor();
    expect(await page.getByText('sign in').count()).to.equal(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue to Parley' }).click();
    await composer(page).waitFor();
  });

  it('is ready to be copied at once, in full; its duration can be changed afterwards', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}` });
    const dialog = page.getByRole('dialog');
    const copy = dialog.getByRole('button', { name: 'Copy', exact: true });
    const open = async () => {
      await page.getByRole('button', { name: 'Harbour', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Invite people' }).click();
      await copy.and(page.locator(':not([aria-disabled])')).waitFor();
    };
    await open();
    expect(await copy.evaluate((button) => button === document.activeElement)).to.be.true;
    await dialog.getByText('Expires in 7 days').waitFor();
    const field = dialog.getByLabel('Invite link');
    expect(await field.evaluate((link) => link.scrollWidth <= link.clientWidth)).to.be.true;
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).to.equal(`http://${await field.inputValue()}`);
    await expectAccessible(page);
    await picture(page, 'link');
    // Another request for the link, from another page hours later, returns the same one with less time left.
    const hours = `update invites set created_at = created_at - interval '15 hours',
      expires_at = expires_at - interval '15 hours' where code = $1`;
    await query(app.db, hours, [link.split('/').at(-1)]);
    await page.reload();
    await open();
    await dialog.getByText('Expires in 6 days').waitFor();
    expect(`http://${await field.inputValue()}`).to.equal(link);
    // A new link is created on request, even on the same terms.
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: 'Create new link' }).click();
    await dialog.getByText('Expires in 7 days').waitFor();
    expect(`http://${await field.inputValue()}`).to.not.equal(link);
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Max uses').selectOption('1 use');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create new link' }).click();
    await dialog.getByText('Expires in 7 days, 1 use').waitFor();
    expect(`http://${await field.inputValue()}`).to.not.equal(link);
    const { invites } = await ann.send('invite:list', { serverId });
    const made = invites.filter((invite) => invite.code !== code);
    expect(made.map(({ maxUses }) => maxUses)).to.have.members([null, null, 1]);
  });

  it('names the inviter to a guest, who chooses a name, can talk, and can keep the account', async () => {
    const password = 'the first of that name';
    await enterAs(app.url, 'register', { username: 'noor.smit', password });
    const { page, forgive } = await openBrowser(app, { path: `/join/${code}` });
    forgive(/409/);
    await page.getByText('Ann invited you').waitFor();
    await page.locator('input[name=displayName]:focus').waitFor();
    await expectAccessible(page);
    await picture(page, 'guest');
    await page.keyboard.type('Noor Smit');
    await page.keyboard.press('Enter');
    await composer(page).waitFor();
    await page.getByRole('region', { name: 'You' }).getByText('Guest ·').waitFor();
    await expectAccessible(page);
    await picture(page, 'keep');

    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Guests can’t sign back in').waitFor();
    await expectAccessible(page);
    await picture(page, 'sign-out');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    const username = dialog.getByLabel('Username');
    await username.waitFor();
    expect(await username.inputValue()).to.equal('noor.smit');
    await dialog.getByText('“noor.smit” is taken. Try noor.smit2 or noor.smit3.').waitFor();
    await picture(page, 'taken');
    await dialog.getByLabel('Password', { exact: true }).fill('a sentence to remember');
    await page.keyboard.press('Enter');
    await dialog.getByText('“noor.smit” is taken. Try noor.smit2 or noor.smit3.').waitFor();
    await expectAccessible(page);
    await username.fill('noor.smit2');
    await dialog.getByText('Available').waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .getByText('You’re now @noor.smit2. Sign in anywhere with your password.')
      .waitFor();
    await dialog.waitFor({ state: 'detached' });
    await picture(page, 'claimed');
    expect(await page.getByText('Keep this name').count()).to.equal(0);
  });

  it('says so to members of its server, and invites people outside it', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/join/${code}` });
    await page.getByText('You’re already a member').waitFor();
    expect(await page.getByText('invited').count()).to.equal(0);
    await page.getByRole('button', { name: 'Open Harbour' }).waitFor();
    const eve = await app.person('Eve');
    const other = await openBrowser(app, { as: eve, path: `/join/${code}` });
    await other.page.getByText(/^Ann invited you · \d members?$/).waitFor();
    await other.page.setViewportSize({ width: 390, height: 844 });
    await picture(other.page, 'phone');
    const { x, width } = (await other.page.getByRole('main').boundingBox())!;
    expect({ x, width }).to.deep.equal({ x: 0, width: 390 });
  });
});
