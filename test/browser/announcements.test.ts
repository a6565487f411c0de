import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  focused,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import { openPlace } from '../support/place.ts';

describe('an announcement channel', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(closeWindows);
  after(() => app.close());

  it('has a note in place of the composer for members, who can read and react', async () => {
    const [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { serverId, channelId } = await openPlace(ann, ben);
    const path = `/s/${serverId}/${channelId}`;
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path, width: 390, touch: false });
    await composer(bens).fill('Half a thought');
    const choose = async (option: string) => {
      await page.getByRole('button', { name: 'Channel settings' }).click();
      await page.getByLabel('Who can send messages').selectOption(option);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
    };
    await choose('Only moderators');
    const note = bens.getByText('Only moderators can send messages here.');
    await note.waitFor();
    expect(await composer(bens).count()).to.equal(0);
    await eventually(async () => expect(await focused(bens)).to.not.equal('BODY'));
    await say(page, 'We move on Monday');
    const row = message(bens, 'We move on Monday');
    await row.hover();
    await bens.getByRole('button', { name: 'React with 👍' }).click();
    await row.getByRole('button', { name: /👍/, pressed: true }).waitFor();
    expect(await bens.getByRole('button', { name: 'Reply' }).count()).to.equal(0);
    await expectAccessible(bens);
    await row.focus();
    await bens.keyboard.press('r');
    expect(await bens.getByRole('group', { name: 'Replying to Ann' }).count()).to.equal(0);
    await choose('Everyone');
    await note.waitFor({ state: 'detached' });
    expect(await composer(bens).inputValue()).to.equal('Half a thought');
  });

  it('is created with a checkbox in the dialog', async () => {
    const [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { serverId, channelId } = await openPlace(ann, ben);
    const path = `/s/${serverId}/${channelId}`;
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    await page.getByRole('button', { name: 'Create a channel', exact: true }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create a channel' });
    await dialog.getByLabel('Name').fill('news');
    await dialog.getByRole('checkbox', { name: 'Announcements', exact: true }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create channel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await say(page, 'We move on Monday');
    await bens.getByRole('link', { name: /^news/ }).click();
    await message(bens, 'We move on Monday').waitFor();
    await bens.getByText('Only moderators can send messages here.').waitFor();
  });
});
