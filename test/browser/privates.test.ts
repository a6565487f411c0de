import { expect } from 'chai';
import type { Page } from 'playwright-core';
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
import type { Person } from '../support/person.ts';

describe('private channels', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
    [ann, ben, cem] = await Promise.all([app.person('Ann'), app.person('Ben'), app.person('Cem')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    for (const person of [ben, cem]) await person.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person, channelId = general) =>
    (await openBrowser(app, { as, path: `/s/${serverId}/${channelId}` })).page;
  const dialog = (page: Page) => page.getByRole('dialog').last();
  const inList = (page: Page, name: string | RegExp) =>
    page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name });
  const settings = (page: Page) => page.getByRole('button', { name: 'Channel settings' }).click();
  const isPrivate = (page: Page) => page.getByRole('switch', { name: 'Private channel' });
  const conceal = async (userIds: string[]) => {
    const wanted = { serverId, name: 'secret', private: true, userIds };
    const { channel } = await ann.send('channel:create', wanted);
    await ann.send('message:send', { timelineId: channel.id, body: 'Not for everyone' });
    return channel.id;
  };

  it('are created with chosen people, and hidden from others', async () => {
    const [page, bens, cems] = [await see(ann), await see(ben), await see(cem)];
    await page.getByRole('button', { name: 'Create a channel' }).click();
    await page.getByLabel('Name').fill('secret');
    await page.getByRole('checkbox', { name: 'Private' }).check();
    await page.getByLabel('Add people').first().fill('bÉ');
    await page.getByRole('checkbox', { name: 'Ben' }).check();
    expect(await page.getByRole('checkbox', { name: 'Cem', exact: true }).count()).to.equal(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('heading', { level: 1, name: /secret/ }).waitFor();
    await say(page, 'Hush');
    await inList(bens, /^secret, (.*, )?private/).click();
    await message(bens, 'Hush').waitFor();
    await expectAccessible(bens);
    await inList(cems, 'general').waitFor();
    expect(await cems.content()).to.not.include('secret');
    // The member list beside it contains only people who can see the channel.
    const beside = bens.getByRole('complementary', { name: 'Members' });
    await beside.getByRole('button', { name: /Ann/ }).waitFor();
    expect(await beside.getByRole('button', { name: /Cem/ }).count()).to.equal(0);
  });

  it('UX-64 offer a removed person the unsent text, and admit others', async () => {
    const channelId = await conceal([ben.id]);
    const page = await see(ann, channelId);
    const [bens, cems] = [await see(ben, channelId), await see(cem)];
    await message(bens, 'Not for everyone').waitFor();
    await composer(bens).fill('Half a thought');
    await settings(page);
    // The lock precedes its name in the settings, too.
    const lock = await page.locator('h1 svg').first().innerHTML();
    expect(await dialog(page).locator('.side svg').first().innerHTML()).to.equal(lock);
    await dialog(page).getByRole('button', { name: 'Access' }).click();
    await dialog(page).getByRole('button', { name: 'Remove Ben' }).click();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
    const notice = bens.getByRole('status');
    await notice.getByText('You were removed from #secret.').waitFor();
    await bens.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    expect(await bens.content()).to.not.include('Not for everyone');
    expect(await inList(bens, /secret/).count()).to.equal(0);
    await bens.getByRole('button', { name: /Copy/ }).click();
    expect(await bens.evaluate(() => navigator.clipboard.readText())).to.equal('Half a thought');
    await eventually(async () => expect(await focused(bens)).to.not.equal('BODY'));

    await dialog(page).getByRole('button', { name: 'Add people' }).click();
    await dialog(page).getByText('Choose someone first.').waitFor();
    await dialog(page).getByRole('checkbox', { name: 'Cem' }).check();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Add people' }).click();
    const insiders = page.getByRole('list', { name: 'Members of #secret' });
    await insiders.getByText('Cem').waitFor();
    await inList(cems, /^secret, (.*, )?private/).click();
    await message(cems, 'Not for everyone').waitFor();
  });

  it('are made public and private, without interrupting the members who stay', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'plan' });
    const page = await see(ann, channel.id);
    const bens = await see(ben, channel.id);
    const cems = await see(cem, channel.id);
    await say(bens, 'Before');
    await message(cems, 'Before').waitFor();
    await composer(bens).fill('Still typing');
    await settings(page);
    await isPrivate(page).and(page.locator('[aria-checked=false]')).click();
    await dialog(page).getByRole('heading', { name: 'Make #plan private?' }).waitFor();
    await dialog(page).getByRole('checkbox', { name: 'Ben' }).check();
    await dialog(page).getByRole('button', { name: 'Make private' }).click();
    await cems.getByRole('status').getByText('#plan is private now.').waitFor();
    expect(await cems.content()).to.not.include('Before');
    await inList(bens, /^plan, (.*, )?private/).waitFor();
    expect(await composer(bens).inputValue()).to.equal('Still typing');
    await message(bens, 'Before').waitFor();
    expect(await bens.getByRole('status').getByText('private now').count()).to.equal(0);

    await isPrivate(page).and(page.locator('[aria-checked=true]')).click();
    await dialog(page).getByRole('heading', { name: 'Make #plan public?' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Make public' }).click();
    await inList(cems, 'plan').click();
    await message(cems, 'Before').waitFor();
    await inList(bens, 'plan').and(bens.locator(':not([aria-label])')).waitFor();
    expect(await composer(bens).inputValue()).to.equal('Still typing');
    expect(await composer(bens).evaluate((field) => field === document.activeElement)).to.equal(
      true,
    );
  });

  it('can be left, on a phone too', async () => {
    const channelId = await conceal([ben.id]);
    const looks = { as: ben, width: 390, height: 844, touch: true } as const;
    const { page } = await openBrowser(app, { ...looks, path: `/s/${serverId}/${channelId}` });
    await message(page, 'Not for everyone').waitFor();
    await page.getByRole('button', { name: 'Members' }).tap();
    await page.getByRole('button', { name: 'Leave channel' }).tap();
    await dialog(page).getByRole('heading', { name: 'Leave #secret?' }).waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Leave channel' }).tap();
    await eventually(() => expect(page.url()).to.not.include(channelId));
    expect(await page.content()).to.not.include('Not for everyone');
    const { messages } = await ann.send('message:list', { timelineId: channelId });
    expect(messages).to.have.length(1);
    expect((await ben.expectError('channel:join', { channelId })).code).to.equal('not_found');
  });

  it('do not include the default channel, whose settings say why', async () => {
    const page = await see(ann);
    await settings(page);
    expect(await isPrivate(page).getAttribute('aria-disabled')).to.equal('true');
    await isPrivate(page).click({ force: true });
    await dialog(page).getByText('the default channel can’t be private').waitFor();
    expect(await page.getByRole('dialog').count()).to.equal(1);
  });
});
