import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { isoDay } from '../../client/ui/days.ts';
import { searched } from '../../server/audit/reading.ts';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';

describe('the audit log in the client', () => {
  let app: TestApp;
  let owner: Person;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let path: string;
  before(async () => {
    app = await startSite();
    owner = await app.owner();
  });
  beforeEach(async () => {
    [ann, ben, cem] = (await Promise.all(
      ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    const place = await openPlace(ann, ben, cem);
    ({ serverId } = place);
    path = `/s/${serverId}/${place.channelId}`;
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    await ben.send('member:timeOut', { serverId, userId: cem.id, seconds: 60, reason: 'Shouting' });
    await ben.send('ban:create', { serverId, userId: cem.id, reason: '=2+3' });
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const lines = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
  /** The sentences, without times. */
  const sentences = (page: Page) => lines(page).locator('p:first-child').allInnerTexts();
  const expectSentences = (page: Page, wanted: string[]) =>
    eventually(async () => expect(await sentences(page)).to.deep.equal(wanted));
  const openServerSettings = async (page: Page) => {
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
  };
  const openLog = async (page: Page) => {
    await openServerSettings(page);
    await page.getByRole('button', { name: 'Audit log' }).click();
  };
  const all = [
    'Ben banned Cem',
    'Ben timed out Cem',
    'Ann made Ben a moderator',
    'Ann created the invite link ',
  ];

  it('lists, filters and exports what happened, for the owner of the server', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await openLog(page);
    await eventually(async () =>
      expect((await sentences(page)).map((text) => text.replace(/link .*/, 'link '))).to.deep.equal(
        all,
      ),
    );
    await lines(page).first().getByText('=2+3').waitFor();
    await page.getByText('Entries are kept for 90 days.').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'audit');
    await page.getByLabel('Action').selectOption('Bans and time-outs');
    await expectSentences(page, all.slice(0, 2));
    await page.getByLabel('Person').selectOption('Ann');
    await page.getByText('No matching entries.').waitFor();
    await page.getByLabel('Action').selectOption('All actions');
    await page.getByLabel('Person').selectOption('Ben');
    await expectSentences(page, all.slice(0, 3));
    await page.getByLabel('Show', { exact: true }).selectOption('Entries about this person');
    await expectSentences(page, all.slice(2, 3));
    await page.getByLabel('Show', { exact: true }).selectOption('Entries by or about this person');
    await expectSentences(page, all.slice(0, 3));
    const yesterday = isoDay(new Date(Date.now() - 86_400_000));
    await page.getByLabel('To', { exact: true }).fill(yesterday);
    await page.getByText('No matching entries.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('From').fill(yesterday);
    await expectSentences(page, all.slice(0, 3));
    await expectAccessible(page);
    await saveScreenshots(page, 'audit-filtered');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).to.match(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    const rows = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(rows).to.have.length(1 + 3);
    expect(rows[0]).to.match(/^\uFEFF"First time","Last time"/);
    expect(rows[1]).to.include('"ban:created","1","Ben banned Cem","Ben"').and.include(`"'=2+3"`);
    await page.getByRole('status').getByText('Exported 3 entries').waitFor();
  });

  it('loads older entries, however few a request finds, and keeps them after a rename', async () => {
    await query(
      app.db,
      `insert into audit (action, actor_id, server_id, user_id)
       select case when n in (3, 120) then 'ban:deleted' else 'channel:opened' end, $2, $1, $3
       from generate_series(1, 120) as n`,
      [serverId, ann.id, cem.id],
    );
    const { entries } = searched;
    const { page } = await openBrowser(app, { as: ann, path, width: 390 });
    try {
      searched.entries = 10;
      await page.getByRole('link', { name: /^Back to/ }).click();
      await openServerSettings(page);
      await page.getByRole('button', { name: 'Audit log' }).click();
      await eventually(async () => expect(await lines(page).count()).to.equal(50));
      await page.getByRole('button', { name: 'Show more' }).click();
      await eventually(async () => expect(await lines(page).count()).to.equal(100));
      await ann.send('server:update', { serverId, name: 'Renamed' });
      await page.getByText('Renamed').first().waitFor();
      expect(await lines(page).count()).to.equal(100);
      await page.getByLabel('Action').selectOption('Bans and time-outs');
      await expectSentences(page, ['Ann unbanned Cem']);
      const found = ['Ann unbanned Cem', 'Ann unbanned Cem', ...all.slice(0, 2)];
      await eventually(async () => {
        const more = page.getByRole('button', { name: 'Show more' });
        if (await more.isVisible()) await more.click();
        expect(await sentences(page)).to.deep.equal(found);
      });
      await eventually(async () =>
        expect(await page.getByRole('button', { name: 'Show more' }).count()).to.equal(0),
      );
    } finally {
      searched.entries = entries;
    }
  });

  it('is not offered to moderators', async () => {
    const { page } = await openBrowser(app, { as: ben, path });
    await openServerSettings(page);
    await page.getByRole('button', { name: 'Bans' }).waitFor();
    expect(await page.getByRole('button', { name: 'Audit log' }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Devices' }).waitFor();
    expect(await page.getByRole('button', { name: 'Audit log' }).count()).to.equal(0);
  });

  it('names server and address in the log of the instance, for its owner', async () => {
    const { page } = await openBrowser(app, { as: owner });
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Audit log' }).click();
    await page.getByLabel('Action').selectOption('Sign-ins and passwords');
    await page.getByLabel('Action').selectOption('Bans and time-outs');
    const ban = lines(page).filter({ hasText: 'Ben banned Cem' }).first();
    await ban.getByText(/· Place\s*· 127\.0\.0\.1/).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'audit-instance');
  });
});
