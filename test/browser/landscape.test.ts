import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
  type Looks,
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';

describe('a phone on its side', () => {
  let app: TestApp;
  let ann: Person;
  let path: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    path = `/s/${server.id}/${server.defaultChannelId}`;
    const timelineId = server.defaultChannelId;
    for (let i = 0; i < 20; i += 1)
      await ann.send('message:send', { timelineId, body: `Line ${i}` });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const reading = async (looks: Looks) => {
    const { page } = await openBrowser(app, { as: ann, path, ...looks });
    await message(page, 'Line 19').waitFor();
    return page;
  };
  const back = (page: Page) => page.getByRole('link', { name: /^Back to/ });
  const list = (page: Page) => page.getByRole('navigation', { name: 'Channels' });
  const tabs = (page: Page) => page.getByRole('navigation', { name: 'Parley' });
  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  for (const [width, height] of firstAtLength([
    [667, 375],
    [844, 390],
    [932, 430],
  ]))
    it(`has one pane at ${width} × ${height}: the channel with its composer, or the list`, async () => {
      const page = await reading({ width, height, touch: true });
      await back(page).waitFor();
      expect(await list(page).count()).to.equal(0);
      const box = (await page.getByRole('form', { name: 'Write a message' }).boundingBox())!;
      expect(box.width).to.be.above(width * 0.8);
      expect(box.y + box.height).to.be.at.most(height);
      const row = (await message(page, 'Line 19').boundingBox())!;
      expect(row.x).to.equal(0);
      await back(page).tap();
      await list(page).waitFor();
      await tabs(page).waitFor();
      expect(await composer(page).count()).to.equal(0);
    });

  for (const { what, ...looks } of firstAtLength<Looks & { what: string }>([
    { what: 'a tablet half under its keyboard', width: 1180, height: 420, touch: true },
    { what: 'a tablet', width: 1180, height: 820, touch: true },
    { what: 'a low window with a mouse', width: 844, height: 390 },
  ]))
    it(`is not taken for ${what}, which has list and channel`, async () => {
      const page = await reading(looks);
      await list(page).waitFor();
      expect(await back(page).count()).to.equal(0);
    });

  it('keeps the text when turned, with the composer above the keyboard', async () => {
    const page = await reading({ width: 390, height: 844, touch: true });
    await composer(page).fill('Half a thought');
    await page.setViewportSize({ width: 844, height: 390 });
    expect(await composer(page).inputValue()).to.equal('Half a thought');
    await message(page, 'Line 19').waitFor();
    // The height that a keyboard leaves.
    await page.setViewportSize({ width: 844, height: 190 });
    await say(page, 'Said with thumbs');
    await page.getByRole('button', { name: 'Send' }).tap();
    await inState(message(page, 'Said with thumbs'), 'sent').waitFor();
    await eventually(async () => {
      const row = (await message(page, 'Said with thumbs').boundingBox())!;
      const form = (await page.getByRole('form').boundingBox())!;
      expect(row.y + row.height).to.be.at.most(form.y);
      expect(form.y + form.height).to.equal(190);
    });
  });

  for (const [width, height] of firstAtLength([
    [667, 375],
    [844, 390],
  ]))
    it(`shows the whole user menu, group by group, at ${width} × ${height}`, async () => {
      const page = await reading({ width, height, touch: true });
      await back(page).tap();
      await page.getByRole('region', { name: 'You' }).getByRole('button').first().tap();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await expectAccessible(page);
      await picture(page, `landscape-you-${width}`);
      const box = async (role: 'menuitem' | 'menuitemradio', name: string) =>
        (await page.getByRole(role, { name }).boundingBox())!;
      const out = await box('menuitem', 'Sign out');
      expect(out.y + out.height).to.be.at.most(height);
      const lines = await page.getByRole('menu').locator('hr').all();
      const groups = [
        [await box('menuitemradio', 'Invisible'), await box('menuitem', 'Settings')],
        [await box('menuitem', 'Settings'), await box('menuitemradio', 'Light')],
        [await box('menuitemradio', 'Dark'), out],
      ] as const;
      expect(lines).to.have.length(groups.length);
      for (const [i, [above, below]] of groups.entries())
        expect((await lines[i]!.boundingBox())!.y).to.be.within(above.y + above.height, below.y);
    });

  it('has room for dialogs, and for some results of a search', async () => {
    const page = await reading({ width: 844, height: 390, touch: true });
    await back(page).tap();
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.getByRole('button', { name: 'Jump to…' }).tap();
      const options = page.getByRole('option');
      const bottom = async () => {
        const box = (await options.nth(2).boundingBox())!;
        return box.y + box.height;
      };
      await options.nth(2).waitFor();
      expect(await bottom()).to.be.at.most(390);
      await picture(page, `landscape-jump-${theme}`);
      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'You' }).getByRole('button').first().tap();
      await page.getByRole('menuitem', { name: 'Settings' }).tap();
      await page.getByRole('dialog').getByRole('button', { name: 'Account' }).tap();
      const content = page.getByRole('dialog').getByLabel('Display name');
      expect((await content.boundingBox())!.y).to.be.below(200);
      await expectAccessible(page);
      await picture(page, `landscape-settings-${theme}`);
      await page.keyboard.press('Escape');
    }
  });
});
