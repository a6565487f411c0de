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
import type { Person } from '../support/person.ts';

describe('mentions of everyone, in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let code: string;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    code = (await ann.send('invite:create', { serverId })).invite.code;
    await ben.send('server:join', { code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person, channelId = general) =>
    (await openBrowser(app, { as, path: `/s/${serverId}/${channelId}` })).page;
  const option = (page: Page, name: RegExp) => page.getByRole('option', { name });

  it('are completed, and count as mentions in a channel that is not open', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'elsewhere' });
    const [hers, his] = [await see(ann), await see(ben, channel.id)];
    await composer(hers).pressSequentially('Tea, @ever');
    await option(hers, /@everyone/).waitFor();
    await expectAccessible(hers);
    await hers.keyboard.press('Enter');
    await hers.keyboard.type('now');
    await hers.keyboard.press('Enter');
    await message(hers, 'Tea, @everyone now').locator('.call').waitFor();
    await his.getByRole('link', { name: /general.*1 mention/ }).click();
    await his.getByRole('article', { name: /@everyone now, .*mentions you/ }).waitFor();
    await expectAccessible(his);
  });

  it('are neither offered to members nor drawn in their messages', async () => {
    const page = await see(ben);
    await composer(page).pressSequentially('Tea, @ever');
    expect(await option(page, /@everyone/).count()).to.equal(0);
    await composer(page).pressSequentially('yone');
    await page.keyboard.press('Enter');
    await message(page, 'Tea, @everyone').waitFor();
    expect(await page.locator('.call').count()).to.equal(0);
  });

  it('show how many people they notify, if there are many', async () => {
    const page = await see(ann);
    await composer(page).fill('@everyone');
    const note = page.getByText('people will be notified');
    for (let i = 0; i < 20; i += 1) {
      const guest = await app.guest(`Guest ${i}`);
      await guest.send('server:join', { code });
      guest.close();
    }
    await page.getByText('21 people will be notified').waitFor();
    await expectAccessible(page);
    await composer(page).fill('`@everyone`');
    await note.waitFor({ state: 'detached' });
  });
});
