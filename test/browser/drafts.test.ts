import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
  texts,
} from '../support/browser.ts';
import { tap } from '../support/socket-tap.ts';
import type { Person } from '../support/person.ts';

describe('unsent text', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
    // An instance without an owner makes the first page poll for one.
    (await app.owner()).close();
    ann = await app.person('Ann');
  });
  beforeEach(async () => {
    ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    await ann.send('channel:create', { serverId, name: 'garden' });
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const at = (channelId: string) => `/s/${serverId}/${channelId}`;
  const writing = () => openBrowser(app, { as: ben, path: at(general) });
  /** Ben's page, with a connection that can be cut and a clock that can be advanced. */
  async function onTheLine() {
    const window = await openBrowser(app, { as: ben, path: undefined });
    const line = await tap(window.page);
    await window.page.clock.install();
    await window.page.goto(app.url + at(general));
    await window.page.getByText('No messages yet.').waitFor();
    return { ...window, line };
  }
  const entry = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name, exact: true });
  const stored = async () =>
    (await ann.send('message:list', { timelineId: general })).messages.map(({ body }) => body);
  const expectDraft = (page: Page, text: string) =>
    eventually(async () => expect(await composer(page).inputValue()).to.equal(text));

  async function signIn(page: Page, { user }: Person) {
    await page.getByLabel('Username').fill(user.username ?? '');
    await page
      .getByLabel('Password', { exact: true })
      .fill(`the password of ${user.username ?? ''}`);
    await page.keyboard.press('Enter');
    await composer(page).waitFor();
  }

  async function signOut(page: Page, how: 'warned' | 'unwarned') {
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out?' });
    await dialog.waitFor();
    expect(await dialog.getByText('unsent messages').count()).to.equal(how === 'warned' ? 1 : 0);
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('tab', { name: 'Sign in' }).waitFor();
  }

  it('UX-42 stays with its channel, which is marked, and survives a reload', async () => {
    const { page } = await writing();
    await composer(page).fill('Half a thought');
    await entry(page, 'garden').click();
    await entry(page, 'general, draft').waitFor();
    await expectAccessible(page);
    await expectDraft(page, '');
    await composer(page).fill('Seeds');
    await page.reload();
    await expectDraft(page, 'Seeds');
    await entry(page, 'general, draft').click();
    await expectDraft(page, 'Half a thought');
    await entry(page, 'garden, draft').waitFor();
    await composer(page).press('Enter');
    await inState(message(page, 'Half a thought'), 'sent').waitFor();
    await page.reload();
    await message(page, 'Half a thought').waitFor();
    await expectDraft(page, '');
    await entry(page, 'general').waitFor();
  });

  it('UX-42 is the same in two tabs, and neither overwrites the other', async () => {
    const { page, ...window } = await writing();
    await composer(page).fill('From the first');
    const second = await window.tab(at(general));
    await expectDraft(second, 'From the first');
    await composer(second).pressSequentially(', and the second');
    await expectDraft(page, 'From the first, and the second');
    await entry(second, 'garden').click();
    await composer(second).fill('Seeds');
    await entry(page, 'garden, draft').waitFor();
    await composer(page).press('Enter');
    await entry(second, 'general, 1 unread').or(entry(second, 'general')).waitFor();
    await page.reload();
    await expectDraft(page, '');
    await entry(page, 'garden, draft').click();
    await expectDraft(page, 'Seeds');
  });

  it('UX-14, UX-42 outlives the session for its author, and for nobody else', async () => {
    const { page } = await onTheLine();
    let sockets = 0;
    page.on('websocket', () => (sockets += 1));
    await composer(page).fill('Half a thought');
    await ben.send('session:logout', {});
    await page.getByRole('status').getByText('You were signed out.').waitFor();
    // At most one attempt: the server refuses it, and no further attempt follows.
    await page.clock.runFor(120_000);
    expect(sockets).to.be.at.most(1);

    const { invite } = await ann.send('invite:create', { serverId });
    const cem = await app.person('Cem');
    await cem.send('server:join', { code: invite.code });
    await signIn(page, cem);
    await expectDraft(page, '');
    await signOut(page, 'unwarned');
    await signIn(page, ben);
    await expectDraft(page, 'Half a thought');
  });

  it('UX-42 is deleted on sign-out', async () => {
    const { page } = await writing();
    await composer(page).fill('Half a thought');
    await signOut(page, 'warned');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).to.not.include('Half');
    await signIn(page, ben);
    await expectDraft(page, '');
  });

  it('can be written and sent even if storage is forbidden or full', async () => {
    for (const hinder of [forbidStorage, fillStorage]) {
      const { page } = await openBrowser(app, { as: ben, path: undefined });
      await page.addInitScript(hinder);
      await page.goto(app.url + at(general));
      await composer(page).fill('Half a thought');
      await entry(page, 'garden').click();
      await entry(page, 'general, draft').click();
      await expectDraft(page, 'Half a thought');
      await composer(page).press('Enter');
      await inState(message(page, 'Half a thought').last(), 'sent').waitFor();
    }
  });

  it('is not restored from malformed stored values', async () => {
    const { page } = await writing();
    await page.evaluate(
      ([me, here]) => {
        for (const kind of ['draft', 'edit', 'unsent', 'lost'])
          for (const [i, text] of ['{', '7', 'null', '{"body":1}', '[]'].entries())
            localStorage.setItem(`parley.${kind}.${me}.${i === 0 ? here : i}`, text);
        localStorage.setItem('parley.visited', '"there"');
        localStorage.setItem('parley.theme', '{}');
      },
      [ben.id, general],
    );
    await page.reload();
    await page.getByText('No messages yet.').waitFor();
    await expectDraft(page, '');
    expect(await texts(page)).to.be.empty;
  });

  it('UX-08 if it was being sent, is sent after a reload, in order and once', async () => {
    const { page, line } = await onTheLine();
    line.cut();
    const written = ['One', 'Two', 'Three'];
    for (const text of written) await say(page, text);
    await inState(message(page, 'Three'), 'pending').waitFor();
    await page.reload();
    await inState(message(page, 'Three'), 'sent').waitFor();
    expect(await texts(page)).to.deep.equal(written);
    expect(await stored()).to.deep.equal(written);
    await page.reload();
    await message(page, 'Three').waitFor();
    expect(await stored()).to.deep.equal(written);
  });

  it('UX-04 is not duplicated if only the answer was lost', async () => {
    const { page, line } = await onTheLine();
    line.hold();
    await say(page, 'Did you get this?');
    await eventually(async () => expect(await stored()).to.have.length(1));
    await inState(message(page, 'Did you get this?'), 'pending').waitFor();
    line.lose();
    await page.reload();
    await inState(message(page, 'Did you get this?'), 'sent').waitFor();
    expect(await texts(page)).to.deep.equal(['Did you get this?']);
    expect(await stored()).to.deep.equal(['Did you get this?']);
    expect(await countSavedMessages(page)).to.equal(0);
  });

  it('UX-03, UX-04 if it had failed, still says so after a reload, and can be retried', async () => {
    const { page, line } = await onTheLine();
    line.refuse(/"message:send"/);
    await say(page, 'Hello?');
    await inState(message(page, 'Hello?'), 'failed').waitFor();
    line.letGo();
    await entry(page, 'garden').click();
    await page.getByRole('heading', { level: 1, name: 'garden' }).waitFor();
    await ann.send('message:send', { timelineId: general, body: 'Meanwhile' });
    await page.reload();
    await entry(page, 'general, 1 unread').click();
    // The failed message is not sent, so it does not mark the timeline as read.
    await page.getByRole('separator', { name: 'New messages' }).waitFor();
    const row = inState(message(page, 'Hello?'), 'failed');
    await row.getByText('Not sent: The server hit an error.').waitFor();
    await row.getByRole('button', { name: 'Retry' }).click();
    await inState(message(page, 'Hello?'), 'sent').waitFor();
    expect(await stored()).to.deep.equal(['Meanwhile', 'Hello?']);
  });

  it('UX-04 is sent once by two tabs, and not at all if deleted in one', async () => {
    const { page, line, ...window } = await onTheLine();
    line.refuse(/"message:send"/);
    for (const text of ['Keep this', 'Not this']) {
      await say(page, text);
      await inState(message(page, text), 'failed').waitFor();
    }
    line.hold();
    const second = await window.tab(at(general));
    for (const text of ['Keep this', 'Not this'])
      await inState(message(second, text), 'failed').waitFor();
    await message(second, 'Not this').getByRole('button', { name: 'Delete' }).click();
    await message(second, 'Keep this').getByRole('button', { name: 'Retry' }).click();
    await inState(message(second, 'Keep this'), 'sent').waitFor();
    // The first page has not received any of this.
    line.lose();
    for (const text of ['Keep this', 'Not this'])
      await message(page, text).getByRole('button', { name: 'Retry' }).click();
    for (const one of [page, second]) {
      await inState(message(one, 'Keep this'), 'sent').waitFor();
      await eventually(async () => expect(await texts(one)).to.deep.equal(['Keep this']));
    }
    expect(await stored()).to.deep.equal(['Keep this']);
  });

  const countSavedMessages = (page: Page) =>
    page.evaluate(
      () => Object.keys(localStorage).filter((key) => key.startsWith('parley.unsent')).length,
    );
});

/** Runs in the page: makes localStorage throw, as in a browser that blocks storage. */
function forbidStorage(): void {
  Object.defineProperty(globalThis, 'localStorage', {
    get() {
      throw new DOMException('Forbidden', 'SecurityError');
    },
  });
}

/** Runs in the page: fills localStorage, as other pages of this origin can. */
function fillStorage(): void {
  for (let size = 2 ** 22; size >= 1; size /= 2) {
    try {
      for (let i = 0; ; i++) localStorage.setItem(`full.${size}.${i}`, 'x'.repeat(size));
    } catch {
      // The quota is reached, as intended.
    }
  }
}
