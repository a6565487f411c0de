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
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';

describe('emoji', () => {
  let app: TestApp;
  let ann: Person;
  let path: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    path = `/s/${server.id}/${server.defaultChannelId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const picker = (page: Page) => page.getByRole('dialog', { name: 'Emoji' });
  const open = async (page: Page) => {
    await page.getByRole('button', { name: 'Add emoji' }).click();
    await picker(page)
      .getByRole('button', { name: 'grinning face', exact: true })
      .first()
      .waitFor();
  };
  const picture = (page: Page, name: string) =>
    process.env.PICTURES
      ? page.screenshot({ path: `${process.env.PICTURES}/${name}.png` })
      : undefined;

  it('are chosen by letters after a colon, without leaving the field', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await composer(page).pressSequentially('Done :tad');
    const list = page.getByRole('listbox', { name: 'Emoji' });
    await list.waitFor();
    await expectAccessible(page);
    await picture(page, 'emoji-completion');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).to.equal('Done 🎉 ');
    await composer(page).pressSequentially(':thumbs_d');
    await list.getByRole('option', { name: 'thumbs down' }).click();
    expect(await composer(page).inputValue()).to.equal('Done 🎉 👎 ');
    await page.keyboard.press('Enter');
    await inState(message(page, 'Done 🎉 👎'), 'sent').waitFor();
  });

  it('replace their name once it is complete, unless that is undone', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await composer(page).pressSequentially('Done :tada:');
    await eventually(async () => expect(await composer(page).inputValue()).to.equal('Done 🎉'));
    await composer(page).pressSequentially(' at 10:30:');
    await page.keyboard.press('Enter');
    await inState(message(page, 'Done 🎉 at 10:30:'), 'sent').waitFor();
    await composer(page).pressSequentially(':heart:');
    expect(await composer(page).inputValue()).to.equal('❤️');
    await page.keyboard.press('Control+z');
    expect(await composer(page).inputValue()).to.equal(':heart:');
    await page.keyboard.press('Enter');
    await inState(message(page, ':heart:'), 'sent').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByLabel('Edit message').pressSequentially(' :fire:');
    await page.keyboard.press('Enter');
    await message(page, ':heart: 🔥').waitFor();
  });

  it('stay letters after Esc closes the list, and if no name matches', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    const list = page.getByRole('listbox', { name: 'Emoji' });
    await composer(page).pressSequentially('Well :smi');
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await composer(page).pressSequentially('le: :zzqq:');
    await page.keyboard.press('Enter');
    await inState(message(page, 'Well :smile: :zzqq:'), 'sent').waitFor();
  });

  for (const theme of firstAtLength(['light', 'dark']))
    it(`are picked with the mouse, where the caret is, and the last used come first, ${theme}`, async () => {
      const { page } = await openBrowser(app, { as: ann, path, theme });
      await composer(page).fill('ab');
      await page.keyboard.press('ArrowLeft');
      await open(page);
      await picture(page, `emoji-picker-${theme}`);
      await expectAccessible(page);
      await picker(page).getByRole('button', { name: 'grinning face', exact: true }).click();
      await picker(page).waitFor({ state: 'detached' });
      expect(await composer(page).inputValue()).to.equal('a😀b');
      await composer(page).and(page.locator(':focus')).waitFor();
      await open(page);
      const recent = picker(page).locator('section').first();
      expect(await recent.getByRole('heading').innerText()).to.equal('Recently used');
      expect(await recent.getByRole('button').first().innerText()).to.equal('😀');
    });

  it('are searched and picked by keys alone, in the chosen skin tone', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await open(page);
    await page.keyboard.type('wav');
    await picker(page).getByRole('heading', { name: 'Search results' }).waitFor();
    await picker(page).getByRole('radio', { name: 'Default skin tone' }).focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
    expect(
      await picker(page).getByRole('radio', { checked: true }).getAttribute('aria-label'),
    ).to.equal('Medium skin tone');
    await picker(page).getByRole('searchbox').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal('👋🏽');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await composer(page).inputValue()).to.equal('👋🏽'));
    await open(page);
    await page.keyboard.press('Escape');
    await picker(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add emoji' }).and(page.locator(':focus')).waitFor();
  });

  it('are picked with a finger, from a sheet', async () => {
    const { page } = await openBrowser(app, { as: ann, path, touch: true, width: 390 });
    await page.getByRole('button', { name: 'Add emoji' }).tap();
    const heart = picker(page).getByRole('button', { name: 'red heart', exact: true });
    await picker(page).getByRole('searchbox').fill('red heart');
    await picture(page, 'emoji-picker-phone');
    await heart.tap();
    await picker(page).waitFor({ state: 'detached' });
    expect(await composer(page).inputValue()).to.equal('❤️');
  });

  it('report a failed load, and load at the next try', async () => {
    const { page, forgive } = await openBrowser(app, { as: ann, path });
    forgive(/503/);
    await page.route('**/*.json', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('button', { name: 'Add emoji' }).click();
    await picker(page).getByText('Emoji didn’t load. Close this and try again.').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/*.json');
    await open(page);
  });
});
