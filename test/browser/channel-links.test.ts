import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { channelMarkOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  inState,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('a channel link', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let secret: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await ann.send('channel:create', { serverId, name: 'release-plans' });
    const wanted = { serverId, name: 'secret', private: true, userIds: [] };
    secret = (await ann.send('channel:create', wanted)).channel.id;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person) =>
    (await openBrowser(app, { as, path: `/s/${serverId}/${general}` })).page;
  const list = (page: Page) => page.getByRole('listbox', { name: 'Channels' });

  it('is chosen by a few letters, and opens the channel', async () => {
    const page = await see(ann);
    await composer(page).pressSequentially('See #pla');
    await list(page).waitFor();
    expect(await list(page).getByRole('option').allInnerTexts()).to.have.length(1);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).to.equal('See #release-plans ');
    await page.keyboard.press('Enter');
    const row = message(page, 'See #release-plans');
    await inState(row, 'sent').waitFor();
    await row.getByRole('link', { name: '#release-plans' }).click();
    await page.getByRole('heading', { name: 'release-plans' }).first().waitFor();
  });

  it('shows its name and a link only to people who may see it', async () => {
    const body = `Keep ${channelMarkOf(secret)} to us`;
    await ann.send('message:send', { timelineId: general, body });
    const [mine, theirs] = [await see(ann), await see(ben)];
    await message(mine, 'Keep').getByRole('link', { name: '#secret' }).waitFor();
    const row = message(theirs, 'Keep');
    await row.getByText('#unknown channel').waitFor();
    expect(await row.getByRole('link').count()).to.equal(0);
    expect(await theirs.content()).to.not.contain('secret');
  });

  it('is a name again when the message is edited', async () => {
    const page = await see(ann);
    await composer(page).fill('Then #release-plans again');
    await page.keyboard.press('Enter');
    await inState(message(page, 'Then #release-plans again'), 'sent').waitFor();
    await page.keyboard.press('ArrowUp');
    const field = page.getByRole('textbox', { name: 'Edit message' });
    expect(await field.inputValue()).to.equal('Then #release-plans again');
    await field.fill('Now #release-plans, please');
    await page.keyboard.press('Enter');
    await message(page, 'Now #release-plans, please')
      .getByRole('link', { name: '#release-plans' })
      .waitFor();
  });
});
