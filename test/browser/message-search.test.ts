import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { picture as picturesOf } from '../support/pictures.ts';
import { openPlace } from '../support/place.ts';

describe('search for messages in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let roof: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { serverId, channelId } = await openPlace(ann, ben);
    path = `/s/${serverId}/${channelId}`;
    const made = await ann.send('channel:create', { serverId, name: 'roof' });
    roof = made.channel.id;
    const say = (by: Person, timelineId: string, body: string) =>
      by.send('message:send', { timelineId, body });
    await say(ann, channelId, 'Does anyone know a good café near here?');
    for (let i = 0; i < 40; i += 1) await say(ben, channelId, `Line ${i}\n\nand more of it`);
    await say(ben, roof, 'Before the one about coffee');
    await say(ann, roof, 'The **CAFE** on the roof opens at nine 🎉');
    await say(ben, roof, 'Good, see you there');
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('lists my mentions in all places, from Ctrl+K and back by keys alone', async () => {
    await ann.send('message:send', { timelineId: roof, body: `Ask <@${ben.id}> about the roof` });
    const { page } = await openBrowser(app, { as: ben, path });
    await composer(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Jump to' }).fill('mentions');
    await page.getByRole('option', { name: 'Mentions of you' }).waitFor();
    await page.keyboard.press('Enter');
    const hits = page.getByRole('list', { name: 'Mentions' }).getByRole('link');
    await page.getByText('about the roof').waitFor();
    expect(await hits.count()).to.equal(1);
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/${roof}/4$`));
    await message(page, /about the roof/).waitFor();
  });

  const see = async (looks: object = {}) => {
    const { page } = await openBrowser(app, { as: ben, path, ...looks });
    await composer(page).waitFor();
    return page;
  };
  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/search-${name}.png` });
  };
  const pane = (page: Page) => page.getByRole('complementary', { name: 'Search messages' });
  const field = (page: Page) => pane(page).getByRole('combobox', { name: 'Search messages' });
  const hits = (page: Page) => pane(page).getByRole('listitem');
  const jump = async (page: Page, typed: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Jump to/ }).fill(typed);
  };
  const isOnHit = (page: Page) =>
    page.waitForFunction(() => document.activeElement?.matches('[data-hit]'));

  it('goes from Ctrl+K to a hit and comes back, by keys alone', async () => {
    const page = await see();
    await jump(page, 'cafe');
    await page.getByRole('option', { name: /Search messages for “cafe”/ }).waitFor();
    await page.keyboard.press('Enter');
    await hits(page).nth(1).waitFor();
    expect(await hits(page).allTextContents()).to.have.length(2);
    expect(await hits(page).nth(0).textContent()).to.match(
      /#roof.*Ben: Before the one.*Ann.*CAFE on the roof.*Ben: Good/s,
    );
    expect(await pane(page).locator('mark').allTextContents()).to.deep.equal(['CAFE', 'café']);
    await pane(page).getByText('2 results').waitFor();
    await expectAccessible(page);
    await picture(page, '1280-light');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('[data-position="1"]'));
    await page.keyboard.press('Escape');
    await isOnHit(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.contain(
      'anyone know',
    );
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'roof' }).waitFor();
    await message(page, 'The CAFE on the roof').waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('[data-position="2"]'));
    await page.keyboard.press('Escape');
    await isOnHit(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await pane(page).waitFor({ state: 'detached' });
  });

  it('shows the picture of a result, and suggests quotes if a filter finds nothing', async () => {
    const file = await upload(ann, roof, await picturesOf(400, 300).png().toBuffer(), 'crane.png');
    await ann.send('message:send', { timelineId: roof, files: [{ id: file.id, alt: 'A crane' }] });
    const page = await see();
    await jump(page, 'has:image');
    await page.getByRole('option', { name: /Search messages for “has:image”/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await pane(page).getByRole('option').count(), 'over the results').to.equal(0);
    const shown = hits(page).getByRole('img', { name: 'A crane' });
    await shown.waitFor();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('[data-hit] img')?.naturalWidth ?? 0) > 0,
    );
    await expectAccessible(page);
    await picture(page, 'has-image');
    await field(page).fill('in:progress');
    await field(page).press('Enter');
    await pane(page)
      .getByText('To find those words themselves, use quotes: "in:progress"')
      .waitFor();
    await ann.send('message:send', { timelineId: roof, body: 'It is in:progress now' });
    await field(page).fill('"in:progress"');
    await field(page).press('Enter');
    await hits(page).getByText('It is in:progress now').waitFor();
  });

  it('offers filters and their values while typing', async () => {
    const page = await see();
    await jump(page, '');
    await page.getByRole('option', { name: 'Search messages' }).click();
    await field(page).waitFor();
    await pane(page)
      .getByRole('option', { name: /^from:/ })
      .waitFor();
    await expectAccessible(page);
    await picture(page, '1280-filters');
    await field(page).pressSequentially('fr');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await pane(page).getByRole('option', { name: /^Ann/ }).waitFor();
    await field(page).pressSequentially('an');
    await page.keyboard.press('Enter');
    expect(await field(page).inputValue()).to.equal(`from:${ann.user.username} `);
    await hits(page).nth(1).waitFor();
    await field(page).pressSequentially('in:ro');
    await pane(page).getByRole('option', { name: /^roof/ }).click();
    expect(await field(page).inputValue()).to.equal(`from:${ann.user.username} in:roof `);
    await pane(page).getByText('1 result').waitFor();
    await field(page).fill('has:te');
    await pane(page).getByRole('alert').getByText('has: takes link').waitFor();
    await field(page).fill('nothing like that');
    await pane(page).getByText('No messages found for “nothing like that”.').waitFor();
    await expectAccessible(page);
  });

  it('filters by days of the local time zone', async () => {
    const page = await see();
    await jump(page, 'nobody');
    await page.keyboard.press('Enter');
    await field(page).fill('cafe before:');
    await pane(page).getByRole('option', { name: /Today/ }).click();
    await pane(page)
      .getByText(/^No messages found/)
      .waitFor();
    await field(page).fill('cafe after:');
    await pane(page)
      .getByRole('option', { name: /Yesterday/ })
      .click();
    await pane(page).getByText('2 results').waitFor();
  });

  it('loads older results on scrolling, and shows the best first on request', async () => {
    const page = await see({ theme: 'dark' });
    await jump(page, 'line more');
    await page.getByRole('option', { name: /Search messages for/ }).click();
    await pane(page).getByText('At least 40 results').waitFor();
    await hits(page).nth(24).scrollIntoViewIfNeeded();
    await hits(page).nth(39).waitFor();
    await pane(page).getByText('40 results', { exact: true }).waitFor();
    await pane(page).getByRole('button', { name: 'Best match' }).click();
    await pane(page).getByRole('button', { name: 'Best match', pressed: true }).waitFor();
    await hits(page).nth(24).waitFor();
    await picture(page, '1280-dark');
    await pane(page).getByRole('button', { name: 'Close search' }).click();
    await pane(page).waitFor({ state: 'detached' });
  });

  it('is a page on a phone, which a result closes and a tap reopens', async () => {
    const page = await see({ width: 390, height: 844, touch: true });
    await jump(page, 'cafe');
    await page.getByRole('option', { name: /Search messages for/ }).tap();
    await hits(page).nth(1).waitFor();
    await expectAccessible(page);
    await picture(page, '390-light');
    await hits(page).nth(0).getByRole('link').tap();
    await message(page, 'The CAFE on the roof').waitFor();
    expect(await pane(page).count()).to.equal(0);
    await picture(page, '390-aside');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Search results' }).tap();
    await hits(page).nth(1).waitFor();
    await page.goBack();
    await pane(page).waitFor({ state: 'detached' });
    await message(page, 'The CAFE on the roof').waitFor();
  });
});
