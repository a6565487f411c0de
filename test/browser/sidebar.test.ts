import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshot } from '../support/picture.ts';

describe('the sidebar, in two windows of one person', function () {
  this.bail(true);
  let app: TestApp;
  let [desk, other]: Page[] = [];
  let [ann, ben]: Person[] = [];
  let serverId: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    for (const name of ['Harbour', 'Tea', 'Chess']) {
      const { server } = await ann.send('server:create', { name });
      const { invite } = await ann.send('invite:create', { serverId: server.id });
      await ben.send('server:join', { code: invite.code });
      if (name === 'Harbour') serverId = server.id;
    }
    const { category } = await ann.send('category:create', { serverId, name: 'Ships' });
    for (const name of ['crane', 'dock', 'noise'])
      await ann.send('channel:create', { serverId, name });
    await ann.send('channel:create', { serverId, name: 'tug', categoryId: category.id });
    const path = `/s/${serverId}`;
    desk = (await openBrowser(app, { as: ben, path })).page;
    other = (await openBrowser(app, { as: ben, path, theme: 'dark' })).page;
    for (const page of [desk, other]) await composer(page).waitFor();
  });
  afterEach(checkWindows);
  // The tests are chapters of one story, and each needs those before it.
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const list = (page: Page | undefined) => page!.getByRole('navigation', { name: 'Channels' });
  const row = (page: Page | undefined, name: string) =>
    list(page).locator('li').filter({ hasText: name });
  const rail = (page: Page | undefined) => page!.getByRole('navigation', { name: 'Servers' });

  const bothShow = (names: string) =>
    eventually(async () => {
      for (const page of [desk, other])
        expect(await list(page).locator('li a bdi').allInnerTexts()).to.deep.equal(
          names.split(' '),
        );
    });
  const bothList = (servers: string) =>
    eventually(async () => {
      for (const page of [desk, other])
        expect(
          await rail(page)
            .locator('li a')
            .evaluateAll((tiles) => tiles.map((tile) => (tile as HTMLElement).title)),
        ).to.deep.equal(servers.split(' '));
    });
  const focusedLabel = () =>
    desk!.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? 'nowhere');
  const choose = async (name: string, item: string) => {
    await row(desk, name).hover();
    await row(desk, name)
      .getByRole('button', { name: `More for #${name}` })
      .click();
    await desk!.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const drag = async (from: Locator, to: Locator, side: 'above' | 'below') => {
    const { width, height } = (await to.boundingBox())!;
    await from.dragTo(to, {
      targetPosition: { x: width / 2, y: side === 'above' ? 3 : height - 3 },
    });
  };

  it('favourites are listed above all other channels', async () => {
    await bothShow('general crane dock noise tug');
    await choose('tug', 'Add to favourites');
    await eventually(async () => expect(await focusedLabel()).to.equal('More for #tug'));
    await bothShow('tug general crane dock noise');
    await choose('dock', 'Add to favourites');
    await bothShow('tug dock general crane noise');
    await list(other).getByText('Favourites').waitFor();
    // For everyone else nothing has moved.
    const entry = await ann!.send('server:open', { serverId });
    const all = entry.status === 'snapshot' ? entry.state.channels : [];
    expect(all.map(({ name }) => name)).to.have.members([
      ...['general', 'crane', 'dock', 'noise', 'tug'],
    ]);
    await expectAccessible(desk!);
    await saveScreenshot(desk!, 'sidebar-favourites');
  });

  it('favourites are moved by the menu, with an announcement, and by dragging', async () => {
    await choose('dock', 'Move up');
    await bothShow('dock tug general crane noise');
    await list(desk).getByText('dock moved to position 1 of 2.').waitFor();
    await drag(row(other, 'dock'), row(other, 'tug'), 'below');
    await bothShow('tug dock general crane noise');
    await choose('tug', 'Remove from favourites');
    await bothShow('dock general crane noise tug');
  });

  it('a hidden channel is below the list, and comes back with a mention', async () => {
    await choose('noise', 'Hide channel');
    await desk!.getByRole('status').getByText('#noise is hidden and muted').waitFor();
    expect(await desk!.evaluate(() => document.activeElement?.textContent)).to.include('general');
    await bothShow('dock general crane tug');
    await list(desk).getByRole('button', { name: '1 hidden channel' }).click();
    await eventually(async () =>
      expect(await list(desk).locator('li a bdi').allInnerTexts()).to.deep.equal([
        ...['dock', 'general', 'crane', 'tug', 'noise'],
      ]),
    );
    await saveScreenshot(desk!, 'sidebar-hidden');
    await expectAccessible(desk!);
    const timelineId = await channelId('noise');
    await ann!.send('message:send', { timelineId, body: 'Only noise' });
    await ann!.send('message:send', { timelineId, body: `Come here, <@${ben!.id}>` });
    await bothShow('dock general crane noise tug');
    await list(other).getByRole('link', { name: 'noise, 1 mention, muted' }).click();
    await other!.getByText('Only noise').waitFor();
    // Read in the other window, the mention shows the channel no longer here.
    await list(desk).getByRole('button', { name: '1 hidden channel' }).waitFor();
    await list(other).getByRole('link', { name: 'general' }).click();
    await bothListHidden(1);
    await list(desk).getByRole('button', { name: '1 hidden channel' }).click();
    await choose('noise', 'Show channel');
    await bothShow('dock general crane noise tug');
    await bothListHidden(0);
  });

  const channelId = async (name: string) => {
    const entry = await ann!.send('server:open', { serverId });
    const all = entry.status === 'snapshot' ? entry.state.channels : [];
    return all.find((channel) => channel.name === name)!.id;
  };
  const bothListHidden = (count: number) =>
    eventually(async () => {
      for (const page of [desk, other])
        expect(await list(page).getByText('hidden channel').count()).to.equal(count);
    });

  it('a category is collapsed in all windows', async () => {
    await list(desk).getByRole('button', { name: 'Ships' }).click();
    await bothShow('dock general crane noise');
    await list(other).getByRole('button', { name: 'Ships' }).click();
    await bothShow('dock general crane noise tug');
  });

  it('servers are moved by the menu and by dragging', async () => {
    await bothList('Harbour Tea Chess');
    await desk!.locator('button.server-menu').click();
    expect(await desk!.getByRole('menuitem', { name: 'Move server up' }).count()).to.equal(0);
    await desk!.getByRole('menuitem', { name: 'Move server down' }).click();
    await bothList('Tea Harbour Chess');
    await desk!.getByRole('status').getByText('Harbour moved to position 2 of 3.').waitFor();
    const tile = (name: string) => rail(other).locator('li').filter({ hasText: name });
    await drag(tile('Chess'), tile('Tea'), 'above');
    await bothList('Chess Tea Harbour');
    await other!.reload();
    await bothList('Chess Tea Harbour');
    await expectAccessible(other!);
    await saveScreenshot(other!, 'sidebar-servers');
  });
});
