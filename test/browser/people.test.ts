import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  eventually,
  expectAccessible,
  openBrowser,
  tabTo,
} from '../support/browser.ts';
import { addSilentPeople } from '../support/crowd.ts';
import { post, type Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { tap } from '../support/socket-tap.ts';

describe('administration in the client', () => {
  let app: TestApp;
  let owner: Person;
  let ann: Person;
  before(async () => {
    app = await startSite();
    owner = await app.owner();
    await addSilentPeople(app, 55, 'Crew');
  });
  beforeEach(async () => void (ann = await app.person('Ann Archer')));
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const rows = (page: Page) => page.getByRole('list', { name: 'People' }).getByRole('listitem');
  const dialog = (page: Page) => page.getByRole('dialog').last();
  const openSettings = async (page: Page) => {
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
  };
  /** An administrator's page, with only Ann in the list. */
  const finding = async (as: Person) => {
    const { page } = await openBrowser(app, { as });
    await find(page);
    return page;
  };
  const find = async (page: Page) => {
    await openSettings(page);
    await dialog(page).getByRole('button', { name: 'People' }).click();
    await page.getByLabel('Find people').fill(ann.user.username ?? '');
    await eventually(async () => expect(await rows(page).count()).to.equal(1));
  };
  const choose = async (page: Page, item: string) => {
    await page.getByRole('button', { name: /^More about Ann Archer/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('is missing for people who administer nothing', async () => {
    const { page } = await openBrowser(app, { as: ann });
    await openSettings(page);
    await dialog(page).getByRole('button', { name: 'Devices' }).waitFor();
    for (const name of ['People', 'This Parley'])
      expect(await dialog(page).getByRole('button', { name }).count()).to.equal(0);
  });

  it('shows a page of everyone, then the next', async () => {
    const { page } = await openBrowser(app, { as: owner });
    await openSettings(page);
    await dialog(page).getByRole('button', { name: 'People' }).click();
    await eventually(async () => expect(await rows(page).count()).to.equal(50));
    await page.getByRole('button', { name: 'Show more' }).click();
    await eventually(async () => expect(await rows(page).count()).to.be.above(56));
    expect(await page.getByRole('button', { name: 'Show more' }).count()).to.equal(0);
  });

  it('is requested once for a query, after the last key, and once for a group', async () => {
    const { page } = await openBrowser(app, { as: owner, path: undefined });
    let requests = 0;
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('"account:list"')) requests += 1;
      }),
    );
    await page.goto(app.url);
    await openSettings(page);
    await dialog(page).getByRole('button', { name: 'People' }).click();
    await eventually(async () => expect(await rows(page).count()).to.equal(50));
    await page.getByLabel('Find people').pressSequentially(ann.user.username ?? '');
    await eventually(async () => expect(await rows(page).count()).to.equal(1));
    await page.getByLabel('Show', { exact: true }).selectOption('Administrators');
    await page.getByText('No one found').waitFor();
    expect(requests).to.equal(3);
  });

  it('keeps a change that overtakes the answer to a query', async () => {
    const { page } = await openBrowser(app, { as: owner, path: undefined });
    const line = await tap(page);
    await page.goto(app.url);
    await find(page);
    const answered = line.delayAnswer(/"accounts":/);
    await page.getByLabel('Find people').press('Space');
    await answered;
    await choose(page, 'Suspend account');
    await dialog(page).getByRole('button', { name: 'Suspend account' }).click();
    await rows(page).getByText('Suspended').waitFor();
    line.letGo();
    await choose(page, 'Restore account');
    await dialog(page).getByRole('button', { name: 'Restore account' }).click();
    await eventually(async () =>
      expect(await rows(page).getByText('Suspended').count()).to.equal(0),
    );
  });

  it('makes a link that leads to a new password and signs in, and signs all other devices out', async () => {
    const { page: before } = await openBrowser(app, { as: ann, ahead: true });
    await before.getByRole('region', { name: 'You' }).waitFor();
    const page = await finding(owner);
    await choose(page, 'Create password link');
    const link = await page.getByLabel('Link').inputValue();
    expect(link).to.match(new RegExp(`^${app.url}/reset#[\\w-]{43}$`));
    const { page: fresh } = await openBrowser(app, { path: link.slice(app.url.length) });
    await fresh.getByRole('textbox', { name: 'New password' }).fill('a sentence she will keep');
    await fresh.keyboard.press('Enter');
    await fresh.getByRole('region', { name: 'You' }).getByText('Ann Archer').waitFor();
    expect(fresh.url()).not.to.include('#');
    await before.getByText('You were signed out.').waitFor();
    const login = { username: ann.user.username, password: 'a sentence she will keep' };
    expect((await post(app.url, '/api/auth/login', login)).status).to.equal(200);
    await before.getByLabel('Username').fill(ann.user.username ?? '');
    await before.getByLabel('Password', { exact: true }).fill('a sentence she will keep');
    await before.keyboard.press('Enter');
    const notice = before.getByText(/^Your password was reset on .* from an administrator\./);
    await notice.waitFor();
    await before.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
  });

  it('revokes the tokens of their bots with the link, if asked', async () => {
    const { token } = await ann.send('bot:create', { name: 'Echo' });
    const reads = async () =>
      (await fetch(`${app.url}/api/servers`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    for (const [isAsked, status] of [
      [false, 200],
      [true, 401],
    ] as const) {
      const { secret } = await owner.send('account:reset', { userId: ann.id });
      const { page } = await openBrowser(app, { path: `/reset#${secret}` });
      await page.getByRole('textbox', { name: 'New password' }).fill('a sentence she will keep');
      const choice = page.getByRole('checkbox', { name: 'Also revoke my bots’ tokens' });
      expect(await choice.isChecked()).to.equal(false);
      if (isAsked) await choice.check();
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.getByRole('region', { name: 'You' }).getByText('Ann Archer').waitFor();
      expect(await reads()).to.equal(status);
    }
  });

  it('accepts the link in a browser that is still signed in', async () => {
    const { secret } = await owner.send('account:reset', { userId: ann.id });
    const { page } = await openBrowser(app, { as: ann, path: `/reset#${secret}` });
    // By then the session is known, and the rest of the page has loaded.
    await page.waitForLoadState('networkidle');
    await page.getByRole('textbox', { name: 'New password' }).fill('a sentence she will keep');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'You' }).getByText('Ann Archer').waitFor();
  });

  it('says that a used link does not work, and leads to the sign-in', async () => {
    const { secret } = await owner.send('account:reset', { userId: ann.id });
    await post(app.url, '/api/auth/reset', { secret, password: 'a sentence she will keep' });
    const { page, forgive } = await openBrowser(app, { path: `/reset#${secret}` });
    forgive(/status of 401/);
    await page.getByRole('textbox', { name: 'New password' }).fill('a sentence of somebody else');
    await page.getByRole('button', { name: 'Save and sign in' }).click();
    await page.getByText('This link doesn’t work. It may have expired.').waitFor();
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await page.getByLabel('Username').waitFor();
  });

  it('suspends a person by the keyboard alone, shows them the reason, and restores them', async () => {
    const { page: theirs } = await openBrowser(app, { as: ann });
    await theirs.getByRole('region', { name: 'You' }).waitFor();
    const page = await finding(owner);
    await page.getByLabel('Find people').focus();
    await tabTo(page, 'More about Ann Archer');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    await page
      .getByRole('menuitem', { name: 'Suspend account' })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByRole('button', { name: 'Cancel' })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await rows(page).getByText('Suspended').waitFor();
    await theirs.getByText('Your account is suspended.').waitFor();
    await choose(page, 'Restore account');
    await dialog(page).getByRole('button', { name: 'Restore account' }).click();
    await eventually(async () =>
      expect(await rows(page).getByText('Suspended').count()).to.equal(0),
    );
    await theirs.getByLabel('Username').fill(ann.user.username ?? '');
    await theirs
      .getByLabel('Password', { exact: true })
      .fill(`the password of ${ann.user.username}`);
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('region', { name: 'You' }).waitFor();
  });

  it('lets only the owner make and manage administrators', async () => {
    const ben = await app.person('Ben');
    await owner.send('account:update', { userId: ben.id, administrator: true });
    const theirs = await finding(ben);
    await theirs.getByRole('button', { name: /^More about Ann Archer/ }).click();
    await theirs.getByRole('menuitem', { name: 'Suspend account' }).waitFor();
    expect(await theirs.getByRole('menuitem', { name: 'Make administrator' }).count()).to.equal(0);
    const page = await finding(owner);
    await choose(page, 'Make administrator');
    await dialog(page).getByRole('button', { name: 'Make administrator' }).click();
    await rows(page).getByText('Administrator', { exact: true }).waitFor();
    await theirs.keyboard.press('Escape');
    await theirs.getByLabel('Find people').fill('');
    await theirs.getByLabel('Find people').fill(ann.user.username ?? '');
    await eventually(async () => expect(await rows(theirs).count()).to.equal(1));
    await rows(theirs)
      .filter({ hasText: 'Ann Archer' })
      .getByText('Administrator', { exact: true })
      .waitFor();
    expect(await theirs.getByRole('button', { name: /^More about Ann/ }).count()).to.equal(0);
  });

  it('filters people by group, and can only sign out or suspend guests', async () => {
    const guest = await app.guest('Gus Guest');
    const page = await finding(owner);
    const groups = page.getByLabel('Show', { exact: true });
    await page.getByLabel('Find people').fill('');
    await groups.selectOption('Administrators');
    await eventually(async () => {
      const listed = await rows(page).allInnerTexts();
      expect(listed.some((row) => row.includes('Owner'))).to.equal(true);
      expect(listed.some((row) => row.includes('Crew'))).to.equal(false);
    });
    await groups.selectOption('Guests');
    await rows(page).getByText('Guest', { exact: true }).waitFor();
    await rows(page)
      .getByText(/^Joined .* · Last seen /)
      .waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'people-groups');
    await page.getByRole('button', { name: 'More about Gus Guest, guest' }).click();
    await eventually(async () =>
      expect(await page.getByRole('menuitem').allInnerTexts()).to.deep.equal([
        'Sign out everywhere',
        'Suspend account',
      ]),
    );
    await page.getByRole('menuitem', { name: 'Suspend account' }).click();
    await saveScreenshots(page, 'people-guest');
    await dialog(page).getByRole('button', { name: 'Suspend account' }).click();
    await rows(page).getByText('Suspended').waitFor();
    await groups.selectOption('Suspended accounts');
    await rows(page).getByText('Gus Guest').waitFor();
    expect(await guest.waitFor('closing')).to.include({ reason: 'Your account is suspended.' });
  });

  it('opens This Parley, which changes the sign-in page and what new connections can do', async () => {
    const { page } = await openBrowser(app, { as: owner });
    await openSettings(page);
    await dialog(page).getByRole('button', { name: 'This Parley' }).click();
    const status = dialog(page).getByRole('status');
    await status.getByText('No changes').waitFor();
    await dialog(page)
      .getByText(/^Version .* · running since today/)
      .waitFor();
    await dialog(page).getByLabel('Name').fill('Garden club');
    await dialog(page).getByLabel('Who can join as a guest').selectOption('No one');
    await dialog(page).getByLabel('Who can create servers').selectOption('Only administrators');
    await status.getByText('Unsaved: name, guests, server creation').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'instance');
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await status.getByText('Saved').waitFor();
    const { page: door } = await openBrowser(app);
    await door.getByRole('heading', { name: 'Welcome to Garden club' }).waitFor();
    await door.getByText('Sign in to continue.').waitFor();
    expect(await door.getByRole('heading', { name: 'Just visiting?' }).count()).to.equal(0);
    await saveScreenshots(door, 'instance-door');
    const { page: anns } = await openBrowser(app, { as: ann });
    await anns.getByRole('button', { name: 'Add a server' }).click();
    expect(await anns.getByRole('menuitem').allInnerTexts()).to.deep.equal(['Join with a link']);
    await dialog(page).getByRole('button', { name: 'Audit log' }).click();
    for (const text of [
      'set “Who can create servers” to administrators',
      'set “Who can join as a guest” to no one',
      'changed the name of this Parley to Garden club',
    ])
      await dialog(page).getByText(text).waitFor();
    await owner.send('instance:update', { name: '', guests: 'open', serverCreation: 'everyone' });
  });
});
