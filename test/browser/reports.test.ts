import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { saveScreenshots } from '../support/picture.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('reports in the client', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  it('are made from the menu of a message, and answered in the server settings', async () => {
    const [ann, ben, cem] = (await Promise.all(
      ['Ann', 'Ben', 'Cem'].map((name) => app.person(name)),
    )) as [Person, Person, Person];
    const { serverId, channelId } = await openPlace(ann, ben, cem);
    const path = `/s/${serverId}/${channelId}`;
    const say = (by: Person, body: string) =>
      by.send('message:send', { timelineId: channelId, body });
    await say(ann, 'Welcome');
    const offer = await say(ben, 'Cheap watches, write to me!');
    const { page: member } = await openBrowser(app, { as: cem, path });
    const row = (text: string) => member.getByRole('article').filter({ hasText: text });
    const openMenu = async (text: string) => {
      await row(text).hover();
      await row(text).getByRole('button', { name: /^More/ }).click();
    };
    await openMenu('Welcome');
    expect(await member.getByRole('menuitem', { name: 'Report…' }).count()).to.equal(0);
    await member.keyboard.press('Escape');
    await openMenu('Cheap watches');
    await member.getByRole('menuitem', { name: 'Report…' }).click();
    const dialog = member.getByRole('dialog', { name: 'Report this message by Ben?' });
    await dialog.getByRole('radio', { name: 'Spam or scam' }).check();
    await dialog.getByLabel('Note').fill('Third time today');
    await expectAccessible(member);
    await saveScreenshots(member, 'report');
    const answer = member.getByText('Report sent').waitFor();
    await dialog.getByRole('button', { name: 'Send report' }).click();
    await answer;
    await dialog.waitFor({ state: 'detached' });

    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('link', { name: 'Place, 1 to review' }).waitFor();
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Reports (1)' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByText('Third time today').waitFor();
    expect(await page.locator(':focus').innerText()).to.include('Reports (1)');
    const second = await say(ben, 'More watches');
    await cem.send('report:create', { messageId: second.message.id, kind: 'other' });
    await settings.getByText('More watches').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'reports');
    await page.setViewportSize({ width: 390, height: 844 });
    await saveScreenshots(page, 'reports-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
    await settings.getByRole('link', { name: 'general' }).first().click();
    await settings.waitFor({ state: 'detached' });
    await page.waitForURL(`**${path}/${offer.message.position}`);
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Reports (2)' }).click();
    await settings.getByRole('button', { name: 'Dismiss' }).last().click();
    await settings.getByText('More watches').waitFor({ state: 'detached' });
    await settings.getByRole('button', { name: 'Delete message…' }).click();
    await page.getByRole('button', { name: 'Delete message', exact: true }).click();
    await settings.getByText('No open reports.').waitFor();
    const { messages } = await ann.send('message:list', { timelineId: channelId });
    const deleted = messages.find(({ id }) => id === offer.message.id);
    expect(deleted).to.have.property('deletedAt');
    await settings.getByRole('tab', { name: 'Closed' }).click();
    await settings.getByText('Dismissed by Ann').waitFor();
    await settings.getByText('Handled by Ann').waitFor();
    await saveScreenshots(page, 'reports-closed');
    await settings.getByRole('button', { name: 'Close' }).click();
    await eventually(async () =>
      expect(await page.getByRole('link', { name: 'Place', exact: true }).count()).to.equal(1),
    );
  });
});
