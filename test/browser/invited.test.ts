/** What an invite's address says to a stranger, to somebody signed in, and to whoever comes after. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('an invite in a browser', () => {
  let app: TestApp;
  let ann: Person;
  let code: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    code = (await ann.send('invite:create', { serverId: server.id })).invite.code;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
  const servers = (page: Page) => page.getByRole('navigation', { name: 'Servers' });

  async function enterAsGuest(page: Page, name: string): Promise<void> {
    await page.getByLabel('Your name').fill(name);
    await page.keyboard.press('Enter');
    await composer(page).waitFor();
  }

  it('lets nobody in who comes after the session that it was for', async () => {
    const { page } = await openBrowser(app, { path: `/join/${code}` });
    await heading(page, 'Harbour').waitFor();
    await enterAsGuest(page, 'Cem');
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

  it('is no way to own a Parley, whose first page says that nobody does until somebody did', async () => {
    const said = 'This Parley has no owner yet. Open the link printed in the terminal.';
    const { page } = await openBrowser(app, { path: '/' });
    await page.getByText(said).waitFor();
    await expectAccessible(page);
    await app.owner();
    await page.reload();
    await heading(page, 'Welcome').waitFor();
    expect(await page.getByText(said).count()).to.equal(0);
  });

  it('that is not valid offers a stranger to sign in, and somebody signed in the way on', async () => {
    const stranger = await openBrowser(app, { path: '/join/nowhere123' });
    await stranger.page.getByText('Ask for a new one, or sign in.').waitFor();
    const { page } = await openBrowser(app, { as: ann, path: '/join/nowhere123' });
    await heading(page, 'This invite isn’t valid').waitFor();
    await page.getByText('Ask for a new one.', { exact: false }).waitFor();
    expect(await page.getByText('sign in').count()).to.equal(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Continue to Parley' }).click();
    await composer(page).waitFor();
  });

  it('to a server that I am in says so, and invites somebody who is not', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/join/${code}` });
    await page.getByText('You’re already a member').waitFor();
    expect(await page.getByText('invited').count()).to.equal(0);
    await page.getByRole('button', { name: 'Open Harbour' }).waitFor();
    const eve = await app.person('Eve');
    const other = await openBrowser(app, { as: eve, path: `/join/${code}` });
    await other.page.getByText('You’ve been invited').waitFor();
  });
});
