import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('jumping to unopened places', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  /** The address of the page, and the ids of another server and its channel. */
  let path: string;
  let far: string;
  let roof: string;
  let guest: Person;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben, guest] = await Promise.all([
      app.person('Ann'),
      app.person('Ben'),
      app.guest('Gustav Fern'),
    ]);
    const near = await openPlace(ann, ben);
    path = `/s/${near.serverId}/${near.channelId}`;
    far = (await openPlace(ann, ben, guest)).serverId;
    await ann.send('server:update', { serverId: far, name: 'Far away' });
    const made = await ann.send('channel:create', { serverId: far, name: 'søren-roof' });
    roof = made.channel.id;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };
  const see = async (looks: object = {}, as = ben) => {
    const { page } = await openBrowser(app, { as, path, ...looks });
    await composer(page).waitFor();
    return page;
  };
  const jump = async (page: Page, typed: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Jump to/ }).fill(typed);
  };
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
  const asked = (page: Page) => {
    const commands: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const name = /^\d+\["(\w+:search)"/.exec(String(payload))?.[1];
        if (name) commands.push(name);
      }),
    );
    return commands;
  };

  it('finds a channel of a server that was not opened, however it is typed, and goes there', async () => {
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    const commands = asked(page);
    await page.goto(app.url + path);
    await composer(page).waitFor();
    await jump(page, 'soren r');
    await option(page, /søren-roof.*Far away/).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'søren-roof' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/s/${far}/${roof}`);
    // The search among all accounts runs only without closer results, because its rate is limited for each day.
    expect(commands.filter((name) => name === 'user:search')).to.deep.equal([]);
  });

  it('searches once for a burst of keystrokes', async () => {
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    const commands = asked(page);
    await page.goto(app.url + path);
    await composer(page).waitFor();
    await jump(page, '');
    await page.evaluate(async () => {
      const field = document.activeElement as HTMLInputElement;
      for (const letter of 'roof') {
        field.value += letter;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      while (!document.querySelector('[role=listbox]')?.textContent.includes('-roof'))
        await new Promise(requestAnimationFrame);
    });
    expect(commands.toSorted()).to.deep.equal(['channel:search', 'member:search']);
  });

  it('finds people of other servers, guests too, by any of their names, and writes to them', async () => {
    await ann.send('member:update', { serverId: far, userId: guest.id, nickname: 'Gus' });
    const page = await see();
    await jump(page, 'gus');
    await option(page, /Gustav Fern.*Gus in Far away/).waitFor();
    await page.getByRole('combobox').fill(ann.user.username ?? '');
    await option(page, new RegExp(`Ann.*@${ann.user.username}`)).waitFor();
    await page.getByRole('combobox').fill('tav f');
    await option(page, /Gustav Fern/).click();
    await page.getByRole('heading', { level: 1, name: 'Gustav Fern' }).waitFor();
  });

  it('finds a person without a shared server, and shows their card', async () => {
    const hermit = await app.person('Hermit Crab');
    const page = await see();
    await jump(page, 'hermit');
    await option(page, new RegExp(`Hermit Crab.*@${hermit.user.username}`)).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add friend' }).waitFor();
  });

  it('shows the newest messages that contain the text if no name matches', async () => {
    for (let i = 1; i <= 4; i += 1)
      await ann.send('message:send', { timelineId: roof, body: `A **heron** on pier ${i}` });
    const page = await see();
    await jump(page, 'heron');
    await page.getByText('No channel or person called “heron”.').waitFor();
    await eventually(async () =>
      expect(await page.getByRole('option').allInnerTexts()).to.deep.equal([
        'Search messages for “heron”',
        ...[4, 3, 2].map((i) => `Ann: A heron on pier ${i}\n#søren-roof · Far away`),
      ]),
    );
    await picture(page, 'switcher-messages');
    await expectAccessible(page);
    await option(page, /pier 2/).click();
    await page.waitForURL(new RegExp(`/${roof}/2$`));
  });

  it('does not find private channels of others, nor people across a block', async () => {
    const hidden = { serverId: far, name: 'hush', private: true };
    const { channel } = await ann.send('channel:create', hidden);
    await guest.send('block:create', { userId: ben.id });
    const page = await see();
    for (const typed of ['hush', 'gustav']) {
      await jump(page, typed);
      await page.getByText(`No channel or person called “${typed}”.`).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
    }
    await ann.send('channel:addMember', { channelId: channel.id, userId: ben.id });
    await guest.send('block:delete', { userId: ben.id });
    for (const [typed, name] of [
      ['hush', /hush.*Far away/],
      ['gustav', /Gustav/],
    ] as const) {
      await jump(page, typed);
      await option(page, name).waitFor();
      await page.keyboard.press('Escape');
    }
  });

  it('offers people of a server that was not opened for a new conversation, to guests too', async () => {
    for (const [as, sought] of [
      [ben, guest],
      [guest, ben],
    ] as const) {
      const { page } = await openBrowser(app, { as, path: '/direct' });
      await page.getByRole('button', { name: 'New conversation' }).first().click();
      const field = page.getByRole('dialog').getByLabel('People', { exact: true });
      await field.fill(sought.user.name.toLowerCase());
      const found = page.getByRole('checkbox', { name: new RegExp(`^${sought.user.name}`) });
      await found.check();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Start writing|Message)$/ })
        .click();
      await page.getByRole('heading', { level: 1, name: sought.user.name }).waitFor();
    }
  });

  const looks = [
    ['light', 1_280, 800],
    ['dark', 390, 844],
    ['light', 390, 844],
    ['dark', 1_280, 800],
  ] as const;
  for (const [theme, width, height] of firstAtLength(looks, 2))
    it(`is legible: ${theme}, ${width} px`, async () => {
      const page = await see({ theme, width, height, touch: width < 500 });
      for (const name of ['Gustav Fern', 'Gustav Adler'])
        await (await app.guest(name)).send('server:join', { code: await codeOf(far) });
      if (width < 500) {
        await page.getByRole('link', { name: /^Back to/ }).tap();
        await page.getByRole('button', { name: 'Jump to…' }).tap();
        await page.getByRole('combobox').fill('e');
      } else await jump(page, 'e');
      await page.getByRole('combobox').fill('r');
      await option(page, /roof/).waitFor();
      await page.getByRole('combobox').fill('gustav');
      await eventually(async () => expect(await option(page, /Gustav/).count()).to.equal(3));
      await expectAccessible(page);
      await picture(page, `jump-${theme}-${width}`);
    });

  const codeOf = async (serverId: string) =>
    (await ann.send('invite:create', { serverId })).invite.code;
});
