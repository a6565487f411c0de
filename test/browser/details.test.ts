/** Small defects that a day of use found. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { mentionOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('details', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let path: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    path = `/s/${serverId}/${server.defaultChannelId}`;
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const opened = async (as: Person): Promise<Page> => {
    const { page } = await openBrowser(app, { as, path });
    await composer(page).waitFor();
    return page;
  };

  /** Dispatches the event of dropping or pasting a file. Returns whether the browser would still act by itself. */
  const bring = (page: Page, how: 'drop' | 'paste', onto: string) =>
    page.evaluate(
      ([how, onto]) => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], 'picture.png', { type: 'image/png' }));
        const init = { bubbles: true, cancelable: true };
        const event =
          how === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data });
        return document.querySelector(onto)!.dispatchEvent(event);
      },
      [how, onto] as const,
    );

  for (const how of ['drop', 'paste'] as const)
    it(`a file is not lost by ${how}: it waits above the text, which stays`, async () => {
      const page = await opened(ben);
      await composer(page).fill('Look at this');
      const goesOn = await bring(page, how, how === 'drop' ? 'nav' : '#composer');
      if (how === 'drop') expect(goesOn).to.be.false;
      await page.getByRole('list', { name: 'Files to send' }).getByText('picture.png').waitFor();
      expect(await composer(page).inputValue()).to.equal('Look at this');
    });

  it('the tile of the current place does not change under the pointer', async () => {
    const page = await opened(ben);
    await page.getByRole('link', { name: 'Direct messages' }).click();
    const tile = page
      .getByRole('link', { name: 'Direct messages' })
      .and(page.locator('[aria-current]'));
    const colour = () => tile.evaluate((link) => getComputedStyle(link).backgroundColor);
    await page.mouse.move(640, 700);
    await tile.and(page.locator(':not(:hover)')).waitFor();
    const before = await colour();
    await tile.hover();
    expect(await colour()).to.equal(before);
  });

  it('a mention shows its count without a dot; other unread messages show a dot', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'plans' });
    const page = await opened(ben);
    const entry = page.locator(`[data-row="${channel.id}"]`);
    await ann.send('message:send', { timelineId: channel.id, body: 'Hello' });
    await entry.locator('.dot').waitFor();
    await ann.send('message:send', { timelineId: channel.id, body: mentionOf(ben.id) });
    await entry.getByRole('link', { name: '1 mention' }).waitFor();
    expect(await entry.locator('.dot').count()).to.equal(0);
    expect(
      await page.getByRole('navigation', { name: 'Servers' }).locator('.dot').count(),
    ).to.equal(0);
  });

  it('a heading shows the number of waiting requests once', async () => {
    const cem = await app.person('Cem');
    await cem.send('friendRequest:create', { username: ben.user.username ?? '' });
    const { page } = await openBrowser(app, { as: ben, path: '/friends' });
    await page.getByRole('heading', { name: 'Received, 1', exact: true }).waitFor();
  });

  it('the card of a banned person offers neither friendship nor messages', async () => {
    const cem = await app.person('Cem');
    const { invite } = await ann.send('invite:create', { serverId });
    await cem.send('server:join', { code: invite.code });
    const { page } = await openBrowser(app, { as: ann, path: undefined });
    await page.clock.install();
    await page.goto(app.url + path);
    await composer(page).waitFor();
    await page.getByRole('button', { name: /^Cem/ }).click();
    const card = page.getByRole('dialog', { name: 'Cem' });
    await card.getByRole('button', { name: 'Add friend' }).waitFor();
    await ann.send('ban:create', { serverId, userId: cem.id, bots: false });
    await card.getByText('No longer a member').waitFor();
    expect(await card.getByRole('button', { name: /Add friend|Message/ }).count()).to.equal(0);
    await card.getByRole('button', { name: 'Block' }).waitFor();
  });

  it('the card says that a person can’t be messaged, such as one of a group without a server in common', async () => {
    const cem = await app.person('Cem');
    const { invite } = await ann.send('invite:create', { serverId });
    await cem.send('server:join', { code: invite.code });
    const userIds = [ben.id, cem.id];
    const { conversation } = await ann.send('conversation:create', { userIds });
    await ann.send('message:send', { timelineId: conversation.id, body: 'Hello, both' });
    await cem.send('message:send', { timelineId: conversation.id, body: 'Hello' });
    await ann.send('ban:create', { serverId, userId: cem.id, bots: false });
    for (const { id } of (await cem.send('server:list', {})).servers)
      await cem.send('server:leave', { serverId: id });
    const { page } = await openBrowser(app, { as: ben, path: `/direct/${conversation.id}` });
    await page.getByRole('article').getByRole('button', { name: 'Cem' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Message' }).click();
    await page.getByText('You can’t message this person.', { exact: false }).waitFor();
  });
});
