import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  message,
  say,
} from '../support/browser.ts';
import { openOwnerAndMember, type OwnerAndMember } from '../support/owner-and-member.ts';
import { saveScreenshots } from '../support/picture.ts';

describe('a time-out in the client', function () {
  this.bail(true);
  let app: TestApp;
  let { ann, ben, page, bens, serverId, channelId } = {} as OwnerAndMember;

  before(async () => {
    app = await startSite();
    ({ ann, ben, page, bens, serverId, channelId } = await openOwnerAndMember(app));
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const note = () => bens.getByText(/^You’re timed out until (today|tomorrow), /);
  const choose = async (item: string) => {
    await page
      .getByRole('group', { name: 'Member list' })
      .getByRole('button', { name: 'Ben' })
      .click();
    await page.getByRole('button', { name: 'More for Ben' }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  it('takes the composer, but not the draft, and gives it back when a moderator ends it', async () => {
    await say(bens, 'First');
    await composer(bens).fill('Half a thought');
    await choose('Time out');
    const dialog = page.getByRole('dialog', { name: 'Time out Ben?' });
    await dialog.getByLabel('Duration').selectOption('1 hour');
    await dialog.getByLabel('Reason').fill('Shouting');
    await expectAccessible(page);
    await saveScreenshots(page, 'time-out-dialog');
    await dialog.getByRole('button', { name: 'Time out' }).click();
    await note().waitFor();
    await page.getByText(/^Timed out until (today|tomorrow), /).waitFor();
    expect(await composer(bens).count()).to.equal(0);
    await expectAccessible(bens);
    await saveScreenshots(bens, 'time-out-note');
    await saveScreenshots(page, 'time-out-card');
    const { message: first } = await ann.send('message:send', {
      timelineId: channelId,
      body: 'Calm',
    });
    await ann.send('message:react', { messageId: first.id, emoji: '🍵', on: true });
    await message(bens, 'Calm').getByRole('button', { name: /^🍵 1/, disabled: true }).waitFor();
    await message(bens, 'First').focus();
    await bens.keyboard.press(':');
    expect(await bens.getByRole('dialog').count()).to.equal(0);
    await bens.keyboard.press('e');
    expect(await bens.getByRole('textbox', { name: /^Edit/ }).count()).to.equal(0);
    await page.getByRole('button', { name: 'More for Ben' }).click();
    await page.getByRole('menuitem', { name: 'End time-out' }).click();
    await composer(bens).waitFor();
    expect(await composer(bens).inputValue()).to.equal('Half a thought');
    await page.keyboard.press('Escape');
    const { entries } = await ann.send('audit:list', { serverId });
    expect(entries.map(({ action, detail }) => [action, detail])).to.deep.include.members([
      ['member:timedOut', 'Shouting'],
      ['member:timeoutEnded', null],
    ]);
  });

  it('is over at its time, without a message from the server', async () => {
    await ann.send('member:timeOut', { serverId, userId: ben.id, seconds: 10 });
    await note().waitFor();
    await composer(bens).waitFor();
    const { members } = await ann.send('member:list', { serverId, userIds: [ben.id] });
    expect(members[0]).to.have.property('timeoutUntil');
  });
});
