import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  focused,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('settings', () => {
  let app: TestApp;
  let [ann, ben]: Person[] = [];
  let serverId: string;
  let path: string;
  let page: Page;
  let phone: Page;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all(['Ann', 'Ben'].map((name) => app.person(name)));
    const { server } = await ann!.send('server:create', { name: 'Harbour' });
    serverId = server.id;
    path = `/s/${serverId}/${server.defaultChannelId}`;
    const { invite } = await ann!.send('invite:create', { serverId });
    await ben!.send('server:join', { code: invite.code });
    const nowhere = { as: ann!, path: undefined };
    ({ page } = await openBrowser(app, nowhere));
    const looks = { width: 390, height: 844, touch: true };
    ({ page: phone } = await openBrowser(app, { ...nowhere, ...looks }));
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  /** Reloads, so that nothing of the previous test is left open. */
  const begin = async (page: Page) => {
    await page.goto(app.url + path);
    await composer(page).waitFor();
  };
  const beginAtList = async () => {
    await begin(phone);
    await phone.getByRole('link', { name: /^Back to/ }).tap();
  };
  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
  const you = (page: Page) => page.getByRole('region', { name: 'You' }).getByRole('button').first();
  const title = (page: Page) => page.getByRole('dialog').getByRole('heading', { level: 2 });
  const turnTo = (page: Page, name: string) =>
    page.getByRole('dialog').last().getByRole('button', { name, exact: true }).click();
  const picture = async (page: Page, name: string) => {
    if (!process.env.PICTURES) return;
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.screenshot({ path: `${process.env.PICTURES}/${name}-${theme}.png` });
    }
    await page.emulateMedia({ colorScheme: 'light' });
  };

  it('have a title per page; the theme is among them, as in the menu', async () => {
    await begin(page);
    await you(page).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await dialog(page, 'Settings').waitFor();
    for (const name of ['Privacy', 'Devices', 'Bots', 'Account', 'Appearance']) {
      await turnTo(page, name);
      await title(page).getByText(name, { exact: true }).waitFor();
      await expectAccessible(page);
      await picture(page, `settings-${name}`);
    }
    await page.getByRole('radio', { name: 'Dark' }).check();
    const scheme = () => page.evaluate(() => getComputedStyle(document.body).colorScheme);
    expect(await scheme()).to.equal('dark');
    await page.keyboard.press('Escape');
    await you(page).click();
    const dark = page.getByRole('menuitemradio', { name: 'Dark', exact: true });
    expect(await dark.getAttribute('aria-checked')).to.equal('true');
    await page.getByRole('menuitemradio', { name: 'Match system' }).click();
    expect(await scheme()).to.equal('light dark');
  });

  it('make the user invisible, and lift a block', async () => {
    await begin(page);
    await ann!.send('block:create', { userId: ben!.id });
    await you(page).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await turnTo(page, 'Privacy');
    const offline = page.getByRole('switch', { name: 'Invisible' });
    for (const checked of ['true', 'false']) {
      await offline.click();
      await eventually(async () =>
        expect(await offline.getAttribute('aria-checked')).to.equal(checked),
      );
      await you(page)
        .getByText(checked === 'true' ? 'Invisible' : 'Online')
        .waitFor();
    }
    // A second click before the answer turns it on and off again.
    await offline.dblclick();
    const received = () => ann!.received('seenAs').map(({ status }) => status);
    const [on, off] = ['invisible', 'online'];
    await eventually(() => expect(received()).to.deep.equal([on, off, on, off]));
    await offline.and(page.locator('[aria-checked=false]')).waitFor();
    await picture(page, 'settings-blocked');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Unblock Ben' }).click();
    await page.getByText('You haven’t blocked anyone.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('stay open behind a card and a question, and the page is dimmed once', async () => {
    const scrims = () =>
      page
        .getByRole('dialog')
        .evaluateAll((all) =>
          all.map((one) => [
            getComputedStyle(one, '::backdrop').backgroundColor === 'rgba(0, 0, 0, 0)',
            getComputedStyle(one).opacity,
          ]),
        );
    await begin(page);
    await page.getByRole('button', { name: 'Harbour', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await turnTo(page, 'Members');
    await dialog(page, 'Server settings').getByRole('button', { name: /^Ben/ }).click();
    await dialog(page, 'Ben').getByRole('button', { name: 'More for Ben' }).click();
    await page.getByRole('menuitem', { name: 'Ban' }).click();
    await dialog(page, 'Ban Ben from Harbour?').waitFor();
    await eventually(async () =>
      expect(await scrims()).to.have.deep.members([
        [true, '1'],
        [true, '1'],
        [false, '1'],
      ]),
    );
    await picture(page, 'ban');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog(page, 'Ban Ben from Harbour?').waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await scrims()).to.have.deep.members([
        [true, '1'],
        [false, '1'],
      ]),
    );
    expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('More for Ben');
    for (const name of ['Ben', 'Server settings']) {
      await page.keyboard.press('Escape');
      await dialog(page, name).waitFor({ state: 'detached' });
    }
  });

  it('are a list on a phone, which leads to a page and back; no keyboard opens by itself', async () => {
    await beginAtList();
    await you(phone).tap();
    await phone.getByRole('menuitem', { name: 'Settings' }).tap();
    await title(phone).getByText('Settings', { exact: true }).waitFor();
    await expectAccessible(phone);
    await picture(phone, 'phone-settings');
    await turnTo(phone, 'Account');
    await title(phone).getByText('Account', { exact: true }).waitFor();
    expect(await phone.getByRole('navigation', { name: 'Settings' }).count()).to.equal(0);
    expect(await focused(phone)).to.equal('H2');
    await expectAccessible(phone);
    await picture(phone, 'phone-account');
    await phone.getByRole('button', { name: 'Back to settings' }).tap();
    await title(phone).getByText('Settings', { exact: true }).waitFor();
    expect(await phone.locator(':focus').innerText()).to.equal('Account');
    await turnTo(phone, 'Appearance');
    await title(phone).getByText('Appearance').waitFor();
    await picture(phone, 'phone-appearance');
    await phone.goBack();
    await title(phone).getByText('Settings', { exact: true }).waitFor();
    await phone.goBack();
    await dialog(phone, 'Settings').waitFor({ state: 'detached' });
    await phone.getByRole('navigation', { name: 'Channels' }).waitFor();
  });

  it('are behind the name of a channel on a phone, with its topic and its members', async () => {
    const topic = 'Cranes, berths and tides. '.repeat(6).trim();
    await ann!.send('channel:update', { channelId: path.split('/')[3] ?? '', topic });
    await beginAtList();
    await phone.getByRole('link', { name: 'general' }).tap();
    const name = phone.getByRole('heading', { level: 1 }).getByRole('button', { name: 'general' });
    const info = dialog(phone, 'Channel info');
    expect(await phone.getByRole('button', { name: 'Channel settings' }).count()).to.equal(0);
    await name.tap();
    await info.getByText(topic).waitFor();
    await expectAccessible(phone);
    await picture(phone, 'phone-channel');
    await phone.touchscreen.tap(195, 60);
    await info.waitFor({ state: 'detached' });
    await name.tap();
    await info.getByRole('menuitem', { name: '2 members' }).tap();
    await phone.getByRole('button', { name: 'Close members' }).tap();
    await name.tap();
    await info.getByRole('menuitem', { name: 'Channel settings' }).tap();
    await dialog(phone, 'Channel settings').waitFor();
    expect(await info.count()).to.equal(0);
    await phone.goBack();
    await dialog(phone, 'Channel settings').waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await phone.locator(':focus').innerText()).to.equal('general'),
    );
  });

  it('are a list for a server too, and keep unsaved changes on the way', async () => {
    await beginAtList();
    await phone.getByRole('button', { name: 'Harbour', exact: true }).tap();
    await phone.getByRole('menuitem', { name: 'Server settings' }).tap();
    await title(phone).getByText('Server settings').waitFor();
    await picture(phone, 'phone-server-settings');
    await turnTo(phone, 'Overview');
    await phone.getByLabel('Name').fill('Port');
    await phone.getByRole('button', { name: 'Back to server settings' }).tap();
    await turnTo(phone, 'Members');
    expect(await focused(phone)).to.equal('H2');
    await picture(phone, 'phone-members');
    await expectAccessible(phone);
    await phone.goBack();
    await phone.getByRole('button', { name: 'Close' }).tap();
    const question = dialog(phone, 'Discard changes?');
    await question.getByRole('button', { name: 'Keep editing' }).tap();
    await question.waitFor({ state: 'detached' });
    await turnTo(phone, 'Overview');
    expect(await phone.getByLabel('Name').inputValue()).to.equal('Port');
    await phone.getByRole('button', { name: 'Save changes' }).tap();
    await phone.getByText('Saved', { exact: true }).waitFor();
    await phone.getByRole('button', { name: 'Back to server settings' }).tap();
    await phone.getByRole('button', { name: 'Close' }).tap();
    await phone.getByRole('button', { name: 'Port', exact: true }).waitFor();
  });
});
