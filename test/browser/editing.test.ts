import { expect } from 'chai';
import type { Page } from 'playwright-core';
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
  texts,
} from '../support/browser.ts';
import { tap } from '../support/socket-tap.ts';
import type { Person } from '../support/person.ts';

const timeoutMs = 5_000;

describe('editing', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let messageId: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    await ann.send('channel:create', { serverId, name: 'garden' });
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    const sent = await ben.send('message:send', { timelineId: general, body: 'A frist word' });
    messageId = sent.message.id;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const editor = (page: Page) => page.getByRole('textbox', { name: 'Edit message' });
  const edited = (page: Page, text: string) =>
    message(page, new RegExp(`${text}\\s*\\(edited \\d\\d:\\d\\d\\)`));
  const go = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name }).click();
  const stored = async () =>
    (await ben.send('message:list', { timelineId: general })).messages.map(({ body }) => body);

  async function editing() {
    const window = await openBrowser(app, { as: ben, path: undefined });
    const line = await tap(window.page);
    await window.page.clock.install();
    await window.page.goto(`${app.url}/s/${serverId}/${general}`);
    await message(window.page, 'A frist word').waitFor();
    await composer(window.page).press('ArrowUp');
    await editor(window.page).waitFor();
    return { ...window, line };
  }

  it('UX-41 marks the message as edited, with the time', async () => {
    const { page } = await editing();
    await editor(page).fill('A first word');
    await editor(page).press('Enter');
    await edited(page, 'A first word').waitFor();
    await page.locator('#composer:focus').waitFor();
    expect(await stored()).to.deep.equal(['A first word']);
  });

  it('UX-41 asks whether to delete an emptied message', async () => {
    const { page } = await editing();
    await editor(page).fill(' ');
    await editor(page).press('Enter');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await texts(page)).to.deep.equal(['A frist word']);
    await composer(page).press('ArrowUp');
    expect(await editor(page).inputValue()).to.equal('A frist word');
    await editor(page).fill('');
    await editor(page).press('Enter');
    await page.getByRole('button', { name: 'Delete message' }).click();
    await messages(page).waitFor({ state: 'detached' });
    expect(await stored()).to.deep.equal(['']);
  });

  it('UX-49 deletes at once with Shift, asks without, and keeps the message on failure', async () => {
    const { page, line } = await editing();
    await editor(page).press('Escape');
    line.cut();
    await choose(message(page, 'A frist word'), 'Delete');
    await page.getByRole('button', { name: 'Delete message' }).click();
    await page.clock.fastForward(timeoutMs);
    await page.getByRole('dialog').getByText('No connection to the server.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await texts(page)).to.deep.equal(['A frist word']);
    await choose(message(page, 'A frist word'), 'Delete', { modifiers: ['Shift'] });
    await messages(page).waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('says who deleted another’s message, live and after a reload', async () => {
    const path = `/s/${serverId}/${general}`;
    const { page: anns } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    await message(bens, 'A frist word').waitFor();
    await ann.send('message:delete', { messageId });
    const row = message(bens, 'Deleted by Ann');
    await row.waitFor();
    expect(await row.getAttribute('aria-label')).to.match(/^Deleted by Ann, \d\d:\d\d$/);
    await expectAccessible(bens);
    await message(anns, 'You deleted this message').waitFor();
    await bens.reload();
    await row.waitFor();
  });

  it('UX-41 keeps text that cannot be saved, says why, and saves it later', async () => {
    const { page, line } = await editing();
    line.cut();
    await editor(page).fill('A first word');
    await editor(page).press('Enter');
    await page.clock.fastForward(timeoutMs);
    await page.getByRole('alert').getByText('No connection to the server. Try again.').waitFor();
    expect(await editor(page).inputValue()).to.equal('A first word');
    await editor(page).press('Enter');
    await edited(page, 'A first word').waitFor();
    expect(await stored()).to.deep.equal(['A first word']);
  });

  it('UX-41 warns of another edit, and overwrites it only on request', async () => {
    const { page } = await editing();
    await editor(page).fill('Mine');
    await ben.send('message:edit', { messageId, body: 'Theirs' });
    await page.getByRole('alert').getByText('edited elsewhere').getByText('Theirs').waitFor();
    expect(await editor(page).inputValue()).to.equal('Mine');
    await expectAccessible(page);
    await editor(page).press('Enter');
    await page.getByRole('button', { name: 'Keep mine' }).and(page.locator(':focus')).waitFor();
    expect(await stored()).to.deep.equal(['Theirs']);
    await page.keyboard.press('Enter');
    await edited(page, 'Mine').waitFor();
    expect(await stored()).to.deep.equal(['Mine']);
  });

  it('UX-41 can use the other version instead', async () => {
    const { page } = await editing();
    await editor(page).fill('Mine');
    await ben.send('message:edit', { messageId, body: 'Theirs' });
    await page.getByRole('button', { name: 'Use the other version' }).click();
    await page.getByText('edited elsewhere').waitFor({ state: 'detached' });
    expect(await editor(page).inputValue()).to.equal('Theirs');
    await editor(page).press('End');
    await editor(page).pressSequentially(' and mine');
    await editor(page).press('Enter');
    await edited(page, 'Theirs and mine').waitFor();
  });

  it('UX-41 does not overwrite an edit not yet received', async () => {
    const { page, line } = await editing();
    line.hold();
    await ben.send('message:edit', { messageId, body: 'Theirs' });
    await editor(page).fill('Mine');
    await editor(page).press('Enter');
    await eventually(async () => expect(await stored()).to.deep.equal(['Theirs']));
    line.letGo();
    await page.getByRole('alert').getByText('Theirs').waitFor();
    expect(await editor(page).inputValue()).to.equal('Mine');
    expect(await stored()).to.deep.equal(['Theirs']);
  });

  it('UX-41 continues after a visit elsewhere and a reload, until cancelled', async () => {
    const { page } = await editing();
    await editor(page).fill('A first word, I me');
    await go(page, 'garden');
    await page.getByRole('heading', { level: 1, name: 'garden' }).waitFor();
    await go(page, 'general');
    expect(await editor(page).inputValue()).to.equal('A first word, I me');
    await ben.send('message:edit', { messageId, body: 'Theirs' });
    await page.reload();
    await page.getByRole('alert').getByText('Theirs').waitFor();
    expect(await editor(page).inputValue()).to.equal('A first word, I me');
    await editor(page).press('Escape');
    await editor(page).waitFor({ state: 'detached' });
    await page.reload();
    await edited(page, 'Theirs').waitFor();
    expect(await editor(page).count()).to.equal(0);
  });

  it('UX-41 offers to copy the text if the message is deleted meanwhile', async () => {
    const { page } = await editing();
    await editor(page).fill('Much better words');
    await ann.send('message:delete', { messageId });
    await page.getByRole('status').getByText('was deleted').waitFor();
    await page.locator('#composer:focus').waitFor();
    await page.getByRole('button', { name: 'Copy draft' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal('Much better words');
  });
});
