import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, focused, message, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

const many = 150;

describe('reading on', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let timelineId: string;
  let path: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    const say = (at: number) => ann.send('message:send', { timelineId, body: `Word ${at}` });
    await Promise.all(Array.from({ length: many }, (_, at) => say(at)));
  });
  afterEach(closeWindows);
  after(() => app.close());

  const row = (page: Page, position: number) =>
    page.locator(`article[data-position="${position}"]`);
  const jump = (page: Page) => page.getByRole('button', { name: /jump to latest/i });
  const divider = (page: Page) => page.getByRole('separator', { name: 'New messages' });
  const firstNew = async (page: Page) => {
    await divider(page).waitFor();
    const article = page.locator('li', { has: divider(page) }).locator('article');
    return Number(await article.getAttribute('data-position'));
  };
  const benRead = (least: number) =>
    ben.waitFor('read', ({ timelines }) => (timelines[timelineId] ?? 0) >= least);

  it('continues after a reload at the last read message, and skipped ones stay new', async () => {
    const { page } = await openBrowser(app, { as: ben, path });
    expect(await firstNew(page)).to.equal(1);
    await page.locator('.scroller', { hasText: 'Word' }).hover();
    await page.mouse.wheel(0, 400);
    const { timelines } = await benRead(20);
    const to = timelines[timelineId] ?? 0;
    expect(to).to.be.below(many);
    await page.reload();
    expect(await firstNew(page)).to.be.at.least(to + 1);
    const skipped = await openBrowser(app, { as: ben, path: `${path}/${many - 40}` });
    await row(skipped.page, many - 40).waitFor();
    await skipped.page.goto(app.url + path);
    expect(await firstNew(skipped.page)).to.be.below(many - 60);
  });

  it('says that a linked message does not exist', async () => {
    const { page } = await openBrowser(app, { as: ben, path: `${path}/${many + 7}` });
    await page.getByRole('status').getByText('That message doesn’t exist.').waitFor();
    await message(page, `Word ${many - 1}`).waitFor();
  });

  it('moves the focus to the composer after the jump to the latest', async () => {
    const { page } = await openBrowser(app, { as: ben, path: `${path}/5` });
    await row(page, 5).and(page.locator(':focus')).waitFor();
    await jump(page).focus();
    await page.keyboard.press('Enter');
    await jump(page).waitFor({ state: 'detached' });
    expect(await focused(page)).to.equal('TEXTAREA');
    expect(await composer(page).evaluate((field) => field === document.activeElement)).to.be.true;
  });
});
