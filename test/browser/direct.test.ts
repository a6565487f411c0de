import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
  say,
  texts,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('a conversation', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let serverId: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, cem] = await Promise.all([app.person('Ann'), app.person('Ben'), app.person('Cem')]);
    serverId = (await ann.send('server:create', { name: 'Place' })).server.id;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    for (const person of [ben, cem]) await person.send('server:join', { code });
    await ann.send('server:update', { serverId, messageRequests: true });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const looking = async (as: Person, path = '/direct', looks = {}): Promise<Page> =>
    (await openBrowser(app, { as, path, ...looks })).page;
  const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
  const entry = (page: Page, name: string) => list(page).getByRole('link', { name, exact: true });
  const group = async (name?: string) =>
    (await ann.send('conversation:create', { userIds: [ben.id, cem.id], ...(name && { name }) }))
      .conversation.id;
  const pair = async () =>
    (await ann.send('conversation:create', { userIds: [ben.id] })).conversation.id;

  it('is explained while there is none', async () => {
    const page = await looking(ann);
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    await page.getByText('Message a friend, or someone from one of your servers.').waitFor();
    await expectAccessible(page);
  });

  it('begins with a card: the other person sees it with the first message, and answers', async () => {
    const [here, there] = [await looking(ann, `/s/${serverId}`), await looking(ben)];
    await here.getByRole('complementary').getByRole('button', { name: 'Ben' }).click();
    await here.getByRole('dialog').getByRole('button', { name: 'Message' }).click();
    await here.getByRole('heading', { level: 1, name: 'Ben' }).waitFor();
    expect(await entry(there, 'Ann').count()).to.equal(0);
    await composer(here).waitFor();
    const request = here.getByRole('region', { name: 'Message request' });
    await request.getByText('Ben sees your messages as a request until they answer.').waitFor();
    await expectAccessible(here);
    await say(here, 'Are you there?');
    await there.getByRole('list', { name: 'Message requests' }).waitFor();
    await entry(there, 'Ann').click();
    await message(there, 'Are you there?').waitFor();
    await entry(there, 'Ann').waitFor();
    await there.getByRole('region', { name: 'Message request' }).waitFor();
    await expectAccessible(there);
    await say(there, 'I am');
    await there.getByRole('region', { name: 'Message request' }).waitFor({ state: 'detached' });
    await message(here, 'I am').waitFor();
    expect(await texts(here)).to.deep.equal(['Are you there?', 'I am']);
    await request.waitFor({ state: 'detached' });
    await expectAccessible(here);
    expect(await here.title()).to.equal('Ben');
  });

  it('needs no request once the owner of a shared server allows it', async () => {
    const page = await looking(ann, `/s/${serverId}`);
    await page.getByRole('button', { name: 'Place' }).first().click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    const choice = settings.getByLabel('Direct messages');
    await choice.selectOption('Members can message each other');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const there = await looking(ben);
    const { conversation } = await cem.send('conversation:create', { userIds: [ben.id] });
    await cem.send('message:send', { timelineId: conversation.id, body: 'Lunch?' });
    await list(there).getByRole('link', { name: /^Cem/ }).click();
    await message(there, 'Lunch?').waitFor();
    expect(await there.getByRole('region', { name: 'Message request' }).count()).to.equal(0);
  });

  it('with strangers is shown as a request: at the end, quiet, accepted or ignored', async () => {
    for (const from of [ann, cem]) {
      const { conversation } = await from.send('conversation:create', { userIds: [ben.id] });
      await from.send('message:send', { timelineId: conversation.id, body: 'Hello' });
    }
    for (const [name, look] of [
      ['wide', {}],
      ['dark', { theme: 'dark' }],
      ['phone', { width: 390, height: 844, touch: true }],
      ['phone-dark', { width: 390, height: 844, touch: true, theme: 'dark' }],
    ] as const) {
      if (!process.env.PICTURES) break;
      const page = await looking(ben, '/direct', look);
      await entry(page, 'Ann').waitFor();
      await page.screenshot({ path: `${process.env.PICTURES}/requests-${name}.png` });
      await entry(page, 'Ann').click();
      await message(page, 'Hello').waitFor();
      await page.screenshot({ path: `${process.env.PICTURES}/request-${name}.png` });
    }
    const page = await looking(ben);
    const requests = page.getByRole('list', { name: 'Message requests' });
    await requests.getByRole('link', { name: 'Cem', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Direct messages, 2 message requests' }).waitFor();
    await requests.and(page.getByRole('list', { name: 'Message requests 2' })).waitFor();
    await eventually(async () => expect(await page.title()).to.equal('Direct messages'));
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open newest request' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cem' }).waitFor();
    await requests.getByRole('link', { name: 'Ann', exact: true }).click();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('region', { name: 'Message request' }).waitFor({ state: 'detached' });
    await requests.getByRole('link', { name: 'Cem', exact: true }).click();
    await page.getByRole('button', { name: 'Ignore' }).click();
    await requests.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Direct messages', exact: true }).waitFor();
    expect(await entry(page, 'Cem').count()).to.equal(0);
    await entry(page, 'Ann').waitFor();
  });

  it('as a request ends with its last message, live or after a reload, opened or not', async () => {
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    const timelineId = conversation.id;
    const write = async () =>
      (await ann.send('message:send', { timelineId, body: 'Oh, the wrong one' })).message.id;
    const remove = (messageId: string) => ann.send('message:delete', { messageId });
    await remove(await write());
    const first = await write();
    const page = await looking(ben);
    await page.getByRole('link', { name: 'Direct messages, 1 message request' }).waitFor();
    await remove(first);
    await page.getByRole('link', { name: 'Direct messages', exact: true }).waitFor();
    expect(await entry(page, 'Ann').count()).to.equal(0);
    await page.reload();
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    expect(await entry(page, 'Ann').count()).to.equal(0);
    const second = await write();
    await entry(page, 'Ann').click();
    await message(page, 'Oh, the wrong one').waitFor();
    await remove(second);
    await message(page, 'Oh, the wrong one').waitFor({ state: 'detached' });
    await entry(page, 'Ann').waitFor({ state: 'detached' });
    await page.goto(`${app.url}/direct`);
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    expect(await entry(page, 'Ann').count()).to.equal(0);
  });

  it('with several people is a group, which all of them see at once', async () => {
    const [here, there] = [await looking(ann, `/s/${serverId}`), await looking(cem)];
    await here.getByRole('complementary').getByText('Ben').waitFor();
    await here.getByRole('link', { name: 'Direct messages' }).click();
    await list(here).getByRole('button', { name: 'New conversation' }).click();
    const dialog = here.getByRole('dialog', { name: 'New conversation' });
    await dialog.getByLabel('People', { exact: true }).fill('be');
    await dialog.getByRole('checkbox', { name: 'Ben' }).check();
    await dialog.getByRole('checkbox', { name: 'Cem' }).check();
    await dialog.getByLabel('Group name').fill('Release crew');
    await expectAccessible(here);
    await dialog.getByRole('button', { name: 'Create group' }).click();
    await here.getByRole('heading', { level: 1, name: 'Release crew' }).waitFor();
    await entry(there, 'Release crew').click();
    await there.getByText('The start of your conversation').waitFor();
  });

  it('asks people to accept being in a group, and names the person who added them, founder or not', async () => {
    const eve = await app.person('Eve');
    const { invite } = await ann.send('invite:create', { serverId });
    await eve.send('server:join', { code: invite.code });
    const conversationId = await group('The crew that is to paint the harbour');
    await ben.send('conversation:accept', { conversationId });
    await ben.send('conversation:update', { conversationId, addUserIds: [eve.id] });
    const path = `/direct/${conversationId}`;
    const page = await looking(eve, path, { width: 390, height: 844, touch: true });
    const question = page.getByRole('region', { name: 'Message request' });
    await question.getByText('Ben added you to this group.').waitFor();
    await expectAccessible(page);
    const cut = await page
      .locator('header p:visible')
      .evaluateAll((lines) => lines.filter((line) => line.scrollWidth > line.clientWidth).length);
    expect(cut).to.equal(0);
    await question.getByRole('button', { name: 'Accept' }).click();
    await page.locator('header').getByText('4 people').waitFor();
  });

  it('is renamed, grows and shrinks for everybody at once; a removed person gets a notice', async () => {
    const id = await group();
    const [here, there] = [
      await looking(ann, `/direct/${id}`),
      await looking(ben, `/direct/${id}`),
    ];
    await here.getByRole('heading', { level: 1, name: 'Ben and Cem' }).waitFor();
    await here.getByRole('button', { name: 'More', exact: true }).first().click();
    await here.getByRole('menuitem', { name: 'Rename group' }).click();
    await here.getByRole('dialog').getByLabel('Name').fill('Crew');
    await here.getByRole('button', { name: 'Save' }).click();
    await there.getByRole('heading', { level: 1, name: 'Crew' }).waitFor();
    await composer(there).fill('Half a thought');
    await here.getByRole('button', { name: 'People' }).click();
    expect(await there.getByRole('button', { name: 'Remove Ann' }).count()).to.equal(0);
    await expectAccessible(here);
    await here.getByRole('button', { name: 'Remove Ben' }).click();
    await here.getByRole('dialog').getByRole('button', { name: 'Remove Ben' }).click();
    await there.getByText('You’re no longer in Crew.').waitFor();
    await there.getByRole('button', { name: 'Copy draft' }).waitFor();
    expect(await entry(there, 'Crew').count()).to.equal(0);
    await here.getByRole('button', { name: 'More', exact: true }).first().click();
    await here.getByRole('menuitem', { name: 'Add people' }).click();
    const dialog = here.getByRole('dialog', { name: 'Add people to Crew' });
    await dialog.getByText('They’ll see the whole history.').waitFor();
    await here.goto(`${app.url}/s/${serverId}`);
    await here.getByRole('complementary').getByText('Ben').waitFor();
    await here.getByRole('link', { name: 'Direct messages' }).click();
    await entry(here, 'Crew').click();
    await here.getByRole('button', { name: 'More', exact: true }).first().click();
    await here.getByRole('menuitem', { name: 'Add people' }).click();
    await dialog.getByRole('checkbox', { name: 'Ben' }).check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await entry(there, 'Crew, draft').waitFor();
  });

  it('is marked unread from its menu, which then omits that item', async () => {
    const id = await pair();
    await ben.send('message:send', { timelineId: id, body: 'Hello' });
    await ben.send('message:send', { timelineId: id, body: 'Are you there?' });
    const page = await looking(ann, `/direct/${id}`);
    await entry(page, 'Ben').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Mark unread' }).click();
    await entry(page, 'Ben, 1 unread').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Close conversation' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Mark unread' }).count()).to.equal(0);
  });

  it('leaves the list when it is closed, until a new message arrives', async () => {
    const id = await pair();
    await ben.send('message:send', { timelineId: id, body: 'Hello' });
    const page = await looking(ann, `/direct/${id}`);
    await message(page, 'Hello').waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Close conversation' }).click();
    await entry(page, 'Ben').waitFor({ state: 'hidden' });
    await page.goto(`${app.url}/direct`);
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    await ben.send('message:send', { timelineId: id, body: 'And again' });
    await entry(page, 'Ben, 1 unread').waitFor();
  });

  it('can be left after confirmation, and the list opens', async () => {
    const id = await group('Crew');
    const page = await looking(cem, `/direct/${id}`);
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Leave group' }).click();
    await page.getByRole('dialog', { name: 'Leave Crew?' }).waitFor();
    await page.getByRole('button', { name: 'Leave group' }).click();
    await entry(page, 'Crew').waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).to.equal('/direct');
    expect(await page.getByText('You’re no longer in').count()).to.equal(0);
  });

  it('UX-50, UX-51 is reached by the switcher and keys, like people', async () => {
    const [first, second] = [await pair(), await group('Crew')];
    const page = await looking(ann, `/direct/${second}`);
    await entry(page, 'Crew').waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('heading', { level: 1, name: 'Ben' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/direct/${first}`);
    await page.getByRole('link', { name: 'Place' }).click();
    await page.getByRole('complementary').getByText('Cem').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Crew');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Crew' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Cem');
    await page.getByRole('option', { name: /Cem/ }).last().waitFor();
    await page.getByRole('group', { name: 'People' }).getByRole('option', { name: /Cem/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Cem' }).waitFor();
  });

  it('UX-57 has an address for each message; unknown ones are not available', async () => {
    const id = await pair();
    await ann.send('message:send', { timelineId: id, body: 'One' });
    const page = await looking(ben, `/direct/${id}/1`);
    await page.locator('article[data-position="1"]:focus').waitFor();
    await page.goto(`${app.url}/direct/${serverId}`);
    await page.getByText('This page isn’t available').waitFor();
    const stranger = await looking(cem, `/direct/${id}`);
    await stranger.getByText('This page isn’t available').waitFor();
  });

  it('UX-68 has its own page on a phone', async () => {
    const id = await pair();
    const page = await looking(ann, `/s/${serverId}`, { width: 390, height: 844, touch: true });
    await page.goto(`${app.url}/s/${serverId}`);
    await page.goto(`${app.url}/direct`);
    await entry(page, 'Ben').click();
    await page.getByRole('heading', { level: 1, name: 'Ben' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/direct/${id}`);
    await page.getByRole('link', { name: 'Back to conversations' }).click();
    await entry(page, 'Ben').waitFor();
    await page.getByRole('link', { name: 'Channels' }).waitFor();
    await expectAccessible(page);
  });

  it('UX-67 has its unread count in the title and on the tile', async () => {
    const id = await pair();
    await ben.send('conversation:accept', { conversationId: id });
    const page = await looking(ben, `/s/${serverId}`);
    await composer(page).waitFor();
    await ann.send('message:send', { timelineId: id, body: 'One' });
    await ann.send('message:send', { timelineId: id, body: 'Two' });
    await page.getByRole('link', { name: 'Direct messages, 2 unread' }).waitFor();
    await eventually(async () => expect(await page.title()).to.match(/^\(2\) /));
  });
});
