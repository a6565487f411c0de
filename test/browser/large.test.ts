import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';
import { addSilentMembers } from '../support/crowd.ts';
import type { Person } from '../support/person.ts';

describe('a large server, in a browser', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let path: string;

  before(async () => {
    app = await startSite({ PARLEY_LARGE_SERVER: '100', PARLEY_LOBBY: 'off' });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Crowd' });
    serverId = server.id;
    path = `/s/${serverId}/${server.defaultChannelId}`;
    await addSilentMembers(app, serverId, 118);
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await ben.send('message:send', { timelineId: server.defaultChannelId, body: 'Hello, all' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const pane = (page: Page) => page.getByRole('complementary', { name: 'Members' });
  const everyone = (page: Page) => pane(page).getByRole('region', { name: 'Everyone' });
  const names = (page: Page) => everyone(page).locator('bdi').allTextContents();

  it('shows its staff, the number of members, and all in pages', async () => {
    const { page } = await openBrowser(app, { as: ben, path });
    await pane(page).getByRole('heading', { name: 'Staff · 1' }).waitFor();
    await everyone(page).getByRole('heading', { name: 'Everyone · 120' }).waitFor();
    await everyone(page).getByText('2 online').waitFor();
    await everyone(page).getByText('1–50').waitFor();
    const first = await names(page);
    expect(first).to.have.length(50);
    await expectAccessible(page);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/large.png` });
    const next = everyone(page).getByRole('button', { name: 'Members after these' });
    // The second click comes before the page that the first one requests.
    await next.evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await everyone(page).getByText('51–100').waitFor();
    expect((await names(page)).filter((name) => first.includes(name))).to.deep.equal([]);
    await next.click();
    await everyone(page).getByText('101–120').waitFor();
    expect(await next.getAttribute('aria-disabled')).to.equal('true');
    const last = await names(page);
    expect(last).to.have.length(20);
    expect(last.filter((name) => first.includes(name))).to.deep.equal([]);
    await everyone(page).getByRole('button', { name: 'Members before these' }).click();
    await everyone(page).getByText('51–100').waitFor();
  });

  it('finds unlisted people by name', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('button', { name: 'Crowd', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Members' }).click();
    await dialog.getByText('100 of 120').waitFor();
    await dialog.getByRole('searchbox', { name: 'Find a member' }).fill('guest 117');
    await dialog.getByText('1 of 120').waitFor();
    expect(await dialog.getByRole('listitem').locator('bdi').allInnerTexts()).to.deep.equal([
      'Guest 117',
    ]);
    await expectAccessible(page);
  });

  it('refreshes the page of members that is shown, so that new members and statuses appear', async () => {
    const { page } = await openBrowser(app, { as: ann, path: undefined });
    await page.clock.install();
    await page.goto(app.url + path);
    const row = (status: string) =>
      everyone(page).getByRole('button', { name: /^Ben/ }).filter({ hasText: status });
    await everyone(page).getByText('2 online').waitFor();
    const late = await app.person('Late');
    const { invite } = await ann.send('invite:create', { serverId });
    await late.send('server:join', { code: invite.code });
    await ben.send('presence:set', { status: 'dnd' });
    // A count is reused for some seconds.
    app.pass(10_500);
    await page.clock.fastForward(31_000);
    await everyone(page).getByText('3 online').waitFor();
    await row('Do not disturb').waitFor();
  });

  it('shows on a card the role of a person outside its staff', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await composer(page).waitFor();
    await page.getByRole('article').getByRole('button', { name: 'Ben' }).click();
    const card = page.getByRole('dialog');
    await card.getByText(/^Member of Crowd since/).waitFor();
    const choose = async (name: string, item: string) => {
      await card.getByRole('button', { name: `More for ${name}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Ben', 'Change nickname');
    await card.getByLabel('Nickname').fill('Bosun');
    await page.keyboard.press('Enter');
    await card.getByText('Known as Ben elsewhere').waitFor();
    await choose('Bosun', 'Make moderator');
    await pane(page).getByRole('heading', { name: 'Staff · 2' }).waitFor();
    await choose('Bosun', 'Remove as moderator');
    await pane(page).getByRole('heading', { name: 'Staff · 1' }).waitFor();
    await card.getByText(/^Member of Crowd since/).waitFor();
    await choose('Bosun', 'Remove from server');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .last()
      .click();
    await page.getByText('No longer a member').waitFor();
  });

  it('says on a card which person its owner could be mistaken for, even if that person is not loaded', async () => {
    const { invite } = await ann.send('invite:create', { serverId });
    const timelineId = path.split('/')[3] ?? '';
    const join = async (name: string) => {
      const person = await app.person(name);
      await person.send('server:join', { code: invite.code });
      return person;
    };
    const alice = await join('Alice');
    for (const person of [await join('Аӏісе'), await join('Carl')])
      await person.send('message:send', { timelineId, body: 'It is me' });
    // On a phone, because the list of members beside the channel would have loaded her.
    const { page } = await openBrowser(app, { as: ann, path, width: 390, touch: true });
    await page.getByRole('article').getByRole('button', { name: 'Аӏісе' }).click();
    const card = page.getByRole('dialog');
    await card.getByText(`Not the same person as Alice (@${alice.user.username}).`).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('article').getByRole('button', { name: 'Carl' }).click();
    await card.getByText(/^Member of Crowd since/).waitFor();
    expect(await card.getByText('Not the same person').count()).to.equal(0);
  });

  it('no longer offers messages and friendship on the card of a person banned elsewhere', async () => {
    const dan = await app.person('Dan');
    const { invite } = await ann.send('invite:create', { serverId });
    await dan.send('server:join', { code: invite.code });
    await dan.send('message:send', { timelineId: path.split('/')[3] ?? '', body: 'Buy this' });
    const { page } = await openBrowser(app, { as: ann, path: undefined });
    await page.clock.install();
    await page.goto(app.url + path);
    await page.getByRole('article').getByRole('button', { name: 'Dan' }).click();
    const card = page.getByRole('dialog');
    await card.getByRole('button', { name: 'Message' }).waitFor();
    await ann.send('ban:create', { serverId, userId: dan.id, bots: false });
    await page.clock.fastForward(31_000);
    await card.getByText('No longer a member').waitFor();
    expect(await card.getByRole('button', { name: /Message|Add friend/ }).count()).to.equal(0);
  });
});
