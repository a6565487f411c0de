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
import { enterAs, type Person } from '../support/person.ts';

describe('people whose names look the same', () => {
  let app: TestApp;
  let ann: Person;
  let alice: Person;
  let other: Person;
  let impostor: Person;
  let path: string;
  let serverId: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Ours' });
    serverId = server.id;
    const { invite } = await ann.send('invite:create', { serverId });
    const join = async (person: Person) => {
      await person.send('server:join', { code: invite.code });
      return person;
    };
    [alice, other] = [await join(await app.person('Alice')), await join(await app.person('Alice'))];
    const ben = await join(await app.person('Ben'));
    impostor = await enterAs(app.url, 'guest', { displayName: 'Аӏісе', invite: invite.code });
    for (const person of [alice, other, ben, impostor])
      await person.send('message:send', { timelineId: server.defaultChannelId, body: 'Hello' });
    path = `/s/${serverId}/${server.defaultChannelId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const handles = () => [
    `@${alice.user.username}`,
    `@${other.user.username}`,
    `#${impostor.id.slice(-4)}`,
  ];
  const pane = (page: Page) => page.getByRole('complementary', { name: 'Members' });
  const picture = (page: Page, name: string) =>
    process.env.PICTURES
      ? page.screenshot({ path: `${process.env.PICTURES}/${name}.png` })
      : undefined;

  for (const theme of firstAtLength(['light', 'dark']))
    it(`have their username beside the name, in messages and the member list, ${theme}`, async () => {
      const { page } = await openBrowser(app, { as: ann, path, theme });
      await composer(page).waitFor();
      await pane(page)
        .getByText(handles()[0] ?? '')
        .waitFor();
      await eventually(async () =>
        expect(await page.locator('article .handle').allInnerTexts()).to.deep.equal(handles()),
      );
      for (const handle of handles())
        expect(await pane(page).getByText(handle).count(), handle).to.equal(1);
      const spoken = await page.getByRole('article').first().getAttribute('aria-label');
      expect(spoken).to.include(`Alice @${alice.user.username}`);
      expect(await pane(page).getByRole('button', { name: /^Ben/ }).innerText()).to.equal('Ben');
      await expectAccessible(page);
      await picture(page, `namesakes-${theme}`);
    });

  it('are distinguished on the card, which names the people they could be mistaken for', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('article').getByRole('button', { name: 'Аӏісе' }).click();
    const card = page.getByRole('dialog');
    const [first = '', second = '', third = ''] = handles();
    await card.getByText(`Not the same person as Alice (${first}) or Alice (${second}).`).waitFor();
    await card.getByText(third, { exact: true }).waitFor();
    await expectAccessible(page);
    await picture(page, 'namesakes-card');
    await page.keyboard.press('Escape');
    await page.getByRole('article').getByRole('button', { name: 'Ben' }).click();
    await card.getByText(/^@p/).waitFor();
    expect(await card.getByText('Not the same person').count()).to.equal(0);
  });

  it('have their username in the list of people to mention, on a phone too', async () => {
    const { page } = await openBrowser(app, {
      ...{ as: ann, path, width: 390, touch: true, theme: 'dark' },
    });
    await composer(page).fill('@ali');
    await composer(page).press('End');
    await page.getByRole('listbox', { name: 'People to mention' }).waitFor();
    const options = await page.getByRole('option').allInnerTexts();
    for (const handle of handles().slice(0, 2))
      expect(options.some((text) => text.includes(handle))).to.equal(true);
    await expectAccessible(page);
    await picture(page, 'namesakes-phone');
  });

  it('have their username only until one of them is renamed', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.locator('article .handle').nth(2).waitFor();
    await impostor.send('user:update', { displayName: 'Igor' });
    await other.send('member:update', { serverId, userId: other.id, nickname: 'Lissy' });
    await page.locator('article .handle').first().waitFor({ state: 'detached' });
  });
});
