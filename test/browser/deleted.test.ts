import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  choose,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  messages,
  openBrowser,
  texts,
  type Looks,
} from '../support/browser.ts';
import { painted, paintedWhile } from '../support/painted.ts';
import type { Person } from '../support/person.ts';

describe('a deleted message', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let timelineId: string;
  let path: string;
  let code: string;
  /** Indexed by position. */
  let ids: string[];

  before(async () => {
    app = await startSite({ PARLEY_RATE_SCALE: '100000' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    code = invite.code;
    await ben.send('server:join', { code });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    ids = [];
  });
  afterEach(closeWindows);
  after(() => app.close());

  async function says(who: Person, body: string, more: { replyTo?: string } = {}) {
    const { message: said } = await who.send('message:send', { timelineId, body, ...more });
    ids[said.position] = said.id;
  }
  async function saysMany(who: Person, from: number, to: number) {
    for (let at = from; at <= to; at += 25)
      await Promise.all(
        Array.from({ length: Math.min(25, to - at + 1) }, (_, i) => says(who, `Word ${at + i}`)),
      );
  }
  const deletes = (who: Person, position: number) =>
    who.send('message:delete', { messageId: ids[position]! });
  async function deletesMany(who: Person, from: number, to: number) {
    for (let at = from; at <= to; at += 25)
      await Promise.all(
        Array.from({ length: Math.min(25, to - at + 1) }, (_, i) => deletes(who, at + i)),
      );
  }
  const hasRead = (who: Person) =>
    who.send('read:update', { timelineId, position: ids.length - 1 });

  async function see(as: Person, at: string | number = '', looks: Looks = {}) {
    const { page } = await openBrowser(app, { as, path: `${path}/${at}`, ...looks });
    await composer(page).waitFor();
    return page;
  }
  const box = async (of: Locator) => {
    await of.waitFor();
    await of.scrollIntoViewIfNeeded();
    return (await of.boundingBox())!;
  };
  const gone = (page: Page, text: string) => message(page, text).waitFor({ state: 'detached' });
  const inFocus = (page: Page, text: string) =>
    message(page, text).and(page.locator(':focus')).waitFor();
  const scroller = (page: Page) => page.locator('.scroller', { has: page.locator('article') });
  const jump = (page: Page) => page.getByRole('button', { name: /jump to latest/i });
  async function drift(page: Page, row: Locator, meanwhile: () => Promise<unknown>) {
    const [one, frame] = await Promise.all([row.elementHandle(), scroller(page).elementHandle()]);
    const tops = (await paintedWhile(page, one, frame, meanwhile)).map(({ top }) => top);
    return Math.max(...tops) - Math.min(...tops);
  }

  it('leaves no row for either person if its author deleted it, at once and after a reload, and else names the moderator', async () => {
    for (const body of ['One', 'Two', 'Three', 'Four']) await says(ben, body);
    const [anns, bens] = [await see(ann), await see(ben)];
    for (const page of [anns, bens]) await message(page, 'Four').waitFor();
    await choose(message(bens, 'Two'), 'Delete');
    await bens.getByRole('button', { name: 'Delete message' }).click();
    await message(anns, 'Three').focus();
    await anns.keyboard.press('Shift+Delete');
    const expectLeft = async (page: Page, moderated: string) => {
      await gone(page, 'Two');
      await message(page, moderated).waitFor();
      expect(await texts(page)).to.deep.equal(['One', 'Four']);
      expect(await messages(page).count()).to.equal(3);
    };
    for (const again of [false, true]) {
      for (const [page, moderated] of [
        [anns, 'You deleted this message'],
        [bens, 'Deleted by Ann'],
      ] as const) {
        if (again) await page.reload();
        await expectLeft(page, moderated);
      }
    }
    await expectAccessible(bens);
  });

  it('leaves the rest of its group together under the author’s name', async () => {
    for (const body of ['One', 'Two', 'Three']) await says(ben, body);
    const page = await see(ann);
    const named = (text: string) => message(page, text).locator('.author').count();
    await message(page, 'Three').waitFor();
    await deletes(ben, 2);
    await gone(page, 'Two');
    expect([await named('One'), await named('Three')]).to.deep.equal([1, 0]);
    await deletes(ben, 1);
    await gone(page, 'One');
    expect(await named('Three')).to.equal(1);
    expect(await page.locator('.day').count()).to.equal(1);
    await deletes(ben, 3);
    await page.getByText('No messages yet.').waitFor();
  });

  it('passes the focus to the next message, else to the one before, else to the composer', async () => {
    for (const body of ['One', 'Two', 'Three', 'Four']) await says(ben, body);
    const page = await see(ben);
    await message(page, 'Two').focus();
    await page.keyboard.press('Shift+Delete');
    await gone(page, 'Two');
    await inFocus(page, 'Three');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete message' }).click();
    await gone(page, 'Three');
    await inFocus(page, 'Four');
    await deletes(ben, 4);
    await gone(page, 'Four');
    await inFocus(page, 'One');
    expect(await messages(page).and(page.locator('[tabindex="0"]')).count()).to.equal(1);
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete message' }).click();
    await gone(page, 'One');
    await composer(page).and(page.locator(':focus')).waitFor();
  });

  it('takes no focus from elsewhere', async () => {
    for (const body of ['One', 'Two']) await says(ben, body);
    const page = await see(ben);
    await message(page, 'Two').focus();
    await composer(page).fill('Writing');
    await deletes(ben, 2);
    await gone(page, 'Two');
    await composer(page).and(page.locator(':focus')).waitFor();
  });

  it('is explained to people who follow a link to it, and its place is shown', async () => {
    await saysMany(ben, 1, 130);
    await says(ann, 'An answer', { replyTo: ids[20]! });
    await hasRead(ann);
    await deletes(ben, 20);
    const page = await see(ann, 20);
    const waitForNotice = () =>
      page.getByRole('status').getByText('That message was deleted.').waitFor();
    await waitForNotice();
    await inFocus(page, 'Word 21');
    const { y } = (await message(page, 'Word 21').boundingBox())!;
    expect(y).to.be.within(100, 600);
    await expectAccessible(page);
    await page.reload();
    await waitForNotice();
    await jump(page).click();
    await message(page, 'An answer').getByText('Message deleted').click();
    await waitForNotice();
    await inFocus(page, 'Word 21');
  });

  it('does not block the way up: pages of deleted messages only load by themselves, and after several on request', async () => {
    const cem = await app.person('Cem');
    await cem.send('server:join', { code });
    await saysMany(ben, 1, 620);
    await hasRead(ann);
    await deletesMany(ben, 11, 600);
    const page = await see(ann);
    await message(page, 'Word 620').waitFor();
    const more = page.getByRole('button', { name: 'Load more' });
    await more.waitFor();
    await expectAccessible(page);
    const { page: theirs } = await openBrowser(app, { as: cem, path: `${path}/620` });
    const [asked, leads] = await Promise.all([
      box(theirs.getByText('Many messages here were deleted.')),
      box(theirs.getByRole('button', { name: 'New messages' })),
    ]);
    expect(asked.y).to.be.at.least(leads.y + leads.height);
    await more.click();
    await message(page, 'Word 10').first().waitFor();
    expect(await texts(page)).to.have.length(30);
    await page.getByRole('heading', { name: 'The start of #general' }).waitFor();
    await message(page, 'Word 620').waitFor();
  });

  it('moves no other message, whether it is above, below or in the view, or at the end', async () => {
    await saysMany(ben, 1, 60);
    await hasRead(ann);
    const page = await see(ann);
    await message(page, 'Word 60').waitFor();
    const atEnd = await drift(page, message(page, 'Word 60'), async () => {
      await deletes(ben, 58);
      await gone(page, 'Word 58');
    });
    expect(atEnd).to.be.at.most(1);
    expect(await scroller(page).evaluate((box) => box.scrollTop)).to.equal(0);
    await scroller(page).evaluate((box) => (box.scrollTop = -500));
    await jump(page).waitFor();
    await painted(page);
    const [first, middle] = await inView(page);
    const moved = await drift(page, message(page, `Word ${middle}`), async () => {
      for (const position of [first! - 3, first!, 57, 55]) {
        await deletes(ben, position);
        await gone(page, `Word ${position}`);
        await painted(page);
      }
    });
    expect(moved).to.be.at.most(1);
  });

  /** The position of the first row in view, and of one in the middle. */
  const inView = (page: Page) =>
    scroller(page).evaluate((box) => {
      const { top, bottom } = box.getBoundingClientRect();
      const rows = [...box.querySelectorAll<HTMLElement>('article')].filter((row) => {
        const at = row.getBoundingClientRect();
        return at.bottom > top && at.top < bottom;
      });
      const positions = rows.map((row) => Number(row.dataset.position));
      return [positions[0]!, positions[Math.floor(positions.length / 2)]!];
    });

  it('is read together with the messages after it, and never marked as new', async () => {
    await saysMany(ben, 1, 100);
    await ann.send('read:update', { timelineId, position: 40 });
    for (const position of [41, 42, 70, 100]) await deletes(ben, position);
    const page = await see(ann);
    await page.getByRole('separator', { name: 'New messages' }).waitFor();
    const row = page.locator('li', { has: page.getByRole('separator', { name: 'New messages' }) });
    expect(await row.getByRole('article').innerText()).to.include('Word 43');
    const read = async () => {
      const tab = await ann.newTab();
      tab.close();
      return tab.ready.timelines[timelineId]?.read ?? 100;
    };
    await eventually(async () => expect(await read()).to.be.within(43, 99));
    const seen = await read();
    await scroller(page).evaluate((box) => (box.scrollTop += 300));
    await eventually(async () => expect(await read()).to.be.above(seen));
    await jump(page).click();
    await eventually(async () => expect(await read()).to.equal(100));
  });

  it('is marked at once in a reply to it, and leaves a newly sent message in its place', async () => {
    for (const body of ['One', 'Two']) await says(ben, body);
    const page = await see(ben);
    await composer(page).fill('Three');
    await composer(page).press('Enter');
    await inState(message(page, 'Three'), 'sent').waitFor();
    await deletes(ben, 2);
    await gone(page, 'Two');
    await says(ann, 'Four', { replyTo: ids[1]! });
    await deletes(ben, 1);
    await message(page, 'Four').getByText('Message deleted').waitFor();
    expect(await texts(page)).to.deep.equal(['Three', 'Four']);
  });
});
