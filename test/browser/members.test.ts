/** Managing people: what the owner does to others is seen by everyone at once, and ends what it ends. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  message,
  openBrowser,
  say,
  type Window,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('members, in two browsers', () => {
  let app: TestApp;
  let [ann, ben]: Window[] = [];
  let people: Record<'ann' | 'ben' | 'cem', Person>;
  let path: string;
  let code: string;

  before(async () => {
    app = await startApp();
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

  const page = (window: Window | undefined): Page => window!.page;
  const dialog = (window: Window | undefined) => page(window).getByRole('dialog');
  const pane = (window: Window | undefined) =>
    page(window).getByRole('complementary', { name: 'Members' });
  const openCard = async (window: Window | undefined, name: string | RegExp) => {
    await pane(window).getByRole('button', { name }).click();
    await dialog(window).waitFor();
  };
  const closeCard = async (window: Window | undefined) => {
    await page(window).keyboard.press('Escape');
    await dialog(window).waitFor({ state: 'detached' });
  };

  it('a card says who somebody is, and offers only what I may do', async () => {
    await say(page(ann), 'Welcome aboard');
    await message(page(ben), 'Welcome aboard').getByRole('button', { name: 'Ann' }).click();
    await dialog(ben)
      .getByText(/^Owner of Harbour since/)
      .waitFor();
    expect(await dialog(ben).getByRole('button').allInnerTexts()).to.deep.equal([
      '',
      'Message',
      'Add friend',
      'Block',
    ]);
    await expectAccessible(page(ben));
    await closeCard(ben);
    await openCard(ann, /^Ben/);
    for (const name of ['Make moderator', 'Transfer ownership', 'Remove', 'Ban'])
      await dialog(ann).getByRole('button', { name }).waitFor();
    await expectAccessible(page(ann));
    if (process.env.PICTURES) {
      await page(ann).waitForTimeout(200);
      await page(ann).screenshot({ path: `${process.env.PICTURES}/card.png` });
    }
  });

  it('a nickname is seen by everyone at once, and so is a role', async () => {
    await dialog(ann).getByLabel('Nickname').fill('Bosun');
    await page(ann).keyboard.press('Enter');
    await dialog(ann).getByText('Known as Ben elsewhere').waitFor();
    await pane(ben)
      .getByRole('button', { name: /^Bosun/ })
      .waitFor();
    await dialog(ann).getByRole('button', { name: 'Make moderator' }).click();
    await pane(ben)
      .getByRole('button', { name: /^Bosun Moderator/ })
      .waitFor();
    await closeCard(ann);
    await openCard(ben, /^Cem/);
    expect(await dialog(ben).getByRole('button', { name: 'Remove from server' }).count()).to.equal(
      1,
    );
    expect(await dialog(ben).getByRole('button', { name: 'Make moderator' }).count()).to.equal(0);
    await closeCard(ben);
  });

  it('a moderator bans, sees it in the settings, and lifts it again', async () => {
    await openCard(ben, /^Cem/);
    await dialog(ben).getByRole('button', { name: 'Ban' }).click();
    await page(ben).getByRole('button', { name: 'Cancel' }).waitFor();
    await page(ben)
      .getByRole('dialog', { name: /^Ban Cem/ })
      .getByRole('button', { name: 'Ban' })
      .click();
    await pane(ann).getByRole('button', { name: /^Cem/ }).waitFor({ state: 'detached' });
    await dialog(ben).getByText('No longer a member').waitFor();
    await closeCard(ben);
    expect((await people.cem.fails('server:join', { code })).code).to.equal('not_found');
    await page(ben).getByRole('button', { name: 'Harbour', exact: true }).first().click();
    await page(ben).getByRole('menuitem', { name: 'Server settings' }).click();
    await dialog(ben).getByRole('button', { name: 'Bans' }).click();
    await dialog(ben).getByRole('button', { name: 'Unban Cem' }).waitFor();
    await expectAccessible(page(ben));
    await dialog(ben).getByRole('button', { name: 'Unban Cem' }).click();
    await page(ben)
      .getByRole('dialog', { name: /^Unban/ })
      .getByRole('button', { name: 'Unban' })
      .click();
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

  it('UX-64 who is removed is out at once, with the reason, and keeps what they were writing', async () => {
    await composer(page(ben)).fill('half a thought');
    await openCard(ann, /^Bosun/);
    await dialog(ann).getByRole('button', { name: 'Remove from server' }).click();
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
