import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  focused,
  inState,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import { heldChunks, type HeldChunks } from '../support/held-chunks.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('an announcement channel', function () {
  this.bail(true);
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let page: Page;
  let bens: Page;
  let chunks: HeldChunks;
  let serverId: string;
  let channelId: string;
  const received: string[] = [];

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    ({ serverId, channelId } = await openPlace(ann, ben));
    const path = `/s/${serverId}/${channelId}`;
    ({ page } = await openBrowser(app, { as: ann, path }));
    ({ page: bens } = await openBrowser(app, { as: ben, path: undefined, width: 390 }));
    bens.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => received.push(String(payload))),
    );
    chunks = await heldChunks(bens);
    await bens.goto(app.url + path);
    await composer(bens).waitFor();
  });
  afterEach(checkWindows);
  // The tests share the windows, and each begins with a channel in which everyone can send.
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const note = () => bens.getByText('Only moderators can send messages here.');
  const search = () => bens.getByRole('combobox', { name: 'Search messages' });
  const bottom = async () => {
    const box = await bens.getByRole('region', { name: /^Messages in / }).boundingBox();
    return box!.y + box!.height;
  };
  const close = async () => {
    await ann.send('channel:update', { channelId, announcements: true });
    await note().waitFor();
  };
  const open = async () => {
    await ann.send('channel:update', { channelId, announcements: false });
    await composer(bens).waitFor();
  };

  it('has a note in place of the composer for members, who can read and react', async () => {
    await composer(bens).fill('Half a thought');
    const choose = async (option: string) => {
      await page.getByRole('button', { name: 'Channel settings' }).click();
      await page.getByLabel('Who can send messages').selectOption(option);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
    };
    const before = await bottom();
    await choose('Only moderators');
    await note().waitFor();
    expect(await composer(bens).count()).to.equal(0);
    expect(await bottom()).to.equal(before);
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
    await note().waitFor({ state: 'detached' });
    expect(await composer(bens).inputValue()).to.equal('Half a thought');
    await composer(bens).fill('');
  });

  it('leaves the focus in another field when the composer returns', async () => {
    await bens.setViewportSize({ width: 1_280, height: 800 });
    await composer(bens).focus();
    await close();
    await open();
    await composer(bens).and(bens.locator(':focus')).waitFor();
    await close();
    await bens.keyboard.press('Control+k');
    await bens.getByRole('combobox', { name: /^Jump to/ }).fill('Monday');
    await bens.getByRole('option', { name: /Search messages for/ }).click();
    await search().fill('cra');
    await open();
    await bens.keyboard.type('ne');
    expect(await search().inputValue()).to.equal('crane');
    expect(await composer(bens).inputValue()).to.equal('');
  });

  it('closes the editor of a message, and opens it with its text once members can send', async () => {
    await say(bens, 'See you on Monday');
    await inState(message(bens, 'See you on Monday'), 'sent').waitFor();
    await composer(bens).press('ArrowUp');
    const editor = bens.getByLabel('Edit message');
    await editor.fill('See you on Tuesday');
    await close();
    await editor.waitFor({ state: 'detached' });
    await message(bens, 'See you on Monday').waitFor();
    await search().focus();
    await open();
    await editor.waitFor();
    await search().and(bens.locator(':focus')).waitFor();
    expect(await editor.inputValue()).to.equal('See you on Tuesday');
    await editor.press('Enter');
    await inState(message(bens, 'See you on Tuesday'), 'sent').waitFor();
  });

  it('refuses files with the reason, and keeps those of the draft for later', async () => {
    const files = bens.getByRole('list', { name: 'Files to send' });
    const bring = (how: 'drop' | 'paste') =>
      bens.evaluate((how) => {
        const data = new DataTransfer();
        data.items.add(new File(['tea'], 'tea.txt'));
        const options = { bubbles: true, cancelable: true };
        document.body.dispatchEvent(
          how === 'drop'
            ? new DragEvent(how, { ...options, dataTransfer: data })
            : new ClipboardEvent(how, { ...options, clipboardData: data }),
        );
      }, how);
    const isAsked = () =>
      bens.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    chunks.hold();
    await bring('drop');
    await files.getByText('tea.txt').waitFor();
    await bens.getByRole('progressbar').waitFor();
    expect(await isAsked()).to.equal(true);
    await close();
    expect(await files.count()).to.equal(0);
    expect(await bens.getByRole('progressbar').count()).to.equal(0);
    expect(await isAsked()).to.equal(false);
    for (const how of ['drop', 'paste'] as const) {
      await bring(how);
      const refusal = bens.getByText('Only moderators can share files here.');
      await refusal.waitFor();
      await bens.getByRole('button', { name: 'Dismiss' }).click();
      await refusal.waitFor({ state: 'detached' });
    }
    chunks.letGo();
    await until(() => received.some((frame) => frame.includes('"forbidden"')));
    expect(await bens.getByRole('alert').count()).to.equal(0);
    await open();
    await files.getByText('3 B').waitFor();
    expect(await files.getByRole('listitem').count()).to.equal(1);
    await say(bens, 'A cup');
    await inState(message(bens, 'A cup'), 'sent').getByText('tea.txt').waitFor();
    expect(await isAsked()).to.equal(false);
  });

  it('has no note for a moderator whose role is not known yet, and nothing moves', async () => {
    await ann.send('member:update', { serverId, userId: ben.id, role: 'moderator' });
    const { channel } = await ann.send('channel:create', {
      ...{ serverId, name: 'staff', announcements: true },
      ...{ private: true, userIds: [ben.id] },
    });
    await ann.send('message:send', { timelineId: channel.id, body: 'Welcome' });
    let held: (() => void)[] | undefined = [];
    await bens.routeWebSocket(/socket\.io/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((frame) => server.send(frame));
      server.onMessage((frame) => {
        const isOfServer = String(frame).includes('"role":"moderator"');
        if (held && isOfServer) held.push(() => socket.send(frame));
        else socket.send(frame);
      });
    });
    await bens.goto(`${app.url}/s/${serverId}/${channel.id}`);
    await message(bens, 'Welcome').waitFor();
    expect(await note().count()).to.equal(0);
    expect(await composer(bens).count()).to.equal(0);
    const before = await bottom();
    expect(held).to.have.lengthOf(1);
    for (const pass of held) pass();
    held = undefined;
    await composer(bens).waitFor();
    expect(await bottom()).to.equal(before);
  });

  it('is created with a checkbox in the dialog', async () => {
    await page.getByRole('button', { name: 'Create a channel', exact: true }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create a channel' });
    await dialog.getByLabel('Name').fill('news');
    await dialog.getByRole('checkbox', { name: 'Announcements', exact: true }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create channel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await say(page, 'We move on Monday');
    await ann.send('member:update', { serverId, userId: ben.id, role: 'member' });
    await bens.getByRole('link', { name: /^news/ }).click();
    await message(bens, 'We move on Monday').waitFor();
    await note().waitFor();
  });
});
