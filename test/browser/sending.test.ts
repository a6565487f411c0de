import { expect } from 'chai';
import { limits } from '../../shared/limits.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  focused,
  inState,
  message,
  openBrowser,
  say,
  serverAway,
  texts,
} from '../support/browser.ts';
import { atLength } from '../support/length.ts';
import { tap } from '../support/socket-tap.ts';
import type { Person } from '../support/person.ts';

/** How long the page waits for an answer, in milliseconds of its own clock, which a test can advance. */
const timeoutMs = 5_000;

describe('sending', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let channelId: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, channelId] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  async function writing() {
    const window = await openBrowser(app, { as: ben, path: undefined });
    const line = await tap(window.page);
    await window.page.clock.install();
    await window.page.goto(`${app.url}/s/${serverId}/${channelId}`);
    await window.page.locator('#composer:focus').waitFor();
    await window.page.getByText('No messages yet.').waitFor();
    return { ...window, line };
  }
  const stored = async () =>
    (await ann.send('message:list', { timelineId: channelId, limit: 100 })).messages.map(
      ({ body }) => body,
    );

  it('UX-01 shows a message in the next frame, before any answer', async () => {
    const { page, line } = await writing();
    line.hold();
    await page.evaluate(() => {
      document.addEventListener('keydown', ({ key }) => {
        if (key !== 'Enter') return;
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const rows = [...document.querySelectorAll('article[data-state=pending]')];
            document.title = rows.map((row) => row.textContent).join('|');
          }),
        );
      });
    });
    await say(page, 'At once');
    await page.waitForFunction(() => document.title.includes('At once'));
    expect(await composer(page).inputValue()).to.equal('');
    await page.locator('#composer:focus').waitFor();
    expect(await message(page, 'At once').and(page.locator('.marked')).count()).to.equal(0);
    line.letGo();
    await inState(message(page, 'At once'), 'sent').waitFor();
  });

  it('UX-02 confirms a message in place, in the same element', async () => {
    const { page, line } = await writing();
    line.hold();
    await say(page, 'First');
    await say(page, 'Second');
    const rows = await Promise.all(
      ['First', 'Second'].map(async (text) => {
        const row = inState(message(page, text), 'pending');
        return { row: await row.elementHandle(), top: (await row.boundingBox())?.y };
      }),
    );
    expect(await message(page, 'First').getAttribute('aria-label')).to.match(/, not sent yet$/);
    line.letGo();
    await inState(message(page, 'Second'), 'sent').waitFor();
    expect(await texts(page)).to.deep.equal(['First', 'Second']);
    for (const { row, top } of rows) {
      expect(await row.getAttribute('data-state')).to.equal('sent');
      expect((await row.boundingBox())?.y).to.equal(top);
    }
  });

  it('UX-08 keeps the order of writing, for everybody and after a reload', async () => {
    const { page } = await writing();
    const count = atLength(8, 20);
    const written = Array.from({ length: count }, (_, i) => `Message ${i + 1} of ${count}`);
    for (const text of written) await say(page, text);
    await inState(message(page, `Message ${count} of`), 'sent').waitFor();
    expect(await texts(page)).to.deep.equal(written);
    expect(await stored()).to.deep.equal(written);
    await page.reload();
    await message(page, `Message ${count} of`).waitFor();
    expect(await texts(page)).to.deep.equal(written);
  });

  it('UX-03 says why a message was refused, and sends it on Retry', async () => {
    const { page, line } = await writing();
    line.refuse(/"message:send"/);
    await say(page, 'Did you get this?');
    const row = message(page, 'Did you get this?');
    await inState(row, 'failed').waitFor();
    await row.getByRole('alert').getByText('Not sent: The server hit an error.').waitFor();
    for (const name of ['Copy', 'Delete'])
      expect(await row.getByRole('button', { name, exact: true }).count()).to.equal(1);
    line.letGo();
    await row.getByRole('button', { name: 'Retry' }).click();
    expect(await focused(page)).to.equal('TEXTAREA');
    await inState(row, 'sent').waitFor();
    expect(await stored()).to.deep.equal(['Did you get this?']);
  });

  it('UX-03, UX-04 resends an unanswered message by itself, without a duplicate', async () => {
    const { page, line } = await writing();
    line.hold();
    await say(page, 'Did you get this?');
    const row = message(page, 'Did you get this?');
    await inState(row, 'pending').waitFor();
    // The message has arrived; only the answer is lost with the connection.
    await eventually(async () => expect(await stored()).to.have.length(1));
    line.cut();
    line.lose();
    await page.clock.fastForward(timeoutMs);
    await inState(row, 'sent').waitFor();
    expect(await row.count()).to.equal(1);
    expect(await stored()).to.deep.equal(['Did you get this?']);
  });

  it('UX-03 waits and resends if only the answer is missing', async () => {
    const { page, line } = await writing();
    const underWay = line.delay(/"message:send"/);
    await say(page, 'Can you hear me?');
    await underWay;
    await ann.send('message:send', { timelineId: channelId, body: 'Hello?' });
    await message(page, 'Hello?').waitFor();
    await page.clock.fastForward(timeoutMs);
    const row = inState(message(page, 'Can you hear me?'), 'pending');
    await row.getByText(/Sending again in \d+ s/).waitFor();
    line.lose();
    await page.clock.fastForward(timeoutMs);
    await inState(message(page, 'Can you hear me?'), 'sent').waitFor();
    expect(await texts(page)).to.deep.equal(['Hello?', 'Can you hear me?']);
  });

  it('deletes a failed message on request', async () => {
    const { page, line } = await writing();
    line.refuse(/"message:send"/);
    await say(page, 'Better not');
    const row = message(page, 'Better not');
    await inState(row, 'failed').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await focused(page)).to.equal('TEXTAREA');
    line.letGo();
    await say(page, 'Rather this');
    await inState(message(page, 'Rather this'), 'sent').waitFor();
    expect(await stored()).to.deep.equal(['Rather this']);
  });

  it('UX-05 waits as long as the server asks, and resends by itself', async () => {
    const strict = await startSite({ PARLEY_RATE_SCALE: '1' });
    const cem = await strict.guest('Cem');
    const [lobby] = (await cem.send('server:list', {})).servers;
    const timelineId = lobby!.defaultChannelId;
    const spend = () => cem.send('message:send', { timelineId, body: 'So fast' });
    await Promise.allSettled(Array.from({ length: 31 }, spend));
    const { page } = await openBrowser(strict, { as: cem });
    await page.locator('#composer:focus').waitFor();
    await say(page, 'Patience');
    await inState(message(page, 'Patience'), 'pending')
      .getByText(/Sending again in \d+ s/)
      .waitFor();
    await inState(message(page, 'Patience'), 'sent').waitFor();
    expect(await message(page, 'Patience').count()).to.equal(1);
    // Closed first, because the page would complain of the missing server.
    await closeWindows();
    await strict.close();
  });

  it('UX-07 sends no blank and no overlong message, and keeps the text', async () => {
    const { page } = await writing();
    await say(page, ' \n ');
    await composer(page).fill('x'.repeat(limits.body * 0.9));
    expect(await page.getByText('characters left').count()).to.equal(0);
    await composer(page).press('x');
    await page.getByText(`${limits.body * 0.1 - 1} characters left`).waitFor();
    await say(page, 'x'.repeat(limits.body + 1));
    expect(await composer(page).getAttribute('aria-invalid')).to.equal('true');
    await page.getByText('1 character over the limit').waitFor();
    expect(await composer(page).inputValue()).to.have.length(limits.body + 1);
    await composer(page).press('Backspace');
    await composer(page).press('Enter');
    await inState(message(page, 'xxx'), 'sent').waitFor();
    expect((await stored()).map((body) => body.length)).to.deep.equal([limits.body]);
  });

  it('UX-06 breaks a line with Shift and Enter, and does not send during composition', async () => {
    const { page } = await writing();
    await page.keyboard.type('One');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Two');
    await composer(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await composer(page).inputValue()).to.equal('One\nTwo');
    await page.keyboard.press('Enter');
    await inState(message(page, 'One'), 'sent').waitFor();
    expect(await stored()).to.deep.equal(['One\nTwo']);
  });

  it('UX-06 on touch, Enter breaks the line and a button sends', async () => {
    const { page } = await openBrowser(app, {
      ...{ as: ben, width: 390, height: 844, touch: true },
      path: `/s/${serverId}/${channelId}`,
    });
    await composer(page).tap();
    await page.keyboard.type('One');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Two');
    await page.getByRole('button', { name: 'Send' }).tap();
    await inState(message(page, 'One'), 'sent').waitFor();
    expect(await stored()).to.deep.equal(['One\nTwo']);
    expect(await focused(page)).to.equal('TEXTAREA');
  });

  it('UX-11 queues messages while the browser is offline, and sends them in order', async () => {
    const { page, forgive } = await writing();
    forgive(serverAway);
    await page.context().setOffline(true);
    await page.getByText('Reconnecting…').waitFor();
    await say(page, 'One, offline');
    await say(page, 'Two, offline');
    await inState(message(page, 'Two, offline'), 'pending').waitFor();
    await page.context().setOffline(false);
    await inState(message(page, 'Two, offline'), 'sent').waitFor();
    await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
    expect(await stored()).to.deep.equal(['One, offline', 'Two, offline']);
    expect(await texts(page)).to.deep.equal(['One, offline', 'Two, offline']);
    expect(await focused(page)).to.equal('TEXTAREA');
  });
});
