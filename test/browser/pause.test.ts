import { startSite, type TestApp } from '../support/app.ts';
import { checkWindows, closeWindows, expectAccessible, openBrowser } from '../support/browser.ts';
import { openPlace } from '../support/place.ts';
import { saveScreenshots } from '../support/picture.ts';

describe('a pause of invites in the client', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  it('starts and ends on the page of invite links, and is shown to people with a link', async () => {
    const [ann, cem] = await Promise.all([app.person('Ann'), app.person('Cem')]);
    const { serverId, channelId, code } = await openPlace(ann);
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${channelId}` });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await page.getByRole('button', { name: 'Invite links' }).click();
    await page.getByRole('button', { name: 'Pause for an hour' }).click();
    await page.getByText(/^All links are paused until (today|tomorrow), /).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'pause-links');
    const path = `/join/${code}`;
    const { page: cems } = await openBrowser(app, { as: cem, path, width: 390 });
    const paused = cems.getByText(/^Invites to this server are paused until (today|tomorrow), /);
    const join = cems.getByRole('button', { name: 'Join Place' });
    await paused.waitFor();
    await join.click();
    await cems.getByText('Invites to this server are paused. Try again later.').waitFor();
    await expectAccessible(cems);
    await saveScreenshots(cems, 'pause-join');
    await page.getByRole('button', { name: 'Resume links' }).click();
    await page.getByText('If unwanted people keep joining, pause all links.').waitFor();
    await page
      .getByRole('button', { name: 'Pause for an hour' })
      .and(page.locator(':focus'))
      .waitFor();
    await join.click();
    await cems.getByRole('heading', { name: 'general', exact: true }).waitFor();
  });

  it('is shown to a stranger before and after they sign in', async () => {
    const ann = await app.person('Ann');
    const { serverId, code } = await openPlace(ann);
    await ann.send('invite:pause', { serverId, seconds: 60 });
    const { page } = await openBrowser(app, { path: `/join/${code}` });
    await page.getByText('Invites are paused.').waitFor();
    await saveScreenshots(page, 'pause-stranger');
    const { username } = (await app.person('Dora')).user;
    await page.getByLabel('Username').fill(username ?? '');
    await page.getByLabel('Password', { exact: true }).fill(`the password of ${username ?? ''}`);
    await page.keyboard.press('Enter');
    await page.getByText(/^Invites to this server are paused until /).waitFor();
    await ann.send('invite:pause', { serverId, seconds: 0 });
    await page.getByRole('button', { name: 'Join Place' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
  });

  it('lets a stranger who was refused in once it has ended', async () => {
    const ann = await app.person('Ann');
    const { serverId, code } = await openPlace(ann);
    await ann.send('invite:pause', { serverId, seconds: 60 });
    const { page, forgive } = await openBrowser(app, { path: `/join/${code}` });
    forgive(/status of 409/);
    await page.getByLabel('Your name').fill('Eve');
    await page.keyboard.press('Enter');
    await page.getByText('Invites to this server are paused. Try again later.').waitFor();
    await ann.send('invite:pause', { serverId, seconds: 0 });
    await page.getByLabel('Your name').press('Enter');
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
  });
});
