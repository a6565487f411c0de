import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { typingEvents } from '../../shared/typing.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

const { pace } = typingEvents.typing;

describe('typing, in two browsers', () => {
  let app: TestApp;
  let ann: Page;
  let ben: Page;
  let owner: Person;
  let reader: Person;
  let others: Person[];
  let serverId: string;
  let timelineId: string;

  before(async () => {
    app = await startSite();
    [owner, reader] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await owner.send('server:create', { name: 'Harbour' });
    const { invite } = await owner.send('invite:create', { serverId: server.id });
    serverId = server.id;
    timelineId = server.defaultChannelId;
    const path = `/s/${serverId}/${timelineId}`;
    others = await Promise.all(['Cem', 'Dana', 'Eve', 'Finn'].map((name) => app.person(name)));
    for (const person of [reader, ...others])
      await person.send('server:join', { code: invite.code });
    ann = await writing(owner, path);
    ben = await writing(reader, path, 'dark');
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  /** Frames that each page sent and received, in order. */
  const said = new Map<Page, string[]>();
  const framesReceived = new Map<Page, string[]>();

  async function writing(as: Person, path: string, theme: 'light' | 'dark' = 'light') {
    const { page } = await openBrowser(app, { as, theme, path: undefined });
    page.on('websocket', (socket) => {
      const [sent, received]: [string[], string[]] = [[], []];
      said.set(page, sent);
      framesReceived.set(page, received);
      socket.on('framesent', ({ payload }) => void sent.push(String(payload)));
      socket.on('framereceived', ({ payload }) => void received.push(String(payload)));
    });
    await page.clock.install();
    await page.goto(app.url + path);
    await page.getByText('No messages yet.').waitFor();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    return page;
  }

  /** Moves the clock while axe works, because axe waits for timers. */
  async function onTheMove(page: Page, work: Promise<void>) {
    const looking = { isDone: false };
    const done = work.finally(() => (looking.isDone = true));
    while (!looking.isDone) await page.clock.runFor(1);
    await done;
  }

  /** The node accepts the next event of a person after half a second of its own clock. */
  const paced = () => sleep(pace.ms);

  const timesSaid = (page: Page) =>
    said.get(page)!.filter((frame) => frame.includes('"typing:set"')).length;
  const countTyping = (page: Page) =>
    framesReceived.get(page)!.filter((frame) => frame.includes('["typing"')).length;
  const line = (page: Page) => page.getByText(/ typing…$/);
  const gone = (page: Page) => line(page).waitFor({ state: 'detached' });

  it('UX-43 is shown to others only, moves nothing, and ends with the message', async () => {
    const before = await composer(ben).boundingBox();
    await composer(ann).pressSequentially('Ahoy');
    await ben.getByText('Ann is typing…').waitFor();
    expect(await composer(ben).boundingBox()).to.deep.equal(before);
    expect(await line(ann).count()).to.equal(0);
    expect(
      await line(ben).evaluate((element) =>
        element.closest('[aria-live], [role=status], [role=log]'),
      ),
    ).to.equal(null);
    await onTheMove(ben, expectAccessible(ben));
    if (process.env.PICTURES) await ben.screenshot({ path: `${process.env.PICTURES}/typing.png` });
    await composer(ann).press('Enter');
    await message(ben, 'Ahoy').waitFor();
    // The message ends it: the time cannot be over, since Ben's clock stands still.
    await gone(ben);
    await inState(message(ann, 'Ahoy'), 'sent').waitFor();
    expect(countTyping(ann)).to.equal(0);
    await ben.clock.runFor(500);
  });

  it('UX-43 is ignored if it arrives after the message', async () => {
    const [cem, dana] = others;
    await cem!.send('message:send', { timelineId, body: 'Said before it was heard of' });
    await message(ben, 'Said before it was heard of').waitFor();
    for (const person of [cem!, dana!]) await person.send('typing:set', { timelineId });
    await ben.getByText('Dana is typing…').waitFor();
    expect(await line(ben).innerText()).to.equal('Dana is typing…');
    await ben.clock.runFor(500);
    await paced();
    await cem!.send('typing:set', { timelineId });
    await ben.getByText('Dana and Cem are typing…').waitFor();
    await ben.clock.runFor(5_000);
    await gone(ben);
  });

  it('ends with a time-out of the person', async () => {
    const { id: userId } = others[0]!;
    await paced();
    await others[0]!.send('typing:set', { timelineId });
    await ben.getByText('Cem is typing…').waitFor();
    await owner.send('member:timeOut', { serverId, userId, seconds: 60 });
    // Ben's clock stands still, so the five seconds are not over.
    await gone(ben);
    await owner.send('member:timeOut', { serverId, userId, seconds: 0 });
  });

  it('UX-43 ends five seconds after the last key, and not before', async () => {
    for (const key of ['a', 'b', 'c']) {
      await paced();
      const before = countTyping(ben);
      await composer(ann).press(key);
      await eventually(() => expect(countTyping(ben)).to.equal(before + 1));
      await line(ben).waitFor();
      for (const page of [ann, ben]) await page.clock.runFor(3_000);
      expect(await line(ben).count()).to.equal(1);
    }
    await ben.clock.runFor(1_900);
    expect(await line(ben).count()).to.equal(1);
    await ben.clock.runFor(100);
    await gone(ben);
  });

  it('UX-43 is sent once in three seconds at most', async () => {
    await ann.clock.runFor(3_000);
    const before = timesSaid(ann);
    for (let halves = 0; halves < 14; halves += 1) {
      await composer(ann).press('d');
      await ann.clock.runFor(500);
    }
    await say(ann, 'Enough');
    await inState(message(ann, /Enough|d{14}/), 'sent')
      .last()
      .waitFor();
    // At the beginning, after three seconds, and after six.
    expect(timesSaid(ann) - before).to.equal(3);
  });

  it('UX-43 names up to four, and says “several people” from five on', async () => {
    await paced();
    await ben.clock.runFor(500);
    for (const person of others) await person.send('typing:set', { timelineId });
    await ben.getByText('Cem, Dana, Eve and Finn are typing…').waitFor();
    await composer(ann).pressSequentially('And I');
    await ben.getByText('Several people are typing…').waitFor();
    await ben.clock.runFor(5_000);
    await gone(ben);
  });

  it('UX-43 is not shown for blocked people', async () => {
    const [cem, dana] = others;
    await reader.send('block:create', { userId: cem!.id });
    await paced();
    await ben.clock.runFor(500);
    await dana!.send('typing:set', { timelineId });
    await ben.getByText('Dana is typing…').waitFor();
    const before = countTyping(ben);
    await cem!.send('typing:set', { timelineId });
    await eventually(() => expect(countTyping(ben)).to.equal(before + 1));
    await ben.clock.runFor(100);
    expect(await line(ben).innerText()).to.equal('Dana is typing…');
    await ben.clock.runFor(5_000);
    await gone(ben);
  });

  it('UX-43 ends when the person is banned', async () => {
    const eve = others[2]!;
    await paced();
    await eve.send('typing:set', { timelineId });
    await ben.getByText('Eve is typing…').waitFor();
    await owner.send('ban:create', { serverId, userId: eve.id, bots: false });
    await gone(ben);
  });
});
