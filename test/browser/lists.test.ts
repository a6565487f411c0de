/** All tests share one window. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('lists', () => {
  let app: TestApp;
  let [ann, ben, cem, dan]: Person[] = [];
  let page: Page;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
    const names = ['Ann', 'Ben', 'Cem', 'Dan'];
    [ann, ben, cem, dan] = await Promise.all(names.map((name) => app.person(name)));
    const { server } = await ann!.send('server:create', { name: 'Harbour' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann!.send('invite:create', { serverId });
    for (const person of [ben!, cem!]) await person.send('server:join', { code: invite.code });
    ({ page } = await openBrowser(app, { as: ann!, path: `/s/${serverId}/${general}` }));
    await composer(page).waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const dialog = () => page.getByRole('dialog').last();
  const goTo = (path: string) =>
    page.evaluate((to) => {
      const link = document.body.appendChild(document.createElement('a'));
      link.href = to;
      link.click();
      link.remove();
    }, path);
  const picture = async (name: string) => {
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  it('members are one Tab stop; arrows, Home and End move between them', async () => {
    const pane = page.getByRole('complementary', { name: 'Members' });
    await pane.getByRole('button', { name: /^Cem/ }).waitFor();
    expect(await pane.locator('[tabindex="0"]').count()).to.equal(1);
    const here = () => page.evaluate(() => (document.activeElement?.textContent ?? '').trim());
    await pane.locator('[tabindex="0"]').focus();
    for (const [key, name] of [
      ['ArrowDown', 'Ben'],
      ['ArrowUp', 'Ann'],
      ['End', 'Cem'],
      ['Home', 'Ann'],
      ['End', 'Cem'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await here(), key).to.match(new RegExp(`^${name}`));
    }
    await page.keyboard.press('Tab');
    expect(await pane.locator(':focus').count()).to.equal(0);
    await page.keyboard.press('Shift+Tab');
    expect(await here()).to.match(/^Cem/);
    expect(await pane.locator('[tabindex="0"]').count()).to.equal(1);
    await expectAccessible(page);
  });

  it('the list of shortcuts says how to move in a message and among members', async () => {
    await page.keyboard.press('Control+/');
    const inside = dialog().locator('dl > div', { hasText: 'In a message: next / previous' });
    await inside.waitFor();
    expect(await inside.locator('kbd').allInnerTexts()).to.deep.equal(['→', '←']);
    await dialog().getByRole('heading', { name: 'In the member list' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('members are found by their usernames, and the field is emptied by a button with a name', async () => {
    await ann!.send('member:update', { serverId, userId: cem!.id, nickname: 'Bosun' });
    await page.getByRole('button', { name: 'Harbour', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await dialog().getByRole('button', { name: 'Members', exact: true }).click();
    const field = dialog().getByLabel('Find a member');
    const found = () => dialog().getByRole('listitem').allInnerTexts();
    for (const typed of [cem!.user.username!, `@${cem!.user.username!}`, 'cem', 'bosun']) {
      await field.fill(typed);
      await eventually(async () => expect((await found()).join(' '), typed).to.match(/^Bosun\s/));
    }
    await dialog().getByRole('button', { name: 'Clear search' }).click();
    expect(await field.inputValue()).to.equal('');
    expect(await field.evaluate((input) => input === document.activeElement)).to.equal(true);
    expect(await found()).to.have.length(3);
    expect(await dialog().getByRole('button', { name: 'Clear search' }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await ann!.send('member:update', { serverId, userId: cem!.id, nickname: null });
  });

  it('limit the width of lines on a wide screen, while the composer fills the pane', async () => {
    await ann!.send('message:send', { timelineId: general, body: 'Short' });
    await page.setViewportSize({ width: 1_920, height: 1_000 });
    const row = message(page, 'Short');
    await row.hover();
    const ends = async (locator: Locator) => {
      const { x = 0, width = 0 } = (await locator.boundingBox()) ?? {};
      return { start: x, end: x + width };
    };
    const text = await ends(row.locator('.text'));
    expect(text.end - text.start).to.equal(920);
    const pane = await ends(page.getByRole('form'));
    const box = await ends(page.getByRole('form').locator('.box'));
    expect([box.start - pane.start, pane.end - box.end]).to.deep.equal([16, 16]);
    expect((await ends(row.getByRole('group'))).end).to.equal(pane.end - 20);
    await picture('wide');
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture('wide-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('“No friends yet” is not shown during a search for people', async () => {
    await goTo('/friends');
    const nobody = page.getByText('No friends yet');
    await nobody.waitFor();
    await page.getByRole('searchbox', { name: 'Find people' }).fill('dan');
    await nobody.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Add friend: Dan` }).waitFor();
    await expectAccessible(page);
    await picture('find-people');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await nobody.waitFor();
  });

  it('a group shows two faces, the rear one without letters, and larger ones at its beginning', async () => {
    const userIds = [ben!.id, cem!.id];
    const { conversation } = await ann!.send('conversation:create', { userIds, name: 'Crew' });
    await goTo(`/direct/${conversation.id}`);
    await page.getByRole('heading', { level: 2, name: 'Crew' }).waitFor();
    const groups = await page.locator('.group').evaluateAll((all) =>
      all.map((group) => ({
        width: group.getBoundingClientRect().width,
        letters: [...group.querySelectorAll('.avatar')].map(
          (face) => face.querySelector('[data-initials]')?.getAttribute('data-initials') ?? '',
        ),
      })),
    );
    expect(groups.map(({ letters }) => letters)).to.deep.equal([
      ['', 'C'],
      ['', 'C'],
      ['', 'C'],
    ]);
    expect(groups.map(({ width }) => width).toSorted()).to.deep.equal([28, 28, 56]);
    await expectAccessible(page);
    await picture('group');
  });

  it('a conversation of two is closed, and its person blocked and unblocked, in its menu', async () => {
    const { conversation } = await ann!.send('conversation:create', { userIds: [ben!.id] });
    await goTo(`/direct/${conversation.id}`);
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Block Ben');
    await dialog().getByRole('button', { name: 'Block', exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Unblock Ben' }).waitFor();
    await picture('dm-menu');
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'Unblock Ben' }).click();
    await eventually(async () =>
      expect((await ann!.send('block:list', {})).blocks).to.deep.equal([]),
    );
    await choose('Close conversation');
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByText('Ben');
    await row.waitFor({ state: 'detached' });
  });

  it('a private channel with a single member offers to add people, and adds them once one is chosen', async () => {
    const wanted = { serverId, name: 'secret', private: true, userIds: [] };
    const { channel } = await ann!.send('channel:create', wanted);
    await goTo(`/s/${serverId}/${channel.id}`);
    const start = page.getByRole('region', { name: 'Messages in #secret' });
    await start.getByRole('button').first().waitFor();
    expect(await start.getByRole('button').allInnerTexts()).to.deep.equal([
      'Add people',
      'Set a topic',
    ]);
    await start.getByRole('button', { name: 'Add people' }).click();
    const add = dialog().getByRole('button', { name: 'Add people' });
    await dialog().getByText('Choose someone first.').waitFor();
    expect(await add.getAttribute('aria-disabled')).to.equal('true');
    await expectAccessible(page);
    await picture('add-people');
    await dialog().getByRole('checkbox', { name: 'Ben' }).check();
    await dialog().getByText('Choose someone first.').waitFor({ state: 'detached' });
    await add.click();
    await dialog().waitFor({ state: 'detached' });
    await page
      .getByRole('complementary', { name: 'Members' })
      .getByRole('button', { name: /^Ben/ })
      .waitFor();
  });

  it('the heading “Channels” goes when every channel has a category, and comes back for one without', async () => {
    const list = page.getByRole('navigation', { name: 'Channels' });
    const heading = list.getByText('Channels', { exact: true });
    await heading.waitFor();
    const { category } = await ann!.send('category:create', { serverId, name: 'Ships' });
    await heading.waitFor();
    const ids = await list
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/')[3] ?? ''));
    for (const channelId of ids)
      await ann!.send('channel:update', { channelId, categoryId: category.id });
    await heading.waitFor({ state: 'detached' });
    await picture('no-heading');
    await expectAccessible(page);
    await ann!.send('channel:update', { channelId: ids[0]!, categoryId: null });
    await heading.waitFor();
  });

  it('a server is deleted by a button that is dashed until its name is typed', async () => {
    await page.getByRole('button', { name: 'Harbour', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await dialog().getByRole('button', { name: 'Delete Harbour' }).click();
    const button = dialog().getByRole('button', { name: 'Delete server' });
    const border = () => button.evaluate((it) => getComputedStyle(it).borderTopStyle);
    expect([await border(), await button.getAttribute('aria-disabled')]).to.deep.equal([
      'dashed',
      'true',
    ]);
    await expectAccessible(page);
    await picture('delete-server');
    await dialog().getByLabel('Type “Harbour” to confirm').fill('Harbour');
    expect(await border()).to.equal('solid');
    await button.click();
    await dialog().waitFor({ state: 'detached' });
    await eventually(async () =>
      expect((await ann!.send('server:list', {})).servers.map(({ id }) => id)).to.not.include(
        serverId,
      ),
    );
    expect(dan!.id).to.be.a('string');
  });
});
