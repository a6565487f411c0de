import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  longPress,
  message,
  messages,
  openBrowser,
  type Looks,
} from '../support/browser.ts';
import { atLength, firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';

describe('the page', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let plans: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    plans = (await ann.send('channel:create', { serverId, name: 'plans' })).channel.id;
    await ann.send('message:send', { timelineId: general, body: 'Mine' });
    await ben.send('message:send', { timelineId: general, body: 'Theirs' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const reading = async (as: Person, looks: Looks = {}) => {
    const { page } = await openBrowser(app, { as, path: `/s/${serverId}/${general}`, ...looks });
    await message(page, 'Theirs').waitFor();
    return page;
  };
  const phone = { width: 390, height: 844, touch: true };

  /** The actions on a message, by input method. */
  async function byMouse(page: Page, text: string) {
    await message(page, text).hover();
    const toolbar = message(page, text).getByRole('group', { name: 'Message' });
    const buttons = await namesOf(toolbar.getByRole('button'));
    await toolbar.getByRole('button', { name: 'More' }).click();
    const items = await namesOf(page.getByRole('menuitem'));
    await page.keyboard.press('Escape');
    return [...buttons, ...items].filter((name) => name !== 'More actions').sort();
  }
  async function byFinger(page: Page, text: string) {
    const items = page.getByRole('menuitem');
    await longPress(message(page, text).locator('.text'), items.first());
    return namesOf(items);
  }
  async function byKeys(page: Page, text: string) {
    await composer(page).press('Shift+Tab');
    await messages(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    while ((await message(page, text).and(page.locator(':focus')).count()) === 0)
      await page.keyboard.press('ArrowUp');
    // The actions load with the first message that is pointed at or focused.
    await message(page, text).getByRole('group', { name: 'Message' }).waitFor();
    const reached: string[] = [];
    await page.keyboard.press('Enter');
    for (;;) {
      const name = await page.evaluate(() => {
        const here = document.activeElement;
        return here?.getAttribute('aria-label') ?? here?.textContent.trim() ?? '';
      });
      if (reached.includes(name)) return reached;
      reached.push(name);
      if (name === 'More actions') {
        await page.keyboard.press('Enter');
        reached.push(...(await namesOf(page.getByRole('menuitem'))));
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press('ArrowRight');
    }
  }
  const namesOf = async (controls: Locator) => {
    await controls.first().waitFor();
    const names = await controls.evaluateAll((found) =>
      found.map((one) => one.getAttribute('aria-label') ?? one.textContent.trim()),
    );
    return names.sort();
  };

  it('UX-58 offers the same message actions by mouse, finger and keys', async () => {
    for (const [who, text] of [
      [ann, 'Mine'],
      [ann, 'Theirs'],
      [ben, 'Mine'],
    ] as const) {
      const wide = await reading(who);
      const offered = await byMouse(wide, text);
      expect(offered).to.include('Copy text');
      expect(offered.includes('Delete'), `${who.user.name}: ${text}`).to.equal(who === ann);
      // In the short form, fingers and keys reach one message only.
      if (atLength(who !== ann || text !== 'Mine', false)) continue;
      expect(await byFinger(await reading(who, phone), text)).to.deep.equal(offered);
      expect(await byKeys(await reading(who), text)).to.include.members(offered);
    }
  });

  it('UX-63 names a channel and its message count before deleting it', async () => {
    for (const body of ['One', 'Two']) await ann.send('message:send', { timelineId: plans, body });
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${plans}` });
    await message(page, 'Two').waitFor();
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByRole('button', { name: 'Delete #plans' }).click();
    await page.getByRole('dialog', { name: 'Delete #plans and its 2 messages?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { channels } = await opened();
    expect(channels.map(({ name }) => name)).to.include('plans');
  });

  it('UX-63 deletes a server only after its name is typed', async () => {
    const page = await reading(ann);
    await page.locator('button.server-menu').click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await page.getByRole('button', { name: 'Delete Place' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Place and all its messages?' });
    await question.getByText('all 2 members').waitFor();
    await question.getByRole('textbox').fill('Palace');
    await question.getByText('The name doesn’t match.').waitFor();
    await page.keyboard.press('Enter');
    expect((await opened()).channels).to.have.length(2);
    await question.getByRole('textbox').fill('Place');
    await question.getByRole('button', { name: 'Delete server' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await ann.expectError('server:open', { serverId })).code).to.equal('not_found');
  });

  it('A11Y-07 keeps the focus in a dialog, names it, and returns the focus to its opener', async () => {
    const page = await reading(ann);
    const opener = page.getByRole('button', { name: 'Channel settings' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /\w/ }).waitFor();
    const outside: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      await page.keyboard.press('Tab');
      const beyond = await page.evaluate(() => {
        const here = document.activeElement;
        // At the end of the cycle, the focus passes through the browser's own controls.
        return here === document.body || here?.closest('dialog[open]') ? '' : here?.outerHTML;
      });
      if (beyond) outside.push(beyond);
    }
    expect(outside).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await opener.and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('A11Y-08 names the people online and the open channel', async () => {
    const page = await reading(ann);
    const pane = page.getByRole('complementary', { name: 'Members' });
    const online = pane.locator('h2:has-text("Online") + ul').getByRole('listitem');
    await online.filter({ hasText: 'Ben' }).waitFor();
    const link = page.getByRole('link', { name: 'general' });
    expect(await link.getAttribute('aria-current')).to.equal('page');
  });

  it('A11Y-10 fits wider lines, words and letters: nothing is cut off or scrolls sideways', async () => {
    for (const width of firstAtLength([320, 1_280])) {
      const inside = await reading(ann, { width, height: 800 });
      const { page: outside } = await openBrowser(app, { width, height: 800 });
      await outside.getByLabel('Username').waitFor();
      for (const page of [inside, outside]) {
        await page.evaluate(spaceOut);
        await eventually(async () => expect(await page.evaluate(cutOff)).to.deep.equal([]));
      }
    }
  });

  it('A11Y-12 has the unread count in the channel’s name, without announcing it', async () => {
    const page = await reading(ann);
    for (const body of ['One', 'Two', 'Three'])
      await ben.send('message:send', { timelineId: plans, body });
    const link = page.getByRole('link', { name: 'plans, 3 unread', exact: true });
    await link.waitFor();
    const ben1 = page.getByRole('complementary', { name: 'Members' }).getByRole('button').first();
    for (const quiet of [link, ben1])
      expect(
        await quiet.evaluate(
          (element) => element.closest('[aria-live], [role=status], [role=alert]') === null,
        ),
      ).to.equal(true);
  });

  async function opened() {
    const entry = await ann.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error('a first visit brings everything');
    return entry.state;
  }
});

/** Runs in the page: applies the text spacing of WCAG 1.4.12. */
function spaceOut(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
     p { margin-bottom: 2em !important }`,
  );
  document.adoptedStyleSheets.push(sheet);
}

/** Runs in the page: texts that are cut off, except those with an intended ellipsis. */
function cutOff(): string[] {
  const seen = [...document.querySelectorAll('a, button, label, h1, h2, h3, p, time, textarea')];
  const cut = seen.filter((element) => {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
    const { width } = element.getBoundingClientRect();
    if (width <= 1 || !element.checkVisibility() || textOverflow === 'ellipsis') return false;
    return (
      (/hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
      (/hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 1)
    );
  });
  const sideways = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
  return [...sideways, ...cut.map((element) => element.outerHTML.slice(0, 200))];
}
