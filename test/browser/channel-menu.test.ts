import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
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
import { saveScreenshot } from '../support/picture.ts';
import { until } from '../support/time.ts';

describe('the menu of a channel', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let page: Page;
  let plans: string;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
    const { serverId } = place;
    plans = (await ann.send('channel:create', { serverId, name: 'plans' })).channel.id;
    const wanted = { serverId, name: 'secret', private: true, userIds: [ben.id] };
    await ann.send('channel:create', wanted);
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const picture = (name: string) => saveScreenshot(page, `channel-menu-${name}`);
  const row = (name: string) => page.getByRole('navigation', { name: 'Channels' }).getByText(name);
  const items = async () => {
    await item('Hide channel').waitFor();
    return page.getByRole('menuitem').allInnerTexts();
  };
  /** These load late. */
  const own = ['Add to favourites', 'Hide channel'];
  const item = (name: string) => page.getByRole('menuitem', { name });
  const noMenu = () => page.getByRole('menu').waitFor({ state: 'detached' });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const opened = (as: Person, looks: { width?: number; touch?: boolean; theme?: 'dark' }) =>
    openBrowser(app, { as, path: `/s/${place.serverId}/${place.channelId}`, ...looks });

  const boxOf = async (what: Locator) => (await what.boundingBox())!;

  it('opens at the pointer with the right mouse button, and copies the link', async () => {
    ({ page } = await opened(ben, {}));
    await composer(page).waitFor();
    const { x, y } = await boxOf(row('plans'));
    await page.mouse.click(x + 20, y + 8, { button: 'right' });
    expect(await items()).to.deep.equal(['Copy link', 'Mute', 'Notifications', ...own]);
    await expectAccessible(page);
    const menu = await boxOf(page.locator('[popover]:popover-open'));
    expect([menu.x, menu.y]).to.deep.equal([x + 20, y + 12]);
    await item('Copy link').click();
    await page.getByRole('status').getByText('Link copied').waitFor();
    await expectAccessible(page);
    await picture('copied');
    const link = await copied();
    expect(page.url()).to.include(place.channelId);
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
    expect(page.url()).to.equal(`${app.url}/s/${place.serverId}/${plans}`);
    await page.getByRole('link', { name: 'general', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
  });

  it('marks an unread channel as read', async () => {
    await ann.send('message:send', { timelineId: plans, body: 'Hello' });
    const unread = page.getByRole('link', { name: 'plans, 1 unread' });
    await unread.click({ button: 'right' });
    expect(await items()).to.deep.equal([
      'Mark read',
      'Copy link',
      'Mute',
      'Notifications',
      ...own,
    ]);
    await item('Mark read').click();
    await page.getByRole('link', { name: 'plans', exact: true }).waitFor();
    // The server is notified at most once a second.
    await until(async () => {
      const again = await ben.newTab();
      again.close();
      return !(plans in again.ready.timelines);
    });
    await page.reload();
    await page.getByRole('link', { name: 'plans', exact: true }).waitFor();
  });

  it('is opened by the menu key too, and Esc leads back to the channel', async () => {
    await page.getByRole('link', { name: 'secret, private' }).focus();
    await page.keyboard.press('Shift+F10');
    await item('Leave channel').waitFor();
    expect(await items()).to.deep.equal([
      'Copy link',
      'Mute',
      'Notifications',
      ...own,
      'Leave channel',
    ]);
    await page.keyboard.press('Escape');
    await noMenu();
    expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('secret, private');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'secret' }).waitFor();
  });

  it('offers settings to people who may change them, for other channels too', async () => {
    ({ page } = await opened(ann, { theme: 'dark' }));
    await composer(page).waitFor();
    await row('plans').hover();
    await page.getByRole('button', { name: 'More for #plans' }).click();
    expect(await items()).to.deep.equal([
      'Copy link',
      'Mute',
      'Notifications',
      ...own,
      'Channel settings',
      'Move up',
      'Move down',
    ]);
    await expectAccessible(page);
    await picture('managing');
    await item('Channel settings').click();
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.waitFor();
    expect(await name.inputValue()).to.equal('plans');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).to.include(place.channelId);
  });

  it('opens as a sheet on a long press; a tap still opens the channel, and scrolling opens nothing', async () => {
    ({ page } = await opened(ben, { width: 390, touch: true }));
    await page.getByRole('link', { name: /^Back to/ }).click();
    const finger = await page.context().newCDPSession(page);
    const { x, y, height } = await boxOf(row('plans'));
    const at = (dy = 0) => [{ x: x + 10, y: y + height / 2 + dy }];
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', dy?: number) =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : at(dy),
      });
    await touch('touchStart');
    await item('Copy link').waitFor();
    await touch('touchEnd');
    await page.getByText('#plans').waitFor();
    await expectAccessible(page);
    await picture('sheet');
    expect(await items()).to.deep.equal(['Copy link', 'Mute', 'Notifications', ...own]);
    await item('Copy link').tap();
    await page.getByRole('status').getByText('Link copied').waitFor();
    await noMenu();
    await touch('touchStart');
    await touch('touchMove', 40);
    await page.waitForTimeout(700); // Longer than the half second that opens it.
    await touch('touchEnd');
    expect(await page.getByRole('menu').count()).to.equal(0);
    await row('plans').tap();
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
  });
});
