/** UX-43: who is typing, in two browsers. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('typing, in two browsers', () => {
  let app: TestApp;
  let [ann, ben]: Page[] = [];
  let others: Person[];
  let timelineId: string;

  before(async () => {
    app = await startApp();
    const [first, second] = [await app.person('Ann'), await app.person('Ben')];
    const [lobby] = (await first.send('server:list', {})).servers;
    timelineId = lobby?.defaultChannelId ?? '';
    const path = `/s/${lobby?.id}/${timelineId}`;
    others = await Promise.all(['Cem', 'Dana', 'Eve', 'Finn'].map((name) => app.person(name)));
    ann = (await openBrowser(app, { as: first, path })).page;
    ben = (await openBrowser(app, { as: second, path, theme: 'dark' })).page;
    for (const page of [ann, ben]) await page.getByText('Nobody has written yet.').waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const line = (page: Page | undefined) => page!.getByText(/ typing…$/);
  const gone = (page: Page | undefined) => line(page).waitFor({ state: 'detached' });
  const write = (page: Page | undefined, text: string) =>
    composer(page!).pressSequentially(text, { delay: 20 });

  it('UX-43 is seen by others and never by oneself, moves nothing, and ends with the message', async () => {
    const before = await composer(ben!).boundingBox();
    await write(ann, 'Ahoy');
    await ben!.getByText('Ann is typing…').waitFor();
    expect(await composer(ben!).boundingBox()).to.deep.equal(before);
    expect(await line(ann).count()).to.equal(0);
    expect(
      await line(ben).evaluate((element) =>
        element.closest('[aria-live], [role=status], [role=log]'),
      ),
    ).to.equal(null);
    await expectAccessible(ben!);
    if (process.env.PICTURES) await ben!.screenshot({ path: `${process.env.PICTURES}/typing.png` });
    const began = Date.now();
    await composer(ann!).press('Enter');
    await message(ben!, 'Ahoy').waitFor();
    await gone(ben);
    // By the message, and not because its time was over.
    expect(Date.now() - began).to.be.below(2_500);
  });

  it('UX-43 ends five seconds after the last key, and not while one types on', async () => {
    await write(ann, 'a');
    await line(ben).waitFor();
    const began = Date.now();
    while (Date.now() - began < 7_000) {
      await composer(ann!).press('b');
      await ann!.waitForTimeout(300);
      expect(await line(ben).count()).to.equal(1);
    }
    const stopped = Date.now();
    await gone(ben);
    expect(Date.now() - stopped).to.be.within(1_500, 6_500);
  });

  it('UX-43 is said once in three seconds at most', async () => {
    await ann!.waitForTimeout(3_000);
    const sent: number[] = [];
    const session = await ann!.context().newCDPSession(ann!);
    await session.send('Network.enable');
    session.on('Network.webSocketFrameSent', ({ response }) => {
      if (response.payloadData.includes('typing:set')) sent.push(Date.now());
    });
    const began = Date.now();
    while (Date.now() - began < 7_000) {
      await composer(ann!).press('c');
      await ann!.waitForTimeout(150);
    }
    expect(sent.length).to.be.within(2, 3);
    await session.detach();
    await say(ann!, 'Enough');
  });

  it('UX-43 names up to four, and speaks of several people from five on', async () => {
    for (const person of others) await person.send('typing:set', { timelineId });
    await ben!.getByText('Cem, Dana, Eve and Finn are typing…').waitFor();
    await write(ann, 'And I');
    await ben!.getByText('Several people are typing…').waitFor();
    await gone(ben);
  });
});
