import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  choose,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
  say,
  serverAway,
} from '../support/browser.ts';
import { fillTimelines } from '../support/full.ts';
import { tap } from '../support/socket-tap.ts';
import { openPlace } from '../support/place.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';

const day = 86_400_000;
const family = '👨‍👩‍👧‍👦';

describe('details of reading', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let page: Page;
  let path: string;
  let timelineId: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const place = await openPlace(ann, ben);
    timelineId = place.channelId;
    path = `/s/${place.serverId}/${timelineId}`;
    const body = 'Word {position}';
    await fillTimelines(app, [timelineId], { authorId: ann.id, body, many: 100 });
    await query(
      app.db,
      `update messages set created_at = created_at - interval '3 days' where position <= 40`,
    );
    await ben.send('read:update', { timelineId, position: 100 });
    ({ page } = await openBrowser(app, { as: ben, path }));
    await composer(page).waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const picture = (name: string) => saveScreenshots(page, `reading-${name}`);
  const label = () => page.getByRole('button', { name: /^Jump to date, / });
  const colourOf = (position: number) =>
    page
      .locator(`article[data-position="${position}"]`)
      .evaluate((row) => getComputedStyle(row).backgroundColor);

  it('the day of the topmost message is shown while its own line is further up, and not at the end', async () => {
    await message(page, 'Word 100').waitFor();
    expect(await label().count()).to.equal(0);
    await message(page, 'Word 90').hover();
    await page.mouse.wheel(0, -600);
    await label().getByText('Today').waitFor();
    const then = new Intl.DateTimeFormat('en-GB', {
      ...{ weekday: 'long', day: 'numeric', month: 'long' },
    }).format(Date.now() - 3 * day);
    // Older messages load on the way, and a wheel turn before that ends where they are missing.
    await eventually(async () => {
      await page.mouse.wheel(0, -200);
      expect(await label().allTextContents()).to.deep.equal([then]);
    });
    await expectAccessible(page);
    await picture('day');
    await page.mouse.wheel(0, -5_000);
    await page.getByRole('heading', { name: 'The start of #general' }).waitFor();
    await label().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await label().waitFor({ state: 'detached' });
  });

  it('copying shows a confirmation for a moment', async () => {
    await choose(message(page, 'Word 100'), 'Copy link');
    await page.getByRole('status').getByText('Link copied').waitFor();
    await picture('copied');
    await page.getByText('Link copied').waitFor({ state: 'detached' });
  });

  it('a linked message is tinted for a moment, without a frame until a key is used', async () => {
    await page.goto(`${app.url}${path}/20`);
    const row = page.locator('article[data-position="20"]');
    await row.and(page.locator(':focus')).waitFor();
    const outline = () => row.evaluate((one) => getComputedStyle(one).outlineStyle);
    expect(await outline()).to.equal('none');
    await picture('led');
    const plain = await colourOf(18);
    expect(await colourOf(20)).to.not.equal(plain);
    await eventually(async () => expect(await row.getAttribute('class')).to.not.include('now'));
    expect(await outline()).to.equal('none');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await eventually(async () => expect(await outline()).to.equal('solid'));
  });

  it('a few emoji and nothing else are drawn large, whole families too; with words they are not', async () => {
    const size = (text: string) =>
      message(page, text)
        .last()
        .locator('.text')
        .evaluate((said) => getComputedStyle(said).fontSize);
    for (const large of [family, '👍🏽 ❤️ 🇳🇱', '🎉'.repeat(8)]) {
      await say(page, large);
      await message(page, large).last().waitFor();
      expect(await size(large), large).to.equal('32px');
    }
    for (const small of ['🎊'.repeat(9), 'Yes 🙃', '1234567', '**🦊**', '© ™']) {
      await say(page, small);
      const shown = small.replaceAll('*', '');
      await message(page, shown).last().waitFor();
      expect(await size(shown), small).to.equal('15px');
    }
    await expectAccessible(page);
    await picture('emoji');
  });

  it('a link to a message of this Parley shows its place, its author and its time', async () => {
    const first = page.locator('article[data-position="101"]');
    await page.goto(`${app.url}${path}`);
    await choose(first, 'Copy link');
    await page.getByRole('status').getByText('Link copied').waitFor();
    const short = await page.evaluate(() => navigator.clipboard.readText());
    expect(short.length).to.be.below(app.url.length + 55);
    await say(page, `Look at ${short} and ${app.url}${path}/20.`);
    await say(page, `[words](${short}) and ${app.url}/s/${timelineId}/${timelineId}/3`);
    const links = message(page, 'Look at').getByRole('link');
    await links.nth(1).getByText('Ann').waitFor();
    expect(await links.first().innerText()).to.match(/^general\s› Ben, \d\d:\d\d$/);
    expect(await links.nth(1).innerText()).to.match(/^general\s› Ann, .*, \d\d:\d\d$/);
    const others = message(page, 'words').last().getByRole('link');
    expect(await others.first().innerText()).to.equal('words');
    expect(await others.nth(1).innerText()).to.include(timelineId);
    await expectAccessible(page);
    await picture('chips');
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await picture('chips-390');
    await page.setViewportSize(size);
    await others.first().click();
    await first.and(page.locator(':focus')).waitFor();
    await page.goBack();
    await links.nth(1).click();
    await page.locator('article[data-position="20"]:focus').waitFor();
    expect(page.url()).to.equal(`${app.url}${path}/20`);
    await page.goto(short);
    await first.and(page.locator(':focus')).waitFor();
    expect(page.url()).to.equal(`${app.url}${path}/101`);
  });

  it('a link to a message is plain for people who may not see it, and named for those who may', async () => {
    const serverId = path.split('/')[2]!;
    const { channel } = await ann.send('channel:create', {
      ...{ serverId, name: 'plans', private: true },
    });
    await ann.send('message:send', { timelineId: channel.id, body: 'Nobody knows' });
    const address = `${app.url}/s/${serverId}/${channel.id}/1`;
    await ann.send('message:send', { timelineId, body: `Hidden ${address}` });
    const linkFor = async (as: Person) => {
      const window = await openBrowser(app, { as, path });
      return message(window.page, 'Hidden').getByRole('link');
    };
    const hers = await linkFor(ann);
    await hers.getByText(/^plans\s› Ann, \d\d:\d\d$/).waitFor();
    const his = await linkFor(ben);
    await his.waitFor();
    expect(await his.innerText()).to.equal(address);
  });

  it('linked messages are requested once, up to the limit for a message', async () => {
    const asked: string[] = [];
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        if (/"message:list".*"limit":1\b/.test(String(payload))) asked.push(String(payload));
      });
    });
    const links = Array.from({ length: 30 }, (_, i) => `${app.url}${path}/${i + 1}`);
    const { message: said } = await ann.send('message:send', { timelineId, body: links.join(' ') });
    await page.goto(app.url + path);
    const chips = page.locator(`article[data-position="${said.position}"]`).getByRole('link');
    await chips.getByText('Ann').nth(19).waitFor();
    // Further requests would have started by then.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(asked).to.have.length(20);
    expect(await chips.getByText('Ann').count()).to.equal(20);
  });

  it('a linked message is requested again over a new connection, after no request was answered', async () => {
    const { page, forgive } = await openBrowser(app, { as: ben, path: undefined });
    forgive(serverAway);
    const line = await tap(page);
    await page.clock.install();
    await page.goto(app.url + path);
    await composer(page).waitFor();
    const asked = line.delay(/"message:list".*"limit":1\b/);
    const body = `Again ${app.url}${path}/3`;
    await ann.send('message:send', { timelineId, body });
    await asked;
    await page.context().setOffline(true);
    // Each attempt waits for a connection, and after some attempts none is left.
    for (let tries = 0; tries < 4; tries += 1) await page.clock.runFor(6_000);
    line.lose();
    await page.context().setOffline(false);
    await message(page, 'Again').getByRole('link').getByText('Ann').waitFor();
  });

  it('the question before deleting shows what would be deleted', async () => {
    await say(page, `Of **this** I am not sure. ${'And so on. '.repeat(60)}`);
    await choose(message(page, 'Of this'), 'Delete');
    const question = page.getByRole('dialog', { name: 'Delete this message?' });
    const quote = question.getByText(/^Of this I am not sure\. And so on\./);
    expect((await quote.boundingBox())!.height).to.be.below(90);
    await expectAccessible(page);
    await picture('delete');
    await page.keyboard.press('Escape');
  });
});
