import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('a channel’s name', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let path: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    path = `/s/${serverId}/${server.defaultChannelId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (): Promise<Page> => {
    const { page } = await openBrowser(app, { as: ann, path });
    await composer(page).waitFor();
    return page;
  };
  const creating = async (page: Page): Promise<Locator> => {
    await page.getByRole('button', { name: 'Create a channel', exact: true }).first().click();
    return page.getByRole('dialog', { name: 'Create a channel' });
  };

  it('is normalised while it is typed, and created as shown', async () => {
    const page = await see();
    const dialog = await creating(page);
    const name = dialog.getByLabel('Name');
    const steps: [typed: string, seen: string][] = [
      ['Platform', 'platform'],
      [' ', 'platform-'],
      [' - ', 'platform-'],
      ['Team!', 'platform-team'],
      ['?! ', 'platform-team-'],
    ];
    for (const [typed, seen] of steps) {
      await name.pressSequentially(typed);
      expect(await name.inputValue(), typed).to.equal(seen);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'platform-team', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'platform-team' }).first().waitFor();
  });

  it('keeps letters of any alphabet, and the caret in place during a correction', async () => {
    const page = await see();
    const name = (await creating(page)).getByLabel('Name');
    await name.pressSequentially('Größe Über 2_0');
    expect(await name.inputValue()).to.equal('größe-über-2_0');
    await page.keyboard.press('Home');
    await page.keyboard.type('Alle ');
    expect(await name.inputValue()).to.equal('alle-größe-über-2_0');
    await page.keyboard.type('!Drei ');
    expect(await name.inputValue()).to.equal('alle-drei-größe-über-2_0');
  });

  it('is left alone while an input method composes, then normalised', async () => {
    const page = await see();
    const name = (await creating(page)).getByLabel('Name');
    await name.pressSequentially('Plan ');
    const keyboard = await page.context().newCDPSession(page);
    const text = 'ni hao';
    await keyboard.send('Input.imeSetComposition', { text, selectionStart: 6, selectionEnd: 6 });
    expect(await name.inputValue()).to.equal('plan-ni hao');
    await keyboard.send('Input.insertText', { text: '你好 ' });
    expect(await name.inputValue()).to.equal('plan-你好-');
  });

  it('is normalised in the settings, too', async () => {
    await ann.send('channel:create', { serverId, name: 'old name' });
    const page = await see();
    await page.getByRole('link', { name: 'old name', exact: true }).click();
    await page.getByRole('button', { name: 'Channel settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Channel settings' });
    await settings.getByLabel('Name').fill('New Name, at last');
    expect(await settings.getByLabel('Name').inputValue()).to.equal('new-name-at-last');
    await settings.getByRole('button', { name: 'Save changes' }).click();
    await settings.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'new-name-at-last', exact: true }).waitFor();
  });
});
