import { expect } from 'chai';
import { budget } from '../../server/realtime/fitting.ts';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, eventually, openBrowser } from '../support/browser.ts';

describe('rooms in parts', () => {
  let app: TestApp;
  const { partBytes } = budget;

  before(async () => {
    app = await startSite();
    budget.partBytes = 600;
  });
  afterEach(closeWindows);
  after(async () => {
    budget.partBytes = partBytes;
    await app.close();
  });

  it('are complete in the end, and after a reconnect', async () => {
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Wide' });
    for (let i = 0; i < 12; i += 1) {
      await ann.send('channel:create', { serverId: server.id, name: `channel-${i}` });
      await ann.send('server:create', { name: `Other ${i}` });
    }
    const path = `/s/${server.id}/${server.defaultChannelId}`;
    const { page, forgive } = await openBrowser(app, { as: ann, path });
    const isWhole = () =>
      eventually(async () => {
        expect(await page.locator('.sidebar a[href*="/s/"]').count()).to.equal(13);
        expect(await page.locator('.rail a[href*="/s/"]').count()).to.equal(14);
        expect(await page.title()).to.include('#general');
      });
    await isWhole();
    forgive(/.*/);
    await page.context().setOffline(true);
    for (const socket of app.node.io.of('/').sockets.values()) socket.conn.close();
    await ann.newTab().then(async (again) => {
      await again.send('channel:create', { serverId: server.id, name: 'later' });
    });
    await page.context().setOffline(false);
    await eventually(async () => {
      expect(await page.locator('.sidebar a[href*="/s/"]').count()).to.equal(14);
    });
  });
});
