import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('jumping to a date', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let channelId: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off', PARLEY_RATE_SCALE: '100' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const place = await openPlace(ann, ben);
    channelId = place.channelId;
    path = `/s/${place.serverId}/${channelId}`;
    for (let i = 1; i <= 120; i += 1)
      await ann.send('message:send', {
        timelineId: channelId,
        body: `Line ${String(i).padStart(3, '0')}`,
      });
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const spread = () =>
    query(
      app.db,
      `update messages set created_at = timestamptz '2026-05-01 12:00Z' + (position - 1) / 10 * interval '1 day'
       where timeline_id = $1`,
      [channelId],
    );

  it('by the keyboard leads to the first message of that day, or says that there is none', async () => {
    await spread();
    // Ann has read all of it, so no new message leads elsewhere.
    const { page } = await openBrowser(app, { as: ann, path });
    await message(page, 'Line 120').waitFor();
    const jump = async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Jump to' }).fill('jump to d');
    };
    await jump();
    await page.getByRole('option', { name: 'Jump to date' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Jump to date' });
    const field = dialog.getByLabel('Date', { exact: true });
    await field.fill('2026-05-02');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await message(page, 'Line 011').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).to.match(/\/11$/);
    await jump();
    await page.keyboard.press('Enter');
    await field.fill('2026-06-01');
    await page.keyboard.press('Enter');
    await dialog.getByText('No messages on or after this date.').waitFor();
  });

  it('is offered by the day label over a list that is scrolled back, and begins with that day', async () => {
    await spread();
    const { page } = await openBrowser(app, { as: ann, path });
    await message(page, 'Line 120').waitFor();
    await page.getByRole('region', { name: /^Messages in / }).hover();
    await page.mouse.wheel(0, -700);
    const day = page.getByRole('button', { name: /^Jump to date, / });
    await day.waitFor();
    await expectAccessible(page);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/day.png` });
    const name = (await day.textContent()) ?? '';
    await day.click();
    const dialog = page.getByRole('dialog', { name: 'Jump to date' });
    const offered = await dialog.getByLabel('Date', { exact: true }).inputValue();
    expect(offered).to.match(/^2026-05-/);
    expect(name).to.include(String(Number(offered.slice(-2))));
  });

  it('is offered on a phone behind the channel’s name', async () => {
    await spread();
    const { page } = await openBrowser(app, { as: ann, path, width: 390, touch: true });
    await composer(page).waitFor();
    await page.getByRole('button', { name: 'general' }).tap();
    await page.getByRole('menuitem', { name: 'Jump to date' }).tap();
    await page.getByLabel('Date', { exact: true }).fill('2026-05-03');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Jump', exact: true }).tap();
    await message(page, 'Line 021').waitFor();
  });

  it('is offered in a conversation', async () => {
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const timelineId = conversation.id;
    await ann.send('message:send', { timelineId, body: 'Are you there?' });
    const { page } = await openBrowser(app, { as: ann, path: `/direct/${timelineId}` });
    await message(page, 'Are you there?').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Jump to date' }).click();
    await page.getByRole('button', { name: 'Jump', exact: true }).click();
    await page.waitForURL(/\/1$/);
  });
});
