import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  choose,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  messages,
  openBrowser,
  say,
  serverAway,
  texts,
} from '../support/browser.ts';
import { fillTimelines } from '../support/full.ts';
import { tap } from '../support/socket-tap.ts';
import { painted, paintedWhile } from '../support/painted.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

/** Longer than the client waits for an answer, in milliseconds. */
const timeoutMs = 6_000;
const many = 700;
const maxRows = 300;

describe('reading', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let garden: string;

  before(async () => {
    app = await startSite({ PARLEY_RATE_SCALE: '100000' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    const { channel } = await ann.send('channel:create', {
      serverId,
      name: 'garden',
      topic: 'Beds',
    });
    garden = channel.id;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const says = (body: string) => ann.send('message:send', { timelineId: garden, body });
  const saysMany = async (from: number, to: number) => {
    for (let at = from; at <= to; at += 50) {
      const count = Math.min(50, to - at + 1);
      await Promise.all(Array.from({ length: count }, (_, i) => says(`Word ${at + i}`)));
    }
  };
  /** Adds the messages that `saysMany` would send, before a page is open. */
  const fill = (from: number, to: number) =>
    fillTimelines(app, [garden], {
      authorId: ann.id,
      body: 'Word {position}',
      many: to - from + 1,
    });
  const benHasRead = (position: number) =>
    ben.send('read:update', { timelineId: garden, position });
  const address = (position?: number) =>
    ['/s', serverId, garden, position].filter(Boolean).join('/');

  async function reading(path = address(), looks = {}): Promise<Page> {
    const { page, forgive } = await openBrowser(app, { as: ben, path, ...looks });
    forgive(serverAway);
    await composer(page).waitFor();
    return page;
  }

  const bar = (page: Page) => page.getByRole('group', { name: 'New messages' });
  const divider = (page: Page) => page.getByRole('separator', { name: 'New messages' });
  const jump = (page: Page) => page.getByRole('button', { name: /jump to latest/i });
  const entry = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name, exact: true });
  const top = async (row: Locator) => (await row.boundingBox())?.y ?? NaN;
  const scroller = (page: Page) =>
    page.getByRole('region', { name: 'Messages in #garden' }).locator('.scroller');
  /** Scrolls at once, unlike a wheel. */
  const scrollTo = (page: Page, top: number) =>
    scroller(page).evaluate((box, top) => {
      box.scrollTop = (top < 0 ? top : top - box.scrollHeight) + box.clientHeight;
    }, top);
  /** Returns how far the row moves in view meanwhile, in pixels. */
  async function drift(page: Page, row: Locator, meanwhile: () => Promise<unknown>) {
    const [one, frame] = await Promise.all([row.elementHandle(), scroller(page).elementHandle()]);
    const seen = await paintedWhile(page, one, frame, meanwhile);
    const tops = seen.map(({ top }) => top);
    return Math.max(...tops) - Math.min(...tops);
  }

  it('UX-22 shows a bar while the line of new messages is out of view, which leads there or marks them read', async () => {
    await fill(1, 120);
    await benHasRead(40);
    const page = await reading();
    await divider(page).waitFor();
    await painted(page);
    await bar(page).waitFor({ state: 'hidden' });
    await painted(page);
    await bar(page).waitFor({ state: 'hidden' });
    const markRead = bar(page).getByRole('button', { name: 'Mark read' });
    await jump(page).click();
    await message(page, 'Word 120').waitFor();
    await bar(page).waitFor();
    expect(await bar(page).innerText()).to.match(/^New since \d\d:\d\d$/);
    await expectAccessible(page);
    await bar(page).getByRole('button', { name: 'New since' }).click();
    await bar(page).waitFor({ state: 'hidden' });
    expect(await top(divider(page))).to.be.within(100, 500);
    await scroller(page).evaluate((box) => (box.scrollTop += 700));
    await bar(page).getByRole('button', { name: 'New since' }).waitFor();
    expect(await markRead.count()).to.equal(0);
    await says('Word 121');
    await markRead.click();
    await bar(page).waitFor({ state: 'hidden' });
    expect(await divider(page).count()).to.equal(0);
  });

  it('UX-22 counts new messages after a link to an old one, keeping them unread', async () => {
    await fill(1, 200);
    await benHasRead(150);
    const page = await reading(address(20));
    await message(page, 'Word 20').waitFor();
    await page.getByRole('button', { name: '50 new messages – jump to latest' }).waitFor();
    await entry(page, 'garden, 50 unread').waitFor();
    expect(await bar(page).count()).to.equal(0);
    await jump(page).click();
    await bar(page).getByRole('button', { name: 'New' }).click();
    await divider(page).waitFor();
    await jump(page).click();
    await entry(page, 'garden').waitFor();
  });

  it('counts new messages down while scrolling past them', async () => {
    await fill(1, 200);
    await benHasRead(150);
    const page = await reading(address(160));
    await message(page, 'Word 160').waitFor();
    const left = async () => Number.parseInt(await jump(page).innerText(), 10);
    await jump(page).waitFor();
    const before = await left();
    await scroller(page).evaluate((box) => (box.scrollTop += 400));
    await eventually(async () => expect(await left()).to.be.within(1, before - 5));
  });

  it('UX-23 stays at the end; elsewhere nothing moves, and a button counts new messages', async () => {
    await fill(1, 60);
    await benHasRead(60);
    const page = await reading();
    await message(page, 'Word 60').waitFor();
    await says('Word 61');
    await message(page, 'Word 61').waitFor();
    const foot = () => scroller(page).evaluate((box) => -box.scrollTop);
    await eventually(async () => expect(await foot()).to.be.below(2));
    await scrollTo(page, -900);
    await jump(page).waitFor();
    const moved = await drift(page, message(page, 'Word 40').first(), async () => {
      await saysMany(62, 64);
      await page.getByRole('button', { name: '3 new messages – jump to latest' }).waitFor();
    });
    expect(moved).to.be.at.most(1);
    await composer(page).focus();
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.include('3 new');
    await page.keyboard.press('Enter');
    await message(page, 'Word 64').waitFor();
    await jump(page).waitFor({ state: 'hidden' });
  });

  it('UX-24 loads older messages without moving the view', async () => {
    await fill(1, 200);
    await benHasRead(200);
    const page = await reading();
    await message(page, 'Word 200').waitFor();
    for (let rows = 0; rows < 150;) {
      rows = await messages(page).count();
      await scrollTo(page, 300);
      const inView = page.locator('article[data-position]').nth(15);
      await inView.waitFor();
      const moved = await drift(page, inView, () =>
        eventually(async () => expect(await messages(page).count()).to.be.above(rows)),
      );
      expect(moved, `after ${rows} rows`).to.be.at.most(1);
    }
  });

  it('UX-25 keeps its place on edits above the view, and when the window gets narrower', async () => {
    await fill(1, 50);
    await benHasRead(50);
    const long = await says('Soon longer');
    await fill(52, 100);
    await benHasRead(100);
    const page = await reading();
    await message(page, 'Word 100').waitFor();
    await scrollTo(page, -1_200);
    await jump(page).waitFor();
    const row = page.locator('article[data-position="75"]');
    const moved = await drift(page, row, async () => {
      const body = Array.from({ length: 30 }, (_, i) => `Line ${i}`).join('\n');
      await ann.send('message:edit', { messageId: long.message.id, body });
      await page.getByText('Line 29').waitFor();
    });
    expect(moved).to.be.at.most(1);
    const first = await page.evaluate(() => {
      const box = document.querySelector('.scroller')!.getBoundingClientRect();
      const rows = [...document.querySelectorAll<HTMLElement>('article[data-position]')];
      return rows.find((row) => row.getBoundingClientRect().bottom > box.top)!.dataset.position;
    });
    const anchor = page.locator(`article[data-position="${first}"]`);
    const before = await top(anchor);
    await page.setViewportSize({ width: 900, height: 800 });
    await painted(page);
    expect(Math.abs((await top(anchor)) - before)).to.be.at.most(1);
  });

  it('UX-26 continues both ways from a linked message, 300 rows at most, and back to the end', async () => {
    await fill(1, many);
    await benHasRead(many);
    const page = await reading(address(350));
    const named = page.locator('article[data-position="350"]');
    await named.waitFor();
    expect(await top(named)).to.be.within(100, 600);
    expect(await named.evaluate((row) => row === document.activeElement)).to.be.true;
    await expectAccessible(page);
    await scrollUntil(page, 0, async () => expect(await texts(page)).to.include('Word 1'));
    await page.getByRole('heading', { name: 'The start of #garden' }).waitFor();
    await scrollUntil(page, -1, async () => expect(await texts(page)).to.include(`Word ${many}`));
    await scrollTo(page, -1);
    await jump(page).waitFor({ state: 'hidden' });
    await page.goto(app.url + address(100));
    await page.locator('article[data-position="100"]').waitFor();
    await jump(page).click();
    await message(page, `Word ${many}`).waitFor();
    expect(new URL(page.url()).pathname).to.equal(address());
  });

  /** Scrolls until `isThere` holds. Meanwhile the rows have no hole, and there are at most `maxRows`. */
  async function scrollUntil(page: Page, to: number, isThere: () => Promise<unknown>) {
    await eventually(async () => {
      await scrollTo(page, to);
      await painted(page);
      const found = await page
        .locator('article[data-position]')
        .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-position'))));
      expect(found).to.have.length.at.most(maxRows);
      const [first = 0] = found;
      expect(found).to.deep.equal(found.map((_, i) => first + i));
      await isThere();
    });
  }

  it('UX-26, UX-57 has a link for each message, which opens in place', async () => {
    await fill(1, 120);
    await benHasRead(120);
    const page = await reading();
    await choose(message(page, 'Word 119'), 'Copy link');
    await page.getByRole('status').getByText('Link copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).to.match(new RegExp(`^${app.url}/s/\\w{22}/\\w{22}/119$`));
    await says(`Look: ${app.url}${address(5)}`);
    await message(page, 'Look').getByRole('link').click();
    await page.locator('article[data-position="5"]:focus').waitFor();
    await page.goBack();
    expect(new URL(page.url()).pathname).to.equal(address());
    await page.goto(`${app.url}${address()}/0`);
    await page.getByText('This page isn’t available').waitFor();
  });

  it('UX-26 shows the end if the linked message does not exist', async () => {
    await fill(1, 5);
    await benHasRead(5);
    const page = await reading(address(77));
    await message(page, 'Word 5').waitFor();
    await says('Still here');
    await message(page, 'Still here').waitFor();
    await entry(page, 'garden').waitFor();
  });

  it('UX-12, UX-26 stays in place far up, even after missing too many messages', async () => {
    await fill(1, 150);
    await benHasRead(150);
    const page = await reading(address(20));
    const named = page.locator('article[data-position="20"]');
    await named.waitFor();
    await painted(page);
    const before = await top(named);
    await page.context().setOffline(true);
    await page.getByText('Reconnecting…').waitFor();
    await saysMany(151, many);
    await page.context().setOffline(false);
    await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: `${many - 150} new messages` }).waitFor();
    await eventually(async () => expect(Math.abs((await top(named)) - before)).to.be.at.most(1));
  });

  it('UX-27 shows where the channel begins, and retries a failed load', async () => {
    await fill(1, 120);
    await benHasRead(120);
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    await page.clock.install();
    const line = await tap(page);
    await page.goto(app.url + address());
    await message(page, 'Word 120').waitFor();
    const asked = line.delay(/"message:list"/);
    await scrollTo(page, 0);
    await page.getByText('Loading messages').waitFor();
    await asked;
    await saysMany(121, 121);
    await message(page, 'Word 121').waitFor({ state: 'attached' });
    await page.clock.fastForward(timeoutMs);
    await page.getByRole('alert').getByText('no answer').waitFor();
    await expectAccessible(page);
    line.lose();
    const retry = page.getByRole('button', { name: 'Retry' });
    await retry.click();
    await until(async () => {
      // On a slow machine there can be no answer again.
      await retry.click({ timeout: 1_000 }).catch(() => undefined);
      await scrollTo(page, 0);
      return page.getByRole('heading', { name: 'The start of #garden' }).isVisible();
    });
    await page.getByText(/^Created on /).waitFor();
    await page
      .getByRole('region', { name: /^Messages in / })
      .getByText('Beds')
      .waitFor();
    expect(await page.getByText('Loading messages').count()).to.equal(0);
  });

  it('UX-30 names days relative to today, past midnight too', async () => {
    const { message: said } = await says('Late');
    const page = await midnight(new Date(said.createdAt));
    await page.getByText('Today', { exact: true }).waitFor();
    await page.clock.fastForward(61_000);
    await page.getByText('Yesterday', { exact: true }).waitFor();
  });

  /** A page one minute before midnight. */
  async function midnight(day: Date): Promise<Page> {
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    await page.clock.install({
      time: new Date(day.getFullYear(), day.getMonth(), day.getDate(), 23, 59, 0),
    });
    await page.goto(app.url + address());
    return page;
  }

  it('UX-56 takes back one step per Esc: a menu, an edit, the line, then jumps to the end', async () => {
    await fill(1, 120);
    await ben.send('message:send', { timelineId: garden, body: 'Mine' });
    await fill(122, 200);
    const page = await reading();
    await divider(page).waitFor();
    await scrollUntil(page, 0, async () => expect(await texts(page)).to.include('Mine'));
    const esc = () => page.keyboard.press('Escape');
    await message(page, 'Mine').hover();
    await message(page, 'Mine').getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit message').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await esc();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Edit message').count()).to.equal(1);
    await page.getByLabel('Edit message').focus();
    await esc();
    await page.getByLabel('Edit message').waitFor({ state: 'hidden' });
    expect(await divider(page).count()).to.equal(1);
    await esc();
    await divider(page).waitFor({ state: 'hidden' });
    await entry(page, 'garden').waitFor();
    await jump(page).waitFor();
    await esc();
    await jump(page).waitFor({ state: 'hidden' });
    await message(page, 'Word 200').waitFor();
  });

  it('UX-21, UX-26 jumps to the end when a message is sent from far up', async () => {
    await fill(1, 400);
    await benHasRead(400);
    const page = await reading(address(30));
    await page.locator('article[data-position="30"]').waitFor();
    await say(page, 'And I say');
    await message(page, 'And I say').and(page.locator('[data-state=sent]')).waitFor();
    await message(page, 'Word 400').waitFor();
    await jump(page).waitFor({ state: 'hidden' });
  });
});
