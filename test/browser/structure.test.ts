import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  messages,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('the structure of a page', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let arabic: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('ليلى حداد')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    const { channel } = await ann.send('channel:create', { serverId, name: 'مكتب-عمّان' });
    arabic = channel.id;
    for (const body of ['One', 'Two', 'Three']) await says(ann, body);
    await says(ben, 'صباح الخير! هل يمكننا تأجيل النشر؟');
    await says(ann, 'Four');
  });
  afterEach(closeWindows);
  after(() => app.close());

  const says = (person: Person, body: string) =>
    person.send('message:send', { timelineId: general, body });
  const at = (channelId: string) => `/s/${serverId}/${channelId}`;
  const reading = async (looks = {}) => {
    const { page } = await openBrowser(app, { as: ann, path: at(general), ...looks });
    await message(page, 'Four').first().waitFor();
    return page;
  };

  it('A11Y-02 has landmarks and one heading: the channel', async () => {
    const page = await reading();
    for (const name of ['Servers', 'Channels'])
      expect(await page.getByRole('navigation', { name }).count(), name).to.equal(1);
    expect(await page.getByRole('main').count()).to.equal(1);
    expect(await page.getByRole('complementary', { name: 'Members' }).count()).to.equal(1);
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).to.deep.equal([
      'general',
    ]);
    expect(await page.getByRole('main').locator('#composer').count()).to.equal(1);
  });

  it('A11Y-03 has messages as named articles in a labelled list, which is no log', async () => {
    const page = await reading();
    const list = page.getByRole('region', { name: 'Messages in #general' }).locator('ol');
    const rows = list.locator('> li > article');
    expect(await rows.count()).to.be.at.least(5);
    expect(await rows.first().getAttribute('aria-label')).to.match(/^Ann, One, \d\d:\d\d$/);
    expect(await page.getByRole('log').count()).to.equal(0);
  });

  it('A11Y-06 keeps the focused element in view at every Tab stop', async () => {
    const page = await reading();
    const covered: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      await page.keyboard.press('Tab');
      const hidden = await page.evaluate(() => {
        const here = document.activeElement;
        if (here === null || here === document.body) return undefined;
        const { left, top, width, height } = here.getBoundingClientRect();
        const seen = [0.15, 0.5, 0.85].some((part) => {
          const there = document.elementFromPoint(left + width * part, top + height / 2);
          return there !== null && (here.contains(there) || there.contains(here));
        });
        return seen ? undefined : here.outerHTML.slice(0, 120);
      });
      if (hidden !== undefined) covered.push(hidden);
    }
    expect(covered).to.deep.equal([]);
  });

  it('A11Y-06 lets a password manager fill the form, and people paste', async () => {
    const { page } = await openBrowser(app);
    await page.getByLabel('Username').waitFor();
    const fillsIn = (label: string) =>
      page.getByLabel(label, { exact: true }).getAttribute('autocomplete');
    expect(await fillsIn('Username')).to.equal('username');
    expect(await fillsIn('Password')).to.equal('current-password');
    await page.evaluate(() => navigator.clipboard.writeText('pasted by a manager'));
    await page.getByLabel('Password', { exact: true }).focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).to.equal(
      'pasted by a manager',
    );
    await page.getByRole('tab', { name: 'Register' }).click();
    expect(await fillsIn('Password')).to.equal('new-password');
  });

  it('A11Y-09 respects reduced motion and forced colours', async () => {
    const page = await reading();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')].flatMap((element) => {
        const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(element);
        const seconds = [transitionDuration, animationDuration].flatMap((text) => text.split(','));
        return seconds.some((text) => parseFloat(text) > 0.001) || scrollBehavior === 'smooth'
          ? [element.outerHTML.slice(0, 120)]
          : [];
      }),
    );
    expect(moving).to.deep.equal([]);
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page);
  });

  it('A11Y-11 declares its language, and gives each text its own direction', async () => {
    const page = await reading();
    expect(await page.locator('html').getAttribute('lang')).to.equal('en');
    const direction = (element: Element) => getComputedStyle(element).direction;
    expect(await message(page, 'صباح الخير').locator('p[dir]').evaluate(direction)).to.equal('rtl');
    expect(await message(page, 'Four').locator('p[dir]').first().evaluate(direction)).to.equal(
      'ltr',
    );
    const names = page.locator('bdi', { hasText: /^(مكتب-عمّان|ليلى حداد)$/ });
    expect(await names.count()).to.be.at.least(2);
    for (const name of await names.all()) expect(await name.evaluate(direction)).to.equal('rtl');
  });

  it('UX-30 groups a person’s messages under one name', async () => {
    const page = await reading();
    const named = (text: string) =>
      message(page, text).first().getByRole('button', { name: 'Ann', exact: true }).count();
    expect([await named('One'), await named('Two'), await named('Three')]).to.deep.equal([1, 0, 0]);
    expect(await named('Four')).to.equal(1);
  });

  it('UX-31 shows the time of every message, in full on demand', async () => {
    const page = await reading();
    for (const row of await messages(page).all()) {
      const time = row.locator('time').first();
      const stated = new Date((await time.getAttribute('datetime')) ?? '').getTime();
      expect(stated).to.be.within(Date.now() - 600_000, Date.now());
      expect(await time.getAttribute('title')).to.match(/\d{4}.*\d\d:\d\d/);
    }
  });

  it('UX-57 has an address for each place, for Back, Forward and reload', async () => {
    const page = await reading();
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('navigation', { name: 'Channels' }).getByText('مكتب-عمّان').click();
    await heading('مكتب-عمّان');
    expect(new URL(page.url()).pathname).to.equal(at(arabic));
    await page.goBack();
    await heading('general');
    await page.goForward();
    await heading('مكتب-عمّان');
    await page.reload();
    await heading('مكتب-عمّان');
  });

  it('UX-57 is the same for a forbidden place and a missing one', async () => {
    const { server } = await ann.send('server:create', { name: 'Hers alone' });
    const texts: string[] = [];
    for (const id of [server.id, '01900000-0000-7000-8000-000000000000']) {
      const { page } = await openBrowser(app, { as: ben, path: `/s/${id}` });
      await page.getByText('This page isn’t available').waitFor();
      texts.push(await page.getByRole('main').innerText());
    }
    expect(texts[0]).to.equal(texts[1]);
  });

  it('UX-68 shows one pane at a time on a phone, with a back link and text that needs no zoom', async () => {
    const page = await reading({ width: 390, height: 844, touch: true });
    expect(await page.getByRole('navigation', { name: 'Channels' }).count()).to.equal(0);
    await expectBottom(page);
    await page.setViewportSize({ width: 390, height: 420 });
    await expectBottom(page);
    expect(
      await composer(page).evaluate((field) => parseFloat(getComputedStyle(field).fontSize)),
    ).to.be.at.least(16);
    await page.getByRole('link', { name: /^Back to/ }).click();
    await page.getByRole('navigation', { name: 'Channels' }).waitFor();
    expect(await composer(page).count()).to.equal(0);
  });

  async function expectBottom(page: Page) {
    await eventually(async () => {
      const { y, height } = (await composer(page).boundingBox())!;
      const bottom = page.viewportSize()!.height;
      expect(y + height).to.be.within(bottom - 60, bottom);
    });
  }
});
