import { expect } from 'chai';
import type { Page } from 'playwright-core';
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

describe('replies in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;
  let messageId: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    messageId = (await ann.send('message:send', { timelineId, body: 'Tea at *four*?' })).message.id;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person) => (await openBrowser(app, { as, path })).page;
  const bar = (page: Page) => page.getByRole('group', { name: 'Replying to Ann' });

  it('are written from a message, and lead back to it', async () => {
    const page = await see(ben);
    await message(page, 'Tea at four?').hover();
    await page.getByRole('button', { name: 'Reply' }).click();
    await bar(page).getByText('Tea at four?').waitFor();
    await expectAccessible(page);
    await composer(page).pressSequentially('Gladly!');
    await page.keyboard.press('Enter');
    await bar(page).waitFor({ state: 'detached' });
    const reply = message(page, 'Gladly!');
    await inState(reply, 'sent').waitFor();
    await reply.getByRole('link', { name: 'Ann Tea at four?' }).click();
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-position') === '1');
    await page.goBack();
    await expectAccessible(page);
    const { messages } = await ann.send('message:list', { timelineId, limit: 1 });
    expect(messages[0]?.replyTo?.id).to.equal(messageId);
  });

  it('follow edits and deletion of the message that they answer', async () => {
    await ben.send('message:send', { timelineId, body: 'Gladly!', replyTo: messageId });
    const page = await see(ann);
    const reply = message(page, 'Gladly!');
    await reply.getByText('Tea at four?').waitFor();
    await ann.send('message:edit', { messageId, body: 'Tea at five?' });
    await reply.getByText('Tea at five?').waitFor();
    await ann.send('message:delete', { messageId });
    await reply.getByText('Message deleted').waitFor();
    expect(await page.content()).to.not.contain('Tea at five?');
  });

  it('are saved with the draft, and cancelled by Esc', async () => {
    const page = await see(ben);
    await message(page, 'Tea at four?').focus();
    await page.keyboard.press('r');
    await bar(page).waitFor();
    await composer(page).fill('Later');
    await page.reload();
    await bar(page).waitFor();
    expect(await composer(page).inputValue()).to.equal('Later');
    await composer(page).press('Escape');
    await bar(page).waitFor({ state: 'detached' });
    expect(await composer(page).inputValue()).to.equal('Later');
  });

  it('mention the author, unless the writer says not to', async () => {
    const page = await see(ben);
    const mentioned = async () => {
      const fresh = await ann.newTab();
      fresh.close();
      return fresh.ready.timelines[timelineId]?.mentions;
    };
    const answer = async (body: string, quietly: boolean) => {
      await message(page, 'Tea at four?').first().focus();
      await page.keyboard.press('r');
      if (quietly) await page.getByRole('button', { name: 'Ann will be notified' }).click();
      await composer(page).fill(body);
      await composer(page).press('Enter');
      await inState(message(page, body), 'sent').waitFor();
    };
    await answer('Quietly', true);
    expect(await mentioned()).to.deep.equal([]);
    await answer('Loudly', false);
    expect(await mentioned()).to.deep.equal([3]);
  });
});
