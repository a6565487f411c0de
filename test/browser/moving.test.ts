import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { checkWindows, closeWindows, eventually, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at === document.body
      ? 'nowhere'
      : (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim();
  });

describe('a row that moves', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let dot: Person;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    const people = ['Ann', 'Ben', 'Cem', 'Dot'].map((name) => app.person(name));
    [ann, ben, cem, dot] = (await Promise.all(people)) as [Person, Person, Person, Person];
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const order = async (page: Page, list: string) =>
    (await page.getByRole('navigation', { name: list }).locator('li bdi').allInnerTexts()).map(
      (name) => name.trim(),
    );

  it('A11Y-05 keeps the focus when a message moves its conversation to the top', async () => {
    const ids = new Map<Person, string>();
    for (const other of [ben, cem, dot]) {
      const { conversation } = await ann.send('conversation:create', { userIds: [other.id] });
      ids.set(other, conversation.id);
      await other.send('message:send', { timelineId: conversation.id, body: 'Hello' });
    }
    const { page } = await openBrowser(app, { as: ann, path: '/direct' });
    await eventually(async () =>
      expect(await order(page, 'Conversations')).to.deep.equal(['Dot', 'Cem', 'Ben']),
    );
    const link = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) });
    for (const [on, writer, after] of [
      ['Ben', ben, ['Ben', 'Dot', 'Cem']],
      ['Ben', cem, ['Cem', 'Ben', 'Dot']],
      ['Cem', dot, ['Dot', 'Cem', 'Ben']],
      ['Dot', ben, ['Ben', 'Dot', 'Cem']],
    ] as const) {
      await link(on).focus();
      await writer.send('message:send', { timelineId: ids.get(writer)!, body: 'Again' });
      await eventually(async () => expect(await order(page, 'Conversations')).to.deep.equal(after));
      expect(await focusedName(page)).to.match(new RegExp(`^${on}`));
    }
  });

  it('A11Y-05 keeps the focus when the channels are rearranged', async () => {
    const { server } = await ben.send('server:create', { name: 'Place' });
    const serverId = server.id;
    const { code } = (await ben.send('invite:create', { serverId })).invite;
    await ann.send('server:join', { code });
    const ids = new Map<string, string>();
    for (const name of ['one', 'two', 'three'])
      ids.set(name, (await ben.send('channel:create', { serverId, name })).channel.id);
    const { category } = await ben.send('category:create', { serverId, name: 'Rooms' });
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}` });
    const link = (name: string) =>
      page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name, exact: true });
    const names = () =>
      page.getByRole('navigation', { name: 'Channels' }).getByRole('link').allInnerTexts();
    await link('three').waitFor();
    for (const [on, moved, to] of [
      ['three', 'three', 0],
      ['one', 'one', 100],
      ['two', 'one', 0],
      ['two', 'three', 100],
    ] as const) {
      await link(on).focus();
      const before = await names();
      await ben.send('channel:update', { channelId: ids.get(moved)!, position: to });
      await eventually(async () => expect(await names()).to.not.deep.equal(before));
      expect(await focusedName(page)).to.equal(on);
    }
    await link('two').focus();
    await ben.send('channel:update', { channelId: ids.get('two')!, categoryId: category.id });
    await page.getByRole('group', { name: 'Rooms' }).getByRole('link', { name: 'two' }).waitFor();
    expect(await focusedName(page)).to.equal('two');
  });

  it('A11Y-05 keeps the focus when a friend comes or goes', async () => {
    for (const friend of [ben, cem, dot]) {
      await ann.send('friendRequest:create', { userId: friend.id });
      await friend.send('friendship:create', { userId: ann.id });
    }
    const { page } = await openBrowser(app, { as: ann, path: '/friends' });
    const under = (title: string) => page.getByRole('region', { name: new RegExp(`^${title}`) });
    const more = (name: string) => page.getByRole('button', { name: `More about ${name}` });
    await under('Online').getByText('Dot').waitFor();
    await more('Dot').focus();
    await cem.send('presence:set', { status: 'invisible' });
    await under('Offline').getByText('Cem').waitFor();
    expect(await focusedName(page)).to.equal('More about Dot');
    await dot.send('presence:set', { status: 'invisible' });
    await under('Offline').getByText('Dot').waitFor();
    expect(await focusedName(page)).to.equal('More about Dot');
  });
});
