import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
  type BrowserWindow,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshot } from '../support/picture.ts';

describe('categories, in two browsers', function () {
  this.bail(true);
  let app: TestApp;
  let [ann, ben]: BrowserWindow[] = [];
  let people: Record<'ann' | 'ben', Person>;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
    people = { ann: await app.person('Ann'), ben: await app.person('Ben') };
    const { server } = await people.ann.send('server:create', { name: 'Harbour' });
    [serverId, general] = [server.id, server.defaultChannelId];
    for (const name of ['crane', 'dock'])
      await people.ann.send('channel:create', { serverId, name });
    const { invite } = await people.ann.send('invite:create', { serverId });
    await people.ben.send('server:join', { code: invite.code });
    const path = `/s/${serverId}/${general}`;
    ann = await openBrowser(app, { as: people.ann, path });
    ben = await openBrowser(app, { as: people.ben, path, theme: 'dark' });
    for (const { page } of [ann, ben]) await composer(page).waitFor();
  });
  afterEach(checkWindows);
  // The tests are chapters of one story, and each needs those before it.
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const page = (window: BrowserWindow | undefined): Page => window!.page;
  const list = (window: BrowserWindow | undefined) =>
    page(window).getByRole('navigation', { name: 'Channels' });
  const dialog = (window: BrowserWindow | undefined) => page(window).getByRole('dialog');
  const heading = (window: BrowserWindow | undefined, name: string) =>
    list(window).getByRole('button', { name, exact: true });
  const row = (window: BrowserWindow | undefined, name: string) =>
    list(window).locator('li').filter({ hasText: name });
  const status = (window: BrowserWindow | undefined) => list(window).getByRole('status');

  const read = (window: BrowserWindow | undefined) =>
    list(window).evaluate((nav) =>
      [...nav.querySelectorAll('li a bdi, [aria-expanded].name bdi')]
        .map((name) => (name.closest('li') ? name.textContent : `[${name.textContent}]`))
        .join(' '),
    );
  const shows = (window: BrowserWindow | undefined, names: string) =>
    eventually(async () => expect(await read(window)).to.equal(names));
  const bothShow = async (names: string) => {
    await shows(ann, names);
    await shows(ben, names);
  };

  const openMenu = async (what: Locator, label: string) => {
    await what.hover();
    await what.getByRole('button', { name: label }).click();
  };
  const choose = (item: string) => page(ann).getByRole('menuitem', { name: item }).click();
  const drag = async (from: Locator, to: Locator, side: 'above' | 'below') => {
    const { width, height } = (await to.boundingBox())!;
    const y = side === 'above' ? 3 : height - 3;
    await from.dragTo(to, { targetPosition: { x: width / 2, y } });
  };
  const picture = (name: string) => saveScreenshot(page(ann), `categories-${name}`);
  const focusedLabel = () =>
    page(ann).evaluate(() => document.activeElement?.getAttribute('aria-label') ?? 'nowhere');

  it('a category is created from the server’s menu, and says what it is for', async () => {
    await page(ann).locator('button.server-menu').click();
    await choose('Create a category');
    await dialog(ann).getByRole('button', { name: 'Create category' }).click();
    await dialog(ann).getByText('Enter a name.').waitFor();
    await dialog(ann).getByLabel('Name').fill('Ships');
    await page(ann).keyboard.press('Enter');
    await bothShow('general crane dock [Ships]');
    await list(ann).getByText('Drag one here').waitFor();
    await list(ben).getByText('No channels yet.').waitFor();
    const buttons = list(ben).getByRole('button').and(page(ben).locator(':not([aria-haspopup])'));
    expect(await buttons.allInnerTexts()).to.deep.equal(['Ships']);
    await expectAccessible(page(ann));
    await expectAccessible(page(ben));
  });

  it('an empty category shows one frame for a channel that is dragged there', async () => {
    const hint = list(ann).getByText('Drag one here');
    const { x, y } = (await hint.boundingBox())!;
    await row(ann, 'dock').hover();
    await page(ann).mouse.down();
    for (const to of [heading(ann, 'Ships'), hint]) {
      await to.hover();
      await to.hover();
      await list(ann).locator('[data-drop]').waitFor();
      expect(await list(ann).locator('[data-drop]').count()).to.equal(1);
    }
    const frame = await hint.evaluate((line) => getComputedStyle(line, '::after').borderTopWidth);
    expect(frame).to.equal('2px');
    await picture('dragging');
    await page(ann).mouse.move(x, y + 400);
    await page(ann).mouse.up();
    await bothShow('general crane dock [Ships]');
  });

  it('a channel is created in a category, or elsewhere with a category chosen', async () => {
    await heading(ann, 'Ships').hover();
    await list(ann).getByRole('button', { name: 'Create a channel in Ships' }).click();
    await dialog(ann).getByLabel('Name').fill('  Tug  & Öl! ');
    expect(await dialog(ann).getByLabel('Name').inputValue()).to.equal('tug-öl-');
    await dialog(ann).getByLabel('Name').fill('tug-');
    await dialog(ann).getByRole('button', { name: 'Create channel' }).click();
    await bothShow('general crane dock [Ships] tug');
    await list(ann).getByRole('button', { name: 'Create a channel', exact: true }).click();
    await dialog(ann).getByLabel('Name').fill('ferry');
    await dialog(ann).getByLabel('Category').selectOption('Ships');
    await dialog(ann).getByRole('button', { name: 'Create channel' }).click();
    await bothShow('general crane dock [Ships] tug ferry');
  });

  it('channels are dragged: up, down, into a category and out of it', async () => {
    await drag(row(ann, 'dock'), row(ann, 'general'), 'above');
    await bothShow('dock general crane [Ships] tug ferry');
    await drag(row(ann, 'dock'), row(ann, 'crane'), 'below');
    await bothShow('general crane dock [Ships] tug ferry');
    await drag(row(ann, 'dock'), row(ann, 'tug'), 'below');
    await bothShow('general crane [Ships] tug dock ferry');
    await drag(row(ann, 'crane'), heading(ann, 'Ships'), 'above');
    await bothShow('general [Ships] crane tug dock ferry');
    await drag(row(ann, 'crane'), list(ann).locator('.head'), 'below');
    await bothShow('crane general [Ships] tug dock ferry');
    await eventually(async () =>
      expect(await status(ann).innerText()).to.equal('crane moved to the top, position 1 of 2.'),
    );
    expect(await list(ann).locator('[data-drop]').count()).to.equal(0);
  });

  it('a member without the right to arrange channels drags nothing', async () => {
    expect(await list(ben).locator('[draggable]').count()).to.equal(0);
    await drag(row(ben, 'general'), row(ben, 'crane'), 'above');
    await bothShow('crane general [Ships] tug dock ferry');
  });

  it('A11Y-06 channels are moved by keys alone, and their new position is announced', async () => {
    await row(ann, 'general').getByRole('link').focus();
    await page(ann).keyboard.press('Tab');
    expect(await focusedLabel()).to.equal('More for #general');
    await page(ann).keyboard.press('Enter');
    await page(ann).getByRole('menuitem', { name: 'Move up' }).waitFor();
    for (const key of [...Array<string>(6).fill('ArrowDown'), 'Enter'])
      await page(ann).keyboard.press(key);
    await bothShow('general crane [Ships] tug dock ferry');
    await eventually(async () =>
      expect(await status(ann).innerText()).to.equal('general moved to position 1 of 2.'),
    );
    await eventually(async () => expect(await focusedLabel()).to.equal('More for #general'));
    await page(ann).keyboard.press('Enter');
    await page(ann).getByRole('menuitem', { name: 'Move down' }).waitFor();
    expect(await page(ann).getByRole('menuitem', { name: 'Move up' }).count()).to.equal(0);
    await page(ann).keyboard.press('Escape');
    await eventually(async () => expect(await focusedLabel()).to.equal('More for #general'));
  });

  it('A11Y-06 channels change category, and the focus follows', async () => {
    await openMenu(row(ann, 'dock'), 'More for #dock');
    await choose('Move to category…');
    await dialog(ann).getByLabel('Category').selectOption('No category');
    await expectAccessible(page(ann));
    await page(ann).keyboard.press('Tab');
    await page(ann).keyboard.press('Tab');
    await page(ann).keyboard.press('Enter');
    await bothShow('general crane dock [Ships] tug ferry');
    await eventually(async () =>
      expect(await status(ann).innerText()).to.equal('dock moved to the top, position 3 of 3.'),
    );
    await eventually(async () => expect(await focusedLabel()).to.equal('More for #dock'));
  });

  it('categories are renamed, and moved by drag and by menu', async () => {
    await people.ann.send('category:create', { serverId, name: 'Land' });
    await bothShow('general crane dock [Ships] tug ferry [Land]');
    await openMenu(heading(ann, 'Land').locator('..'), 'More for Land');
    await choose('Rename');
    await dialog(ann).getByLabel('Name').fill('Shore');
    await page(ann).keyboard.press('Enter');
    await bothShow('general crane dock [Ships] tug ferry [Shore]');
    await openMenu(heading(ann, 'Shore').locator('..'), 'More for Shore');
    await choose('Move up');
    await bothShow('general crane dock [Shore] [Ships] tug ferry');
    await eventually(async () =>
      expect(await status(ann).innerText()).to.equal('Shore moved to position 1 of 2.'),
    );
    await drag(heading(ann, 'Shore'), row(ann, 'ferry'), 'below');
    await bothShow('general crane dock [Ships] tug ferry [Shore]');
  });

  it('a channel is moved to a category in its settings', async () => {
    await row(ann, 'crane').getByRole('link').click();
    await page(ann).getByRole('heading', { level: 1, name: 'crane' }).waitFor();
    await page(ann).getByRole('button', { name: 'Channel settings' }).click();
    await dialog(ann).getByLabel('Category').selectOption('Shore');
    await dialog(ann).getByText('Unsaved: category').waitFor();
    await dialog(ann).getByRole('button', { name: 'Save changes' }).click();
    await bothShow('general dock [Ships] tug ferry [Shore] crane');
    await page(ann).keyboard.press('Escape');
  });

  it('A11Y-06 the server’s settings arrange channels too, without hovering', async () => {
    await page(ann).locator('button.server-menu').click();
    await choose('Server settings');
    await dialog(ann).getByRole('button', { name: 'Channels', exact: true }).click();
    await dialog(ann).getByRole('button', { name: 'Move #tug' }).click();
    await choose('Move down');
    await bothShow('general dock [Ships] ferry tug [Shore] crane');
    const said = dialog(ann).getByRole('status').filter({ hasText: 'tug moved' });
    expect(await said.innerText()).to.equal('tug moved to position 2 of 2.');
    await eventually(async () => expect(await focusedLabel()).to.equal('Move #tug'));
    await page(ann).keyboard.press('Enter');
    await choose('Move up');
    await bothShow('general dock [Ships] tug ferry [Shore] crane');
    await dialog(ann).getByRole('button', { name: 'Create a category' }).click();
    await dialog(ann).last().getByLabel('Name').fill('Brief');
    await page(ann).keyboard.press('Enter');
    await bothShow('general dock [Ships] tug ferry [Shore] crane [Brief]');
    await dialog(ann).getByRole('button', { name: 'More for Brief' }).click();
    await choose('Delete');
    await dialog(ann).last().getByRole('button', { name: 'Delete category' }).click();
    await bothShow('general dock [Ships] tug ferry [Shore] crane');
    await expectAccessible(page(ann));
    await page(ann).keyboard.press('Escape');
  });

  it('a collapsed category hides read channels, also after a reload', async () => {
    await heading(ben, 'Ships').click();
    await shows(ben, 'general dock [Ships] [Shore] crane');
    expect(await heading(ben, 'Ships').getAttribute('aria-expanded')).to.equal('false');
    await shows(ann, 'general dock [Ships] tug ferry [Shore] crane');
    await page(ben).reload();
    await shows(ben, 'general dock [Ships] [Shore] crane');
    await expectAccessible(page(ben));
  });

  it('a collapsed category still shows unread channels, and the keys move through those in the list', async () => {
    const entry = await people.ann.send('server:open', { serverId });
    const channels = entry.status === 'snapshot' ? entry.state.channels : [];
    const timelineId = channels.find(({ name }) => name === 'ferry')!.id;
    await people.ann.send('message:send', { timelineId, body: 'All aboard' });
    await shows(ben, 'general dock [Ships] ferry [Shore] crane');
    const here = (name: string) =>
      page(ben).getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await page(ben).keyboard.press('Alt+ArrowUp');
    await here('crane');
    await page(ben).keyboard.press('Alt+ArrowUp');
    await here('ferry');
    await page(ben).getByText('All aboard').waitFor();
    await shows(ben, 'general dock [Ships] ferry [Shore] crane');
    await page(ben).keyboard.press('Alt+ArrowUp');
    await here('dock');
    await shows(ben, 'general dock [Ships] [Shore] crane');
    await page(ben).keyboard.press('Alt+ArrowDown');
    await here('crane');
  });

  it('a channel dropped on a collapsed category goes below the others there', async () => {
    await heading(ann, 'Ships').click();
    await drag(row(ann, 'dock'), heading(ann, 'Ships'), 'below');
    await heading(ann, 'Ships').click();
    await shows(ann, 'general [Ships] tug ferry dock [Shore] crane');
  });

  it('a channel stays in its place if the server refuses the move, and the reason is shown', async () => {
    const { category } = await people.ann.send('category:create', { serverId, name: 'Brief' });
    await openMenu(row(ann, 'tug'), 'More for #tug');
    await choose('Move to category…');
    await dialog(ann).getByLabel('Category').selectOption('Brief');
    await people.ann.send('category:delete', { categoryId: category.id });
    await shows(ann, 'general [Ships] tug ferry dock [Shore] crane');
    await dialog(ann).getByRole('button', { name: 'Move channel' }).click();
    await list(ann)
      .getByText(/^tug wasn’t moved\. This doesn’t exist/)
      .waitFor();
    await shows(ann, 'general [Ships] tug ferry dock [Shore] crane');
    await expectAccessible(page(ann));
  });

  it('a deleted category leaves its channels in the list, and the focus on an element', async () => {
    await openMenu(heading(ann, 'Ships').locator('..'), 'More for Ships');
    await choose('Delete');
    await dialog(ann).getByText('Its channels and their messages stay').waitFor();
    await dialog(ann).getByRole('button', { name: 'Delete category' }).click();
    await shows(ann, 'general tug ferry dock [Shore] crane');
    expect(await page(ann).evaluate(() => document.activeElement?.tagName)).to.not.equal('BODY');
  });
});
