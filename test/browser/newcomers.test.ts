import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { query } from '../../server/database/database.ts';
import { openPlace } from '../support/place.ts';
import { saveScreenshots } from '../support/picture.ts';

describe('newcomers in the client', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  it('are banned together, except for people that the moderator keeps', async () => {
    const [ann, ben, cem] = await Promise.all(
      ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
    );
    const guests = await Promise.all(['Troll', 'Other troll'].map((name) => app.guest(name)));
    const place = await openPlace(ann!, ben!, cem!, ...guests);
    const { serverId } = place;
    await query(
      app.db,
      `update members set joined_at = joined_at - interval '2 hours' where user_id = $1`,
      [cem!.id],
    );
    const path = `/s/${serverId}/${place.channelId}`;
    const { page } = await openBrowser(app, { as: ann!, path });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByRole('button', { name: 'Members', exact: true }).click();
    await page.getByRole('button', { name: 'Ban newcomers…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ban newcomers?' });
    await dialog.getByText('3 of 3 selected').waitFor();
    await dialog.getByLabel('Joined', { exact: true }).selectOption('Last 24 hours');
    await dialog.getByText('4 of 4 selected').waitFor();
    await dialog.getByRole('checkbox', { name: 'Cem' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'Ben' }).uncheck();
    await dialog.getByText('2 of 4 selected').waitFor();
    await dialog.getByLabel('Reason').fill('Raid');
    await expectAccessible(page);
    await saveScreenshots(page, 'newcomers');
    await dialog.getByRole('button', { name: 'Ban 2 people' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { members } = await ann!.send('member:list', { serverId });
    expect(members.map(({ userId }) => userId).toSorted()).to.deep.equal(
      [ann!, ben!, cem!].map(({ id }) => id).sort(),
    );
    await eventually(async () => {
      const names = await settings.getByRole('listitem').allInnerTexts();
      expect(names.some((name) => name.includes('roll'))).to.equal(false);
    });
    await page.getByRole('button', { name: 'Bans' }).click();
    await page.getByText('Raid').first().waitFor();
    await eventually(async () =>
      expect(await page.getByRole('button', { name: /^Unban / }).count()).to.equal(2),
    );
  });
});
