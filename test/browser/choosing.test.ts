import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { limits, rates } from '../../shared/limits.ts';
import { startSite, type TestApp } from '../support/app.ts';
import { query } from '../../server/database/database.ts';
import { closeWindows, eventually, expectAccessible, openBrowser } from '../support/browser.ts';
import { addSilentMembers } from '../support/crowd.ts';
import type { Person } from '../support/person.ts';

const field = (page: Page) => page.getByRole('dialog').getByLabel('People', { exact: true });
const rows = (page: Page) => page.getByRole('list', { name: 'People to choose from' });
const names = async (page: Page) =>
  (await rows(page).locator('bdi').allInnerTexts()).map((name) => name.trim());
const choice = (page: Page, name: string) =>
  rows(page).getByRole('checkbox', { name: new RegExp(`^${name}\\b`) });
const submit = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

async function choosing(app: TestApp, as: Person): Promise<Page> {
  const { page } = await openBrowser(app, { as, path: '/direct' });
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await field(page).waitFor();
  return page;
}

describe('choosing people to write to', () => {
  let app: TestApp;
  /** An instance with the usual rate limits. */
  let strict: TestApp;
  let ann: Person;

  before(async () => {
    app = await startSite();
    strict = await startSite({ PARLEY_RATE_SCALE: '1' });
  });
  beforeEach(async () => {
    ann = await app.person('Ann');
  });
  afterEach(closeWindows);
  after(() => app.close());
  after(() => strict.close());

  it('finds people unknown to this page, after those it knows, without duplicates', async () => {
    const [friend, namesake] = [await app.person('Tern Ziegler'), await app.person('Tern Abel')];
    await ann.send('friendRequest:create', { userId: friend.id });
    await friend.send('friendship:create', { userId: ann.id });
    const page = await choosing(app, ann);
    expect(await names(page)).to.deep.equal(['Tern Ziegler']);
    await field(page).fill('tern');
    await choice(page, 'Tern Abel').waitFor();
    expect(await names(page)).to.deep.equal(['Tern Ziegler', 'Tern Abel']);
    await rows(page).getByText(`@${namesake.user.username}`).waitFor();
    await expectAccessible(page);
    await choice(page, 'Tern Abel').check();
    expect(await field(page).inputValue()).to.equal('');
    await choice(page, 'Tern Ziegler').check();
    expect(await names(page)).to.have.members(['Tern Ziegler', 'Tern Abel']);
    await submit(page, 'Create group').click();
    await page.getByRole('heading', { level: 1, name: /Tern/ }).waitFor();
    const { conversations } = await namesake.send('conversation:list', {});
    expect(conversations.map(({ participantIds }) => participantIds.length)).to.deep.equal([3]);
  });

  it('finds strangers by username too, and adds them to a group', async () => {
    const people = [await app.person('Ben'), await app.person('Cem'), await app.person('Dot')];
    const [ben, cem, dot] = people as [Person, Person, Person];
    const userIds = [ben.id, cem.id];
    const { conversation } = await ann.send('conversation:create', { userIds, name: 'Crew' });
    const { page } = await openBrowser(app, { as: ann, path: `/direct/${conversation.id}` });
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Add people' }).click();
    await field(page).fill(ben.user.username ?? '');
    await page.getByText(`No one found for “${ben.user.username}”.`).waitFor();
    await field(page).fill(dot.user.username ?? '');
    await choice(page, 'Dot').check();
    await submit(page, 'Add').click();
    await dot.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'conversation:created'),
    );
  });

  it('says that no name matches, and that a person can’t be messaged', async () => {
    const hermit = await app.person('Hermit Crab');
    for (const { id } of (await hermit.send('server:list', {})).servers)
      await hermit.send('server:leave', { serverId: id });
    const page = await choosing(app, ann);
    await field(page).fill('Nobody At All');
    await page.getByText('No one found for “Nobody At All”.').waitFor();
    await expectAccessible(page);
    await field(page).fill('hermit c');
    await choice(page, 'Hermit Crab').check();
    await submit(page, 'Message').click();
    await page.getByRole('alert').getByText('You can’t message one of these people').waitFor();
    await expectAccessible(page);
  });

  it('reports the rate limit, still offers known people, and offers to search again', async () => {
    const [eve, fay] = [await strict.person('Eve'), await strict.person('Fay Finch')];
    await eve.send('friendRequest:create', { userId: fay.id });
    await fay.send('friendship:create', { userId: eve.id });
    const spend = () => eve.send('user:search', { query: 'x', limit: 1 });
    await Promise.allSettled(Array.from({ length: rates.search.points }, spend));
    const page = await choosing(strict, eve);
    await field(page).fill('fay');
    await page
      .getByRole('alert')
      .getByText(/You’re going too fast. Try again in \d+ s/)
      .waitFor();
    expect(await names(page)).to.deep.equal(['Fay Finch']);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await expectAccessible(page);
  });

  it('limits the choice to the free places of a group, for found and known people alike', async () => {
    const [lobby] = (await ann.send('server:list', {})).servers;
    await addSilentMembers(app, lobby!.id, limits.groupPeople);
    const guests = await query<{ id: string; name: string }>(
      app.db,
      `select id, display_name as name from users where display_name like 'Guest %'`,
    );
    expect(guests).to.have.length(limits.groupPeople);
    const [one, other, ...added] = guests;
    const userIds = added.map(({ id }) => id);
    const { conversation } = await ann.send('conversation:create', { userIds });
    const { page } = await openBrowser(app, { as: ann, path: `/direct/${conversation.id}` });
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Add people' }).click();
    await field(page).fill(one!.name);
    await choice(page, one!.name).check();
    await page.getByText('You can add up to 1 person.').waitFor();
    await field(page).fill(other!.name);
    await eventually(async () => expect(await choice(page, other!.name).count()).to.equal(1));
    expect(await choice(page, other!.name).isDisabled()).to.equal(true);
  });
});
