import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('statuses, in two browsers', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
    ben = await app.person('Ben');
    const [lobby] = (await ann.send('server:list', {})).servers;
    path = `/s/${lobby?.id}/${lobby?.defaultChannelId}`;
    // From here on, only their browser windows are connected.
    for (const person of [ann, ben]) person.close();
  });
  afterEach(closeWindows);
  after(() => app.close());

  const you = (page: Page) => page.getByRole('region', { name: 'You' });
  const choose = async (page: Page, name: string) => {
    await you(page).getByRole('button').click();
    await page.getByRole('menuitemradio', { name, exact: true }).click();
  };
  const listed = (page: Page, group: RegExp) =>
    page
      .getByRole('complementary', { name: 'Members' })
      .getByRole('heading', { name: group })
      .locator('+ ul')
      .getByRole('button', { name: /^Ben/ });

  it('a status is chosen in the user menu, and others see it in shape and words', async () => {
    const { page: hers } = await openBrowser(app, { as: ann, path });
    const { page: his } = await openBrowser(app, { as: ben, path, theme: 'dark' });
    await listed(hers, /^Online/).waitFor();
    await you(his).getByRole('button').click();
    await his.getByRole('group', { name: 'Status' }).waitFor();
    await expectAccessible(his);
    await his.getByRole('menuitemradio', { name: 'Do not disturb' }).click();
    await you(his)
      .getByRole('button', { name: /Do not disturb/ })
      .waitFor();
    await listed(hers, /^Online/)
      .getByText('Do not disturb')
      .waitFor();
    await expectAccessible(hers);
    await choose(his, 'Invisible');
    await listed(hers, /^Offline/).waitFor();
    await you(his)
      .getByRole('button', { name: /Invisible/ })
      .waitFor();
    await listed(hers, /^Offline/).click();
    await hers.getByRole('dialog').getByText('Offline').waitFor();
    expect(await hers.getByRole('dialog').innerText()).to.not.include('nvisible');
    await his.reload();
    await composer(his).waitFor();
    await you(his)
      .getByRole('button', { name: /Invisible/ })
      .waitFor();
    await choose(his, 'Online');
    await hers.keyboard.press('Escape');
    await listed(hers, /^Online/).waitFor();
  });

  it('a person is idle after ten minutes without input, until the next', async () => {
    const { page: hers } = await openBrowser(app, { as: ann, path });
    const his = (await openBrowser(app, { as: ben, path: undefined })).page;
    await his.clock.install();
    await his.goto(app.url + path);
    await composer(his).waitFor();
    await listed(hers, /^Online/).waitFor();
    await his.clock.fastForward('10:01');
    await listed(hers, /^Idle/).waitFor();
    await you(his).getByRole('button', { name: /Idle/ }).waitFor();
    await composer(his).press('h');
    await listed(hers, /^Online/).waitFor();
  });

  it('a status is chosen in the user menu on a phone', async () => {
    const { page: hers } = await openBrowser(app, { as: ann, path });
    const { page: his } = await openBrowser(app, {
      ...{ as: ben, path, width: 390, height: 844, touch: true },
    });
    await his.getByRole('link', { name: /^Back/ }).click();
    await you(his).getByRole('button').click();
    await his.getByRole('menuitemradio', { name: 'Idle' }).click();
    await listed(hers, /^Idle/).waitFor();
    await you(his).getByRole('button').click();
    expect(
      await his.getByRole('menuitemradio', { name: 'Idle' }).getAttribute('aria-checked'),
    ).to.equal('true');
    await expectAccessible(his);
  });
});
