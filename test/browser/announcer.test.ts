import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { timelineRoom } from '../../shared/rooms.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  eventually,
  inState,
  message,
  openBrowser,
  say,
  serverAway,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

/** Milliseconds in which messages are collected and read out together. */
const together = 2_000;

describe('the announcer', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    await ann.send('channel:create', { serverId, name: 'garden' });
    await says('Long ago');
  });
  afterEach(closeWindows);
  after(() => app.close());

  const says = (body: string) => ben.send('message:send', { timelineId: general, body });

  async function listening() {
    const window = await openBrowser(app, { as: ann, path: undefined });
    window.forgive(serverAway);
    const { page } = window;
    await page.clock.install();
    await page.goto(`${app.url}/s/${serverId}/${general}`);
    await message(page, 'Long ago').waitFor();
    await page.evaluate(record);
    // A longer jump would look like sleep, after which the page replaces its connection.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    return page;
  }
  const announced = (page: Page) =>
    page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
  const waitForAnnounced = (page: Page, all: string[]) =>
    meanwhile(page, async () => expect(await announced(page)).to.deep.equal(all));
  const sees = (page: Page, text: string) =>
    meanwhile(page, async () => expect(await message(page, text).count()).to.equal(1));
  /** Frames are drawn only while the clock runs. */
  const meanwhile = (page: Page, check: () => Promise<unknown>) =>
    eventually(async () => {
      await page.clock.runFor(20);
      await check();
    });

  it('A11Y-04 reads out each message of others once, even if two are alike', async () => {
    const page = await listening();
    await says('**Hello**, Ann');
    await waitForAnnounced(page, ['Ben: Hello, Ann']);
    await page.clock.runFor(together);
    await says('ok');
    await waitForAnnounced(page, ['Ben: Hello, Ann', 'Ben: ok']);
    await page.clock.runFor(together);
    await says('ok');
    await waitForAnnounced(page, ['Ben: Hello, Ann', 'Ben: ok', 'Ben: ok']);
  });

  it('A11Y-04 sums up more than three within two seconds', async () => {
    const page = await listening();
    for (const body of ['One', 'Two', 'Three', 'Four']) await says(body);
    await sees(page, 'Four');
    await page.clock.runFor(together);
    await waitForAnnounced(page, ['Ben: One', 'Ben: Two', 'Ben: Three', 'Ben: Four']);
    for (const body of ['Five', 'Six', 'Seven', 'Eight']) await says(body);
    await sees(page, 'Eight');
    await page.clock.runFor(together);
    expect((await announced(page)).slice(4)).to.deep.equal(['4 new messages']);
  });

  it('A11Y-04 skips my own messages, other channels, and messages from before', async () => {
    const page = await listening();
    await say(page, 'My own words');
    const mine = inState(message(page, 'My own words'), 'sent');
    await meanwhile(page, async () => expect(await mine.count()).to.equal(1));
    await page.clock.resume();
    await page.getByRole('link', { name: 'garden' }).click();
    await page.getByRole('heading', { level: 1, name: 'garden' }).waitFor();
    await says('Elsewhere');
    await page.getByRole('link', { name: 'general, 1 unread' }).click();
    await message(page, 'Elsewhere').waitFor();
    // Saved messages show at once. Those sent before the page has rejoined the room were missed, and are not read out.
    await until(() => app.node.sockets.in(timelineRoom(general)).length === 1);
    await page.clock.runFor(together);
    expect(await announced(page)).to.deep.equal([]);
    await says('And now here');
    await waitForAnnounced(page, ['Ben: And now here']);
  });

  it('A11Y-04 skips messages that a reconnect brings', async () => {
    const page = await listening();
    await page.context().setOffline(true);
    await page.clock.runFor(2_000);
    await page.getByText('Reconnecting…').waitFor();
    await says('While you were away');
    await page.context().setOffline(false);
    await sees(page, 'While you were away');
    await page.clock.runFor(together);
    expect(await announced(page)).to.deep.equal([]);
    await says('Welcome back');
    await waitForAnnounced(page, ['Ben: Welcome back']);
  });
});

/** Runs in the page: records all text added to a polite live region. */
function record(): void {
  const announced: string[] = [];
  Object.assign(globalThis, { announced });
  new MutationObserver((mutations) => {
    for (const { target, addedNodes } of mutations) {
      const element = target instanceof Element ? target : target.parentElement;
      if (element?.closest('[aria-live=polite]'))
        for (const node of addedNodes) if (node.textContent) announced.push(node.textContent);
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}
