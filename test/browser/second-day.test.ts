/** Defects found by three people on a second day of use. */
import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('everyday use', () => {
  let app: TestApp;
  let [ann, ben, cem]: Person[] = [];
  let path: string;

  before(async () => {
    app = await startSite();
    [ann, ben, cem] = await Promise.all(['Ann', 'Ben', 'Cem'].map((name) => app.person(name)));
    const { server } = await ann!.send('server:create', { name: 'Place' });
    const { invite } = await ann!.send('invite:create', { serverId: server.id });
    for (const person of [ben!, cem!]) await person.send('server:join', { code: invite.code });
    await ann!.send('server:update', { serverId: server.id, messageRequests: true });
    path = `/s/${server.id}/${server.defaultChannelId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('on a phone the back link of a channel counts message requests', async () => {
    const phone = { width: 390, height: 844, touch: true };
    const { page } = await openBrowser(app, { as: ben!, path, ...phone });
    await composer(page).waitFor();
    await page.getByRole('link', { name: 'Back to Place', exact: true }).waitFor();
    const { conversation } = await ann!.send('conversation:create', { userIds: [ben!.user.id] });
    await ann!.send('message:send', { timelineId: conversation.id, body: 'Are you there?' });
    const back = page.getByRole('link', { name: 'Back to Place, 1 message request' });
    await back.waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/back-${colorScheme}.png` });
    }
    const [badge, header] = await Promise.all(
      [back.locator('[data-count]'), page.locator('header').first()].map((one) =>
        one.boundingBox(),
      ),
    );
    expect(badge!.x + badge!.width).to.be.at.most(header!.x + header!.width);
    expect(badge!.y).to.be.at.least(header!.y);
    const title = await page.getByRole('heading', { level: 1 }).boundingBox();
    expect(title!.x - badge!.x - badge!.width).to.be.at.least(8);
  });

  it('on a phone an empty field has one line, however long the name of the channel', async () => {
    const serverId = path.split('/')[2] ?? '';
    const name = 'plans-for-the-summer-of-the-year';
    const { channel } = await ann!.send('channel:create', { serverId, name });
    const phone = { width: 390, height: 844, touch: true };
    const { page } = await openBrowser(app, { as: ben!, path, ...phone });
    await composer(page).waitFor();
    const { height } = (await composer(page).boundingBox())!;
    await page.goto(`${app.url}/s/${serverId}/${channel.id}`);
    await page.getByPlaceholder(name).waitFor();
    expect((await composer(page).boundingBox())!.height).to.equal(height);
  });

  it('actions are shown for one message, the last one reached by key or pointer', async () => {
    const { page } = await openBrowser(app, { as: ben!, path });
    for (const body of ['One', 'Two', 'Three'])
      await ann!.send('message:send', { timelineId: path.split('/')[3] ?? '', body });
    await message(page, 'Three').waitFor();
    const shownOf = (text: string) =>
      eventually(async () => {
        const toolbars = page.getByRole('group', { name: 'Message', exact: true });
        expect(await toolbars.count()).to.equal(1);
        expect(await message(page, text).filter({ has: toolbars }).count()).to.equal(1);
      });
    await message(page, 'One').hover();
    await shownOf('One');
    await message(page, 'Three').focus();
    await page.keyboard.press('ArrowUp');
    await shownOf('Two');
    await message(page, 'Three').hover();
    await shownOf('Three');
    // An open menu keeps its row, even when the pointer passes over others.
    await message(page, 'Three').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy text' }).waitFor();
    const one = (await message(page, 'One').boundingBox())!;
    await page.mouse.move(one.x + one.width / 2, one.y + 5);
    await shownOf('Three');
    await page.getByRole('menuitem', { name: 'Copy text' }).click();
    await message(page, 'One').hover();
    await shownOf('One');
    expect(await message(page, 'Three').evaluate((row) => row === document.activeElement)).to.equal(
      true,
    );
  });

  it('a notice for one person is not shown to the next who signs in', async () => {
    const asked = await cem!.send('friendRequest:create', { userId: ann!.user.id });
    const requestId = 'friendRequest' in asked ? asked.friendRequest.id : '';
    const { page } = await openBrowser(app, { as: cem!, path });
    await composer(page).waitFor();
    await ann!.send('friendRequest:update', { requestId, status: 'accepted' });
    const notice = page.getByText('Ann accepted your friend request.');
    await notice.waitFor();
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    const username = ben!.user.username ?? '';
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(`the password of ${username}`);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'You' }).getByText('Ben').waitFor();
    expect(await notice.count()).to.equal(0);
  });
});
