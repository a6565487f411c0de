import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

describe('a server’s own emoji in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let serverId: string;
  let timelineId: string;
  let buffer: Buffer;

  before(async () => {
    app = await startSite();
    buffer = await picture(64, 64).png().toBuffer();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    path = `/s/${serverId}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const give = async (name: string) => {
    const { id: fileId } = await upload(ann, { purpose: 'emoji' }, buffer);
    return (await ann.send('emoji:create', { serverId, name, fileId })).emoji;
  };
  const isDrawn = (image: Locator) =>
    until(() => image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth > 0));

  it('are added with a picture and a name, and deleted, in the settings', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByRole('button', { name: 'Emoji', exact: true }).click();
    await settings
      .getByLabel('Picture of the emoji')
      .setInputFiles({ name: 'Party Time.png', mimeType: 'image/png', buffer });
    const name = settings.getByLabel('Name', { exact: true });
    await until(async () => (await name.inputValue()) === 'party_time');
    await name.fill('Party!');
    await settings.getByRole('button', { name: 'Add emoji' }).click();
    await settings.getByText('Use 2 to 32 lowercase letters').waitFor();
    await name.fill('party');
    await page.keyboard.press('Enter');
    const list = settings.getByRole('list', { name: 'Emoji of this server' });
    await isDrawn(list.locator('img'));
    await expectAccessible(page);
    await saveScreenshots(page, 'emoji-settings-1280');
    await list.getByRole('button', { name: 'Delete :party:' }).click();
    await page.getByRole('button', { name: 'Delete emoji' }).click();
    await list.waitFor({ state: 'detached' });
  });

  it('are offered after a colon, drawn in messages, and only a name once deleted', async () => {
    const { id: emojiId } = await give('party');
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    await composer(page).click();
    await page.keyboard.type('Well :par');
    const option = page.getByRole('option', { name: 'party', exact: true });
    await isDrawn(option.locator('img'));
    await expectAccessible(page);
    await saveScreenshots(page, 'emoji-completion-1280');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).to.equal('Well :party: ');
    await page.keyboard.press('Enter');
    const sign = bens.getByRole('img', { name: ':party:' });
    await isDrawn(sign);
    await expectAccessible(bens);
    const { messages } = await ben.send('message:list', { timelineId, limit: 1 });
    expect(messages[0]?.body.trim()).to.equal('Well :party:');
    await ann.send('emoji:delete', { serverId, emojiId });
    await message(bens, 'Well :party:').waitFor();
    await sign.waitFor({ state: 'detached' });
  });

  it('may have the name of a property of every object, and only a hundred in a message are drawn', async () => {
    const names = [':__proto__:', ':constructor:'];
    await ben.send('message:send', { timelineId, body: `Odd ${names.join(' ')}` });
    const { page } = await openBrowser(app, { as: ann, path });
    await message(page, `Odd ${names.join(' ')}`).waitFor();
    expect(await page.getByRole('img', { name: /^:/ }).count()).to.equal(0);
    for (const name of names) {
      await give(name.slice(1, -1));
      await isDrawn(page.getByRole('img', { name }));
    }
    await ben.send('message:send', { timelineId, body: `Many ${'\n\n:constructor:'.repeat(260)}` });
    const many = message(page, 'Many');
    await many.getByRole('button', { name: /^Show all/ }).click();
    expect(await many.getByRole('img', { name: ':constructor:' }).count()).to.equal(100);
    await many.getByText(':constructor:').last().waitFor();
  });

  it('are in the picker, and work as reactions', async () => {
    const { id: emojiId } = await give('party');
    await ben.send('message:send', { timelineId, body: 'Tea?' });
    const { page } = await openBrowser(app, { as: ann, path });
    await message(page, 'Tea?').hover();
    await message(page, 'Tea?').getByRole('button', { name: 'Add reaction' }).first().click();
    await page.getByRole('heading', { name: 'This server' }).waitFor();
    await saveScreenshots(page, 'emoji-picker-1280');
    await page.keyboard.type('party');
    await page.getByRole('button', { name: 'party', exact: true }).click();
    const chip = message(page, 'Tea?').getByRole('button', { name: /^:party: 1, You/ });
    await isDrawn(chip.locator('img'));
    await expectAccessible(page);
    await saveScreenshots(page, 'emoji-reaction-1280');
    const { messages } = await ben.send('message:list', { timelineId, limit: 1 });
    expect(messages[0]?.reactions?.[0]).to.include({ emoji: ':party:', count: 1 });
    await ann.send('emoji:delete', { serverId, emojiId });
    await chip.getByText(':party:').waitFor();
  });

  it('are seen and picked on a phone', async () => {
    await give('party');
    await ben.send('message:send', { timelineId, body: 'Hooray :party:' });
    const looks = { width: 390, height: 844, touch: true };
    const { page } = await openBrowser(app, { as: ann, path, ...looks });
    await isDrawn(page.getByRole('img', { name: ':party:' }));
    await page.getByRole('button', { name: 'Add emoji' }).tap();
    await page.getByRole('heading', { name: 'This server' }).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'emoji-picker-390');
    await page.getByRole('button', { name: 'party', exact: true }).tap();
    await until(async () => (await composer(page).inputValue()) === ':party:');
  });
});
