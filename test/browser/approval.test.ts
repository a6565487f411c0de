import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { enterAs, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { saveScreenshots } from '../support/picture.ts';

describe('approval of new members in the client', () => {
  let app: TestApp;
  let ann: Person;
  let page: Page;
  let place: Awaited<ReturnType<typeof openPlace>>;
  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    ann = await app.person('Ann');
    place = await openPlace(ann);
    const path = `/s/${place.serverId}/${place.channelId}`;
    ({ page } = await openBrowser(app, { as: ann, path, ahead: true }));
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const dialog = (page: Page) => page.getByRole('dialog').last();
  const requests = () => dialog(page).getByRole('list').last().getByRole('listitem');
  const isWaiting = (page: Page) =>
    page
      .getByText('You’ve asked to join. The server will open here when your request is accepted.')
      .waitFor();

  it('keeps a guest waiting until the owner accepts their request', async () => {
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    expect(await page.getByRole('menuitem', { name: /^Requests/ }).count()).to.equal(0);
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await dialog(page)
      .getByLabel('New members')
      .selectOption('People with an invite need approval');
    await dialog(page).getByText('Unsaved: new members').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'approval-setting');
    await dialog(page).getByRole('button', { name: 'Save changes' }).click();
    await dialog(page).getByText('Saved').waitFor();
    await dialog(page).getByRole('button', { name: 'Requests to join', exact: true }).click();
    await dialog(page).getByText('No one is waiting to join.').waitFor();

    const { page: guests } = await openBrowser(app, { path: `/join/${place.code}`, width: 390 });
    await guests.getByText('New members need approval.').waitFor();
    await expectAccessible(guests);
    await saveScreenshots(guests, 'approval-stranger');
    await guests.getByLabel('Your name').fill('Gus Guest');
    await guests.getByRole('button', { name: 'Continue as guest' }).click();
    await isWaiting(guests);
    await expectAccessible(guests);
    await saveScreenshots(guests, 'approval-waiting');

    await requests().filter({ hasText: 'Gus Guest' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Requests to join (1)' }).waitFor();
    for (const name of ['Fay', 'Hal'])
      await enterAs(app.url, 'guest', { displayName: name, invite: place.code });
    await eventually(async () => expect(await requests().count()).to.equal(3));
    await expectAccessible(page);
    await saveScreenshots(page, 'approval-requests');
    await dialog(page).getByRole('button', { name: 'Accept Gus Guest' }).click();
    await eventually(async () => expect(await requests().count()).to.equal(2));
    await guests.getByRole('heading', { name: 'general', exact: true }).waitFor();
    await dialog(page).getByRole('button', { name: 'Decline all requests…' }).click();
    await dialog(page).getByText('Decline 2 requests?').waitFor();
    await saveScreenshots(page, 'approval-decline');
    await dialog(page).getByRole('button', { name: 'Decline 2 requests', exact: true }).click();
    await dialog(page).getByText('No one is waiting to join.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('counts requests in the server list and menu, and lets people cancel and ask again', async () => {
    const cem = await app.person('Cem');
    const { page: cems } = await openBrowser(app, { as: cem, path: `/join/${place.code}` });
    const asking = cems.getByRole('button', { name: 'Ask to join Place' });
    await asking.click();
    await isWaiting(cems);
    await page.getByRole('link', { name: 'Place, 1 to review' }).waitFor();
    await cems.getByRole('button', { name: 'Cancel request' }).click();
    await asking.waitFor();
    await page.getByRole('link', { name: 'Place', exact: true }).waitFor();
    await asking.click();
    await isWaiting(cems);
    await cems.getByRole('button', { name: 'Continue to Parley' }).click();
    await cems.getByRole('heading', { name: 'Waiting to join' }).waitFor();
    await expectAccessible(cems);
    await saveScreenshots(cems, 'approval-home');
    await page.getByRole('button', { name: /^Place/ }).click();
    await saveScreenshots(page, 'approval-menu');
    await page.getByRole('menuitem', { name: 'Requests to join (1)' }).click();
    await dialog(page).getByRole('button', { name: 'Accept Cem' }).click();
    await cems.getByRole('link', { name: 'Place', exact: true }).waitFor();
    await page.keyboard.press('Escape');
  });
});
