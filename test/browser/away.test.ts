import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { startNode } from '../support/node.ts';
import {
  closeWindows,
  composer,
  cutOff,
  eventually,
  message,
  messages,
  openBrowser,
  serverAway,
  texts,
} from '../support/browser.ts';
import { freePort } from '../../scripts/cluster/place.ts';
import type { Person } from '../support/person.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';

const rates = { PARLEY_RATE_SCALE: '100000' };

describe('coming back', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let settings: Record<string, string>;

  before(async () => {
    const { url } = await sharedRedis();
    settings = { ...rates, REDIS_URL: url, PARLEY_REDIS_PREFIX: freshPrefix() };
    app = await startSite(settings);
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const says = (body: string) => ann.send('message:send', { timelineId: general, body });
  const words = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `Word ${from + i}`);
  const saysAll = async (all: string[]) => {
    for (const body of all) await says(body);
  };

  async function reading(url: string): Promise<Page> {
    const { page, forgive } = await openBrowser({ ...app, url }, { as: ben, path: undefined });
    forgive(serverAway);
    forgive(cutOff);
    await page.goto(`${url}/s/${serverId}/${general}`);
    await composer(page).waitFor();
    return page;
  }

  it('UX-12 to another node, when one is killed amid 200 messages, shows each once, in order', async () => {
    const PORT = String(await freePort());
    const doomed = await startNode({ settings: { ...settings, PORT }, where: app.where });
    const page = await reading(doomed.url.replace('localhost', '127.0.0.1'));
    const all = words(1, 200);
    const edited = await says('To be edited');
    const deleted = await says('To be deleted');
    await message(page, 'To be deleted').waitFor();
    const saying = saysAll(all);
    await message(page, 'Word 30').waitFor();
    doomed.process.kill('SIGKILL');
    await page.getByText('Reconnecting…').waitFor();
    await ann.send('message:edit', { messageId: edited.message.id, body: 'Edited' });
    await ann.send('message:delete', { messageId: deleted.message.id });
    await saying;
    // The node that replaces it is another process, with nothing in memory.
    const next = await startNode({ settings: { ...settings, PORT }, where: app.where });
    await message(page, 'Word 200').waitFor();
    await upToTheBeginning(page);
    const [first = '', ...rest] = await texts(page);
    expect(first).to.match(/^Edited\s\(edited/);
    expect(rest).to.deep.equal(all);
    expect(await messages(page).count()).to.equal(all.length + 1);
    next.process.kill();
  });

  it('UX-13 after far more than a page loads every missed message, without a hole', async () => {
    const page = await reading(app.url);
    await saysAll(words(1, 3));
    await message(page, 'Word 3').waitFor();
    await page.context().setOffline(true);
    await page.getByText('Reconnecting…').waitFor();
    const missed = words(4, 250);
    await saysAll(missed);
    await page.context().setOffline(false);
    await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await eventually(async () => expect((await numbers(page)).length).to.be.above(3));
    await expectNoHole(page);
    await upToTheBeginning(page);
    await expectNoHole(page);
    expect((await numbers(page))[0]).to.equal(1);
    await downToTheEnd(page, 'Word 250');
    await expectNoHole(page);
  });

  const numbers = async (page: Page) =>
    (await texts(page)).map((text) => Number(/\d+/.exec(text)?.[0]));

  async function expectNoHole(page: Page) {
    const found = await numbers(page);
    const [first = 0] = found;
    expect(found).to.deep.equal(found.map((_, i) => first + i));
  }

  async function upToTheBeginning(page: Page) {
    await eventually(async () => {
      await messages(page).first().scrollIntoViewIfNeeded();
      await page.getByRole('heading', { name: 'The start of #general' }).waitFor({ timeout: 50 });
    });
  }

  async function downToTheEnd(page: Page, last: string) {
    await eventually(async () => {
      await messages(page).last().scrollIntoViewIfNeeded();
      await message(page, last).waitFor({ timeout: 50 });
    });
  }
});
