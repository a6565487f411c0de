/** Small defects found by people who had never seen Parley. */
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, eventually, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { ask } from '../support/relationships.ts';

const phone = { width: 390, height: 844, touch: true };

describe('first impressions', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let path: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('ليلى')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    serverId = server.id;
    path = `/s/${serverId}/${server.defaultChannelId}`;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
    await ann.send('server:update', { serverId, messageRequests: true });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const box = async (of: Locator) => (await of.boundingBox()) ?? expect.fail('is not there');

  it('“Set a topic” focuses the topic', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('button', { name: 'Set a topic' }).click();
    const settings = page.getByRole('dialog', { name: 'Channel settings' });
    await settings.getByLabel('Topic').and(page.locator(':focus')).waitFor();
  });

  it('a notice is shown below questions and warnings', async () => {
    const cem = await app.person('Cem');
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await cem.send('server:join', { code });
    const { conversation } = await cem.send('conversation:create', { userIds: [ann.id] });
    await cem.send('message:send', { timelineId: conversation.id, body: 'Hello' });
    await ask(ann, ben);
    const { page } = await openBrowser(app, { as: ann, path: `/direct/${conversation.id}` });
    const question = page.getByRole('region', { name: 'Message request' });
    await question.waitFor();
    await composer(page).waitFor();
    await ben.send('friendship:create', { userId: ann.id });
    const notice = page.getByText('accepted your friend request.');
    await notice.waitFor();
    const [above, below] = [await box(question), await box(notice)];
    expect(below.y).to.be.at.least(above.y + above.height);
  });

  it('three buttons are stacked on a phone, the best one first', async () => {
    const { page } = await openBrowser(app, {
      as: await app.guest('Gil'),
      path: '/direct',
      ...phone,
    });
    await page.getByRole('region', { name: 'You' }).getByRole('button').tap();
    await page.getByRole('menuitem', { name: 'Sign out' }).tap();
    const question = page.getByRole('dialog', { name: 'Sign out?' });
    const names = ['Create account', 'Sign out', 'Cancel'];
    const boxes = [];
    for (const name of names) boxes.push(await box(question.getByRole('button', { name })));
    expect(boxes.map(({ y }) => y)).to.deep.equal(boxes.map(({ y }) => y).sort((a, b) => a - b));
    expect(new Set(boxes.map(({ x, width }) => `${x} ${width}`)).size).to.equal(1);
  });

  it('the notice about an unsent draft is legible on a phone', async () => {
    const { page } = await openBrowser(app, { as: ben, path, ...phone });
    await composer(page).fill('Half a thought');
    await ann.send('member:remove', { serverId, userId: ben.id });
    const words = page.getByText('You were removed from Place. You had an unsent draft there.');
    await words.waitFor();
    await eventually(async () => expect((await box(words)).width).to.be.at.least(180));
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
  });

  it('the composer keeps room to write on a phone, however far the text is over the limit', async () => {
    const { page } = await openBrowser(app, { as: ann, path, ...phone });
    await composer(page).fill('Berth four, please. '.repeat(220));
    await page.getByText('characters over the limit').waitFor();
    expect((await box(composer(page))).width).to.be.at.least(150);
    await composer(page).fill('');
  });

  it('invite links of people with long names are spaced apart', async () => {
    const dora = await app.person(`Dorothea ${'von Hohenstein-Wittelsbach '.repeat(2)}`.trim());
    const { server } = await dora.send('server:create', { name: 'Manor' });
    for (const maxUses of [1, 5])
      await dora.send('invite:create', { serverId: server.id, maxUses });
    const { page } = await openBrowser(app, {
      as: dora,
      path: `/s/${server.id}/${server.defaultChannelId}`,
    });
    await composer(page).waitFor();
    await page.getByRole('button', { name: 'Manor', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    await page.getByRole('button', { name: 'Invite links' }).click();
    const rows = page.getByRole('listitem').filter({ hasText: 'by Dorothea' });
    await rows.nth(1).waitFor();
    const [row, text] = [await box(rows.nth(1)), await box(rows.nth(1).locator('.what'))];
    expect(text.y - row.y).to.be.at.least(6);
  });

  it('names in all scripts are aligned alike where people are chosen', async () => {
    const { page } = await openBrowser(app, { as: ann, path: '/direct' });
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    const row = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'ليلى' });
    await page.getByRole('dialog').getByLabel('People', { exact: true }).fill('ليلى');
    await row.waitFor();
    const starts = await row.locator('bdi, .fine').evaluateAll((all) =>
      all.map((it) => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return range.getBoundingClientRect().x;
      }),
    );
    expect(starts).to.have.length(2);
    expect(starts[0]).to.equal(starts[1]);
  });

  it('a username is shown in full, however long the name before it', async () => {
    const long = await app.person('W'.repeat(64));
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await long.send('server:join', { code });
    const { page } = await openBrowser(app, { as: ann, path, ...phone });
    await composer(page).fill('@W');
    const option = page.getByRole('option').filter({ hasText: 'WWWW' });
    const handle = option.locator('.about');
    await handle.waitFor();
    const [shown, whole] = await handle.evaluate((it) => [it.clientWidth, it.scrollWidth]);
    expect(shown).to.equal(whole);
  });

  it('characters allowed in a username stay on one line', async () => {
    const { page } = await openBrowser(app, phone);
    await page.getByRole('tab', { name: 'Register' }).tap();
    await page.getByLabel('Username').fill('A b');
    const error = page.getByText('Use only lowercase letters');
    expect(await error.textContent()).to.match(/\.\u00a0_\u00a0-\s*$/);
  });
});
