import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  choose,
  closeWindows,
  composer,
  expectAccessible,
  longPress,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('three people and a message', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cleo: Person;
  let path: string;

  before(async () => {
    app = await startSite();
    [ann, ben, cleo] = await Promise.all([
      app.person('Ann'),
      app.person('Ben'),
      app.person('Cleo'),
    ]);
    const { serverId, channelId } = await openPlace(ann, ben, cleo);
    path = `/s/${serverId}/${channelId}`;
    await ann.send('message:send', { timelineId: channelId, body: 'Tea at four?' });
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const tea = (page: Page) => message(page, 'Tea at four?').first();
  const chip = (page: Page, name: string) => tea(page).getByRole('button', { name });

  it('see who answered it, who reacted and who pinned it, live and after a reload', async () => {
    const { page: mouse } = await openBrowser(app, { as: ann, path });
    const { page: keys } = await openBrowser(app, { as: ben, path });
    const finger = await openBrowser(app, {
      ...{ as: cleo, path, width: 390, height: 844, touch: true },
    }).then(({ page }) => page);
    const pages = [mouse, keys, finger];
    for (const page of pages) await tea(page).waitFor();

    await tea(keys).focus();
    await keys.keyboard.press('r');
    await keys.getByRole('group', { name: 'Replying to Ann' }).waitFor();
    await composer(keys).pressSequentially('Gladly!');
    await keys.keyboard.press('Enter');

    // The arrival of the reply moves the row.
    await message(finger, 'Gladly!').waitFor();
    const sheet = finger.getByRole('dialog', { name: 'Message', exact: true });
    await longPress(tea(finger).locator('.text'), sheet);
    await sheet.getByRole('menuitem', { name: '👍' }).tap();
    await chip(mouse, '👍 1, Cleo').click();
    await chip(finger, '👍 2, You and Ann').waitFor();

    await choose(tea(mouse), 'Pin');

    const allSee = async () => {
      for (const [page, names] of [
        [mouse, 'You and Cleo'],
        [keys, 'Cleo and Ann'],
        [finger, 'You and Ann'],
      ] as const) {
        const reply = message(page, 'Gladly!');
        await reply.getByRole('link', { name: 'Ann Tea at four?' }).waitFor();
        expect(await chip(page, '👍 2').getAttribute('aria-label')).to.equal(`👍 2, ${names}`);
        await page.getByRole('article', { name: 'Ann pinned a message' }).waitFor();
        await expectAccessible(page);
      }
    };
    await allSee();
    for (const page of pages) {
      await page.reload();
      await tea(page).waitFor();
    }
    await allSee();

    await chip(finger, '👍 2').tap();
    await chip(keys, '👍 1, Ann').waitFor();
    await chip(mouse, '👍 1, You').waitFor();
  });
});
