import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('notices', () => {
  let app: TestApp;
  let [ann, ben]: Person[] = [];
  let serverId: string;
  let path: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all(['Ann', 'Ben'].map((name) => app.person(name)));
    const { server } = await ann!.send('server:create', { name: 'Place' });
    const { invite } = await ann!.send('invite:create', { serverId: server.id });
    await ben!.send('server:join', { code: invite.code });
    serverId = server.id;
    path = `/s/${server.id}/${server.defaultChannelId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const open = async (at: string) => {
    const { page } = await openBrowser(app, { as: ben!, path: undefined });
    await page.clock.install();
    await page.goto(app.url + at);
    await composer(page).waitFor();
    return page;
  };

  it('disappear after a while if they need no decision, but not while a person reads them', async () => {
    const page = await open(`${path}/99`);
    const notice = page.getByRole('status').getByText('That message doesn’t exist.');
    await notice.hover();
    await expectAccessible(page);
    await page.clock.runFor(15_000);
    expect(await notice.count(), 'under the pointer').to.equal(1);
    await page.mouse.move(600, 700);
    await page.getByRole('button', { name: 'Dismiss' }).focus();
    await page.clock.runFor(15_000);
    expect(await notice.count(), 'in focus').to.equal(1);
    await composer(page).focus();
    await page.clock.runFor(11_000);
    await notice.waitFor({ state: 'detached' });
  });

  it('disappear when the user navigates, if they need no decision', async () => {
    const page = await open(`${path}/99`);
    const notice = page.getByRole('status').getByText('That message doesn’t exist.');
    await notice.waitFor();
    await page.getByRole('link', { name: 'Direct messages' }).click();
    await notice.waitFor({ state: 'detached' });
    // Going back requests the missing message again, so the notice appears again.
    await page.goBack();
    await notice.waitFor();
  });

  it('stay if they report a loss of access or hold unsent text', async () => {
    const page = await open(path);
    await composer(page).fill('Half a thought');
    await ann!.send('member:remove', { serverId, userId: ben!.id });
    const notice = page.getByRole('status').filter({ hasText: 'You were removed from Place.' });
    await notice.getByRole('button', { name: 'Copy draft' }).waitFor();
    await page.clock.runFor(25_000);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
  });
});
