import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { saveScreenshots } from '../support/picture.ts';

describe('the door to guests in the client', () => {
  let app: TestApp;
  let ann: Person;
  before(async () => {
    // Nobody can register without the link.
    app = await startSite({ PARLEY_REGISTRATION: 'invite' });
    ann = await app.owner();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  it('is closed by a link, for a stranger and a guest, who can register', async () => {
    const guest = await app.guest('Gus');
    const { serverId, channelId } = await openPlace(ann);
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${channelId}` });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await page.getByRole('button', { name: 'Invite links' }).click();
    await page.getByRole('checkbox', { name: 'Guests can use the link' }).uncheck();
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText(/^No guests · not used yet · 7 days left/).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'guest-door-links');
    const path = new URL(await page.getByLabel('New link').inputValue()).pathname;
    const { page: strangers } = await openBrowser(app, { path });
    await strangers.getByRole('heading', { name: 'Place' }).waitFor();
    await strangers.getByLabel('Username').waitFor();
    await strangers.getByLabel('Your name').waitFor({ state: 'detached' });
    await saveScreenshots(strangers, 'guest-door-stranger');
    const { page: guests } = await openBrowser(app, { as: guest, path, width: 390 });
    await guests.getByText('You need an account to join with this link.').waitFor();
    await expectAccessible(guests);
    await saveScreenshots(guests, 'guest-door-guest');
    await createAccount(guests);
    await composer(guests).waitFor();
  });

  it('is closed by the owner for all links', async () => {
    const guest = await app.guest('Pat');
    const { serverId, channelId, code } = await openPlace(ann);
    const { page: guests } = await openBrowser(app, { as: guest, path: `/join/${code}` });
    const joinButton = guests.getByRole('button', { name: 'Join Place' });
    await joinButton.waitFor();
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${channelId}` });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await page.getByLabel('Guests').selectOption('Only people with an account can join');
    await saveScreenshots(page, 'guest-door-server');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes', disabled: true }).waitFor();
    await page.getByRole('button', { name: 'Invite links' }).click();
    await page.getByText('Anyone with a link and an account can join.').waitFor();
    await page.getByRole('checkbox').waitFor({ state: 'detached' });
    const { page: strangers } = await openBrowser(app, { path: `/join/${code}` });
    await strangers.getByLabel('Username').waitFor();
    await strangers.getByLabel('Your name').waitFor({ state: 'detached' });
    // This page was opened before the server was closed to guests.
    await joinButton.click();
    await guests.getByText('You need an account to join with this link.').waitFor();
    await createAccount(guests);
    await composer(guests).waitFor();
  });

  it('is closed to the device of a banned guest, and says so', async () => {
    const { serverId, channelId, code } = await openPlace(ann);
    const { page: guests, forgive } = await openBrowser(app, { path: `/join/${code}` });
    const enter = async () => {
      await guests.getByLabel('Your name').fill('Gus');
      await guests.getByRole('button', { name: 'Continue as guest' }).click();
    };
    await enter();
    await composer(guests).waitFor();
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${channelId}` });
    const people = page.getByRole('complementary', { name: 'Members' });
    await people.getByRole('button', { name: /^Gus/ }).click();
    await page.getByRole('button', { name: 'More for Gus' }).click();
    await page.getByRole('menuitem', { name: 'Ban' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ban Gus from Place?' });
    await dialog
      .getByText('others on their device can’t join either, and neither can guests')
      .waitFor();
    await saveScreenshots(page, 'guest-door-ban');
    await dialog.getByRole('button', { name: 'Ban' }).click();
    await dialog.waitFor({ state: 'detached' });
    await guests.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await guests.getByRole('menuitem', { name: 'Sign out' }).click();
    await guests.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await guests.getByRole('heading', { name: 'Welcome' }).waitFor();
    forgive(/status of 403/);
    await guests.goto(`${app.url}/join/${code}`);
    await enter();
    await guests
      .getByText('You can’t join this server from this device because of a ban.')
      .waitFor();
    await expectAccessible(guests);
    await saveScreenshots(guests, 'guest-door-banned');
  });
});

async function createAccount(page: Page) {
  await page.getByRole('button', { name: 'Create an account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create an account' });
  await dialog.getByLabel('Password').fill('a long enough one');
  await dialog.getByRole('button', { name: 'Create account' }).click();
}
