import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { saveScreenshots } from '../support/picture.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('the status text in the client', function () {
  this.bail(true);
  let app: TestApp;
  let [ann, ben]: Person[] = [];
  let path: string;
  let [own, other]: Page[] = [];

  before(async () => {
    app = await startSite();
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { serverId, channelId } = await openPlace(ann, ben);
    path = `/s/${serverId}/${channelId}`;
    own = (await openBrowser(app, { as: ann, path })).page;
    await composer(own).waitFor();
  });
  afterEach(checkWindows);
  // The tests are chapters of one story, and each needs those before it.
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const account = () => own!.getByRole('region', { name: 'You' });
  const dialog = () => own!.getByRole('dialog', { name: 'Set a status' });
  const open = async (item: string) => {
    await account().getByRole('button').first().click();
    await own!.getByRole('menuitem', { name: item }).click();
    await dialog().waitFor();
  };
  const row = () =>
    other!.getByRole('complementary').getByRole('listitem').filter({ hasText: 'Ann' });

  it('is set from a suggestion, and shown to others in the list and on the card', async () => {
    await open('Set a status');
    await expectAccessible(own!);
    await saveScreenshots(own!, 'status-suggestions');
    await dialog().getByRole('button', { name: 'In a meeting' }).click();
    expect(await dialog().locator(':focus').inputValue()).to.equal('In a meeting');
    expect(await dialog().getByLabel('Clear after').inputValue()).to.equal('1h');
    await saveScreenshots(own!, 'status-filled');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    await account().getByText('📅 In a meeting').waitFor();

    const { page } = await openBrowser(app, { as: ben!, path: undefined });
    other = page;
    await other.clock.install();
    await other.goto(app.url + path);
    await composer(other).waitFor();
    await row().getByText('📅 In a meeting').waitFor();
    await row().getByRole('button').click();
    const card = other.getByRole('dialog', { name: 'Ann' });
    await card.getByText('📅 In a meeting').waitFor();
    await card.getByText(/^Until today|^Until tomorrow/).waitFor();
    await expectAccessible(other);
    await saveScreenshots(other, 'status-card');
    await other.keyboard.press('Escape');
  });

  it('takes an emoji from the picker, and can be changed and cleared', async () => {
    await open('Change status');
    await dialog()
      .getByRole('button', { name: /^Change emoji/ })
      .click();
    const picker = own!.getByRole('dialog', { name: 'Emoji' });
    await picker.getByRole('searchbox').fill('palm tree');
    await picker.getByRole('button', { name: 'palm tree', exact: true }).click();
    await dialog().getByLabel('Status').fill('x'.repeat(81));
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Use at most 80 characters.').waitFor();
    await dialog().getByLabel('Status').fill('Away');
    await dialog().getByLabel('Clear after').selectOption('Don’t clear');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await account().getByText('🌴 Away').waitFor();
    await row().getByText('🌴 Away').waitFor();
    await open('Change status');
    await dialog().getByRole('button', { name: 'Clear status' }).click();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await account().getByText('Online').waitFor();
    await eventually(async () => expect(await row().innerText()).to.not.include('Away'));
  });

  it('ends by itself on a page that stays open', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    await ann!.send('user:update', { statusText: { text: 'Back soon', until: end } });
    await row().getByText('Back soon').waitFor();
    await other!.clock.fastForward(61 * 60_000);
    await eventually(async () => expect(await row().innerText()).to.not.include('Back soon'));
  });

  it('is current again after the device was asleep', async () => {
    // The connection of a page that slept ends, so that it can miss this.
    await ann!.send('user:update', { statusText: { text: 'Awake' } });
    await eventually(async () => {
      // `online` makes a waiting page reconnect now; a page that is connecting continues.
      await other!.evaluate(() => dispatchEvent(new Event('online')));
      expect(await row().innerText()).to.include('Awake');
    });
  });
});
