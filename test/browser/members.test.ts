import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
  say,
  type BrowserWindow,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('members, in two browsers', () => {
  let app: TestApp;
  let [ann, ben]: BrowserWindow[] = [];
  let people: Record<'ann' | 'ben' | 'cem', Person>;
  let path: string;
  let code: string;

  before(async () => {
    app = await startSite();
    people = {
      ann: await app.person('Ann'),
      ben: await app.person('Ben'),
      cem: await app.guest('Cem'),
    };
    const { server } = await people.ann.send('server:create', { name: 'Harbour' });
    const { invite } = await people.ann.send('invite:create', { serverId: server.id });
    code = invite.code;
    for (const person of [people.ben, people.cem]) await person.send('server:join', { code });
    path = `/s/${server.id}/${server.defaultChannelId}`;
    ann = await openBrowser(app, { as: people.ann, path });
    ben = await openBrowser(app, { as: people.ben, path, theme: 'dark' });
    for (const { page } of [ann, ben]) await composer(page).waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const page = (window: BrowserWindow | undefined): Page => window!.page;
  const dialog = (window: BrowserWindow | undefined) => page(window).getByRole('dialog');
  const pane = (window: BrowserWindow | undefined) =>
    page(window).getByRole('complementary', { name: 'Members' });
  const openCard = async (window: BrowserWindow | undefined, name: string | RegExp) => {
    await pane(window).getByRole('button', { name }).click();
    await dialog(window).waitFor();
  };
  const closeCard = async (window: BrowserWindow | undefined) => {
    await page(window).keyboard.press('Escape');
    await dialog(window).waitFor({ state: 'detached' });
  };

  /** Opens the menu of a row, and returns its items. */
  const more = async (window: BrowserWindow | undefined, name: string) => {
    await dialog(window)
      .getByRole('button', { name: `More for ${name}` })
      .click();
    const items = page(window).getByRole('menuitem');
    await items.first().waitFor();
    return items.allInnerTexts();
  };
  const choose = async (window: BrowserWindow | undefined, name: string, item: string) => {
    await more(window, name);
    await page(window).getByRole('menuitem', { name: item }).click();
  };
  const picture = async (window: BrowserWindow | undefined, name: string) => {
    if (!process.env.PICTURES) return;
    await page(window).waitForTimeout(200);
    await page(window).screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  /** Saves pictures in both themes and widths. */
  const pictures = async (window: BrowserWindow | undefined, name: string) => {
    if (!process.env.PICTURES) return;
    const size = page(window).viewportSize() ?? { width: 1280, height: 800 };
    for (const [colorScheme, width] of [
      ...([
        ['light', 1280],
        ['light', 390],
        ['dark', 390],
        ['dark', 1280],
      ] as const),
    ]) {
      await page(window).emulateMedia({ colorScheme });
      await page(window).setViewportSize({ width, height: 800 });
      await picture(window, `${name}-${width}-${colorScheme}`);
    }
    await page(window).setViewportSize(size);
  };

  const allow = 'Allow during do not disturb';

  it('a card identifies its person, and offers only what I may do', async () => {
    await say(page(ann), 'Welcome aboard');
    await message(page(ben), 'Welcome aboard').getByRole('button', { name: 'Ann' }).click();
    await dialog(ben)
      .getByText(/^Owner of Harbour since/)
      .waitFor();
    const handle = await dialog(ben).getByText(`@${people.ann.user.username}`).innerText();
    expect(handle).to.equal(`@${people.ann.user.username}`);
    expect(await dialog(ben).getByRole('button').allInnerTexts()).to.deep.equal([
      'Message',
      'Add friend',
      '',
    ]);
    expect(await more(ben, 'Ann')).to.deep.equal([allow, 'Block']);
    await expectAccessible(page(ben));
    await page(ben).keyboard.press('Escape');
    await closeCard(ben);
    await openCard(ann, /^Ben/);
    expect(await more(ann, 'Ben')).to.deep.equal([
      ...['Change nickname', 'Make moderator', 'Time out', 'Remove from server', 'Ban', allow],
      'Block',
    ]);
    await expectAccessible(page(ann));
    await picture(ann, 'card-menu');
  });

  it('a card opens beside the pressed picture or name, and closes by itself', async () => {
    await page(ann).keyboard.press('Escape');
    await closeCard(ann);
    const row = message(page(ben), 'Welcome aboard');
    const box = (await row.locator('.avatar').boundingBox())!;
    await page(ben).mouse.click(box.x + 10, box.y + 10);
    await dialog(ben).getByRole('button', { name: 'Message' }).waitFor();
    await picture(ben, 'card');
    const name = (await row.getByRole('button', { name: 'Ann' }).boundingBox())!;
    const card = (await dialog(ben).boundingBox())!;
    expect(card.x).to.be.within(name.x, name.x + name.width + 16);
    expect(card.y).to.be.at.most(name.y + 2);
    expect(await page(ben).locator('dialog:modal').count()).to.equal(0);
    await say(page(ann), 'And welcome again');
    await message(page(ben), 'And welcome again').waitFor();
    await composer(page(ben)).click({ position: { x: 10, y: 10 } });
    await dialog(ben).waitFor({ state: 'detached' });
    expect(await page(ben).locator(':focus').getAttribute('id')).to.equal('composer');
    await row.getByRole('button', { name: 'Ann' }).click();
    await dialog(ben).waitFor();
    await pane(ben).getByRole('button', { name: /^Cem/ }).click();
    await dialog(ben).getByRole('heading', { name: 'Cem' }).waitFor();
    expect(await dialog(ben).count()).to.equal(1);
    await page(ben).goBack();
    await dialog(ben).waitFor({ state: 'detached' });
    await composer(page(ben)).waitFor();
  });

  it('a nickname is seen by everyone at once, and so is a role', async () => {
    await openCard(ann, /^Ben/);
    await choose(ann, 'Ben', 'Change nickname');
    await dialog(ann).getByLabel('Nickname').fill('Bosun');
    await expectAccessible(page(ann));
    await page(ann).keyboard.press('Enter');
    await dialog(ann).getByText('Known as Ben elsewhere').waitFor();
    // The focused element is gone. The card has the focus, so that Esc closes it.
    const inCard = () => dialog(ann).evaluate((card) => card.contains(document.activeElement));
    await eventually(async () => expect(await inCard()).to.equal(true));
    await pane(ben)
      .getByRole('button', { name: /^Bosun/ })
      .waitFor();
    await choose(ann, 'Bosun', 'Make moderator');
    await pane(ben)
      .getByRole('button', { name: /^Bosun Moderator/ })
      .waitFor();
    await closeCard(ann);
    await openCard(ben, /^Cem/);
    expect(await more(ben, 'Cem')).to.deep.equal([
      ...['Change nickname', 'Time out', 'Remove from server', 'Ban', allow, 'Block'],
    ]);
    await page(ben).keyboard.press('Escape');
    await closeCard(ben);
  });

  it('a moderator who bans also deletes recent messages, for everyone at once', async () => {
    const [, , serverId = '', timelineId = ''] = path.split('/');
    const { cem } = people;
    await cem.send('message:send', { timelineId, body: 'Buy this, and this' });
    await message(page(ann), 'Buy this').waitFor();
    await openCard(ben, /^Cem/);
    await choose(ben, 'Cem', 'Ban');
    const question = page(ben).getByRole('dialog', { name: /^Ban Cem/ });
    await question.getByLabel('Delete messages').selectOption('Last hour');
    await expectAccessible(page(ben));
    await pictures(ben, 'ban-purge');
    await question.getByRole('button', { name: 'Ban' }).click();
    app.pass(1_000);
    await message(page(ann), 'Deleted by Bosun').waitFor();
    await message(page(ben), 'You deleted this message').waitFor();
    await closeCard(ben);
    await people.ben.send('ban:delete', { serverId, userId: cem.id });
    await cem.send('server:join', { code });
  });

  it('a moderator bans for a reason and a time, sees the ban in the settings, and lifts it or sees it end', async () => {
    await openCard(ben, /^Cem/);
    await choose(ben, 'Cem', 'Ban');
    const question = page(ben).getByRole('dialog', { name: /^Ban Cem/ });
    await question.getByRole('button', { name: 'Cancel' }).waitFor();
    await question.getByText('until you unban them.').waitFor();
    await question.getByLabel('Duration').selectOption('7 days');
    await question.getByText('can’t rejoin for 7 days').waitFor();
    await question.getByLabel('Reason').fill('x'.repeat(201));
    await question.getByText('Use at most 200 characters.').waitFor();
    await question.getByRole('button', { name: 'Ban' }).click({ force: true });
    expect(await pane(ben).getByRole('button', { name: /^Cem/ }).count()).to.equal(1);
    await question.getByLabel('Reason').fill('Advertising in every channel');
    await expectAccessible(page(ben));
    await pictures(ben, 'ban');
    await question.getByRole('button', { name: 'Ban' }).click();
    await pane(ann).getByRole('button', { name: /^Cem/ }).waitFor({ state: 'detached' });
    await dialog(ben).getByText('No longer a member').waitFor();
    await closeCard(ben);
    expect((await people.cem.expectError('server:join', { code })).code).to.equal('not_found');
    await page(ben).getByRole('button', { name: 'Harbour', exact: true }).first().click();
    await page(ben).getByRole('menuitem', { name: 'Server settings' }).click();
    await dialog(ben).getByRole('button', { name: 'Bans' }).click();
    await dialog(ben).getByRole('button', { name: 'Unban Cem' }).waitFor();
    await dialog(ben).getByText('Advertising in every channel').waitFor();
    await dialog(ben)
      .getByText(/^Ends /)
      .waitFor();
    await expectAccessible(page(ben));
    await pictures(ben, 'bans');
    await dialog(ben).getByRole('button', { name: 'Unban Cem' }).click();
    await page(ben)
      .getByRole('dialog', { name: /^Unban/ })
      .getByRole('button', { name: 'Unban' })
      .click();
    await dialog(ben).getByText('No one is banned.').waitFor();
    await people.cem.send('server:join', { code });
    await dialog(ben).getByRole('button', { name: 'Members' }).click();
    await dialog(ben).getByLabel('Find a member').waitFor();
    // On a slow machine, the ban has ended before it is shown: only its end counts.
    const serverId = path.split('/')[2] ?? '';
    await people.ben.send('ban:create', { serverId, userId: people.cem.id, seconds: 4 });
    await dialog(ben).getByRole('button', { name: 'Bans' }).click();
    await dialog(ben)
      .getByRole('button', { name: 'Unban Cem' })
      .or(dialog(ben).getByText('No one is banned.'))
      .waitFor();
    await dialog(ben).getByText('No one is banned.').waitFor();
    await people.cem.send('server:join', { code });
    await dialog(ben).getByRole('button', { name: 'Members' }).click();
    await dialog(ben).getByLabel('Find a member').fill('cém');
    await dialog(ben).getByRole('button', { name: /^Cem/ }).waitFor();
    await dialog(ben).getByText('1 of 3').waitFor();
    await expectAccessible(page(ben));
    // The first Esc empties the search field.
    await page(ben).keyboard.press('Escape');
    await closeCard(ben);
  });

  it('UX-64 a removed person is out at once, with the reason, and keeps the draft', async () => {
    await composer(page(ben)).fill('half a thought');
    await openCard(ann, /^Bosun/);
    await choose(ann, 'Bosun', 'Remove from server');
    await page(ann)
      .getByRole('dialog', { name: /^Remove Bosun/ })
      .getByRole('button', { name: 'Remove from server' })
      .click();
    await page(ben).getByText('You were removed from Harbour.').waitFor();
    await page(ben).getByRole('button', { name: /Copy/ }).click();
    expect(await page(ben).evaluate(() => navigator.clipboard.readText())).to.equal(
      'half a thought',
    );
    expect(await page(ben).getByText('Welcome aboard').count()).to.equal(0);
    await closeCard(ann);
  });
});
