import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, expectAccessible, openBrowser } from '../support/browser.ts';

describe('unsaved settings', () => {
  let app: TestApp;

  before(async () => {
    app = await startSite();
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('asks before edits in settings are lost, and says when they are saved', async () => {
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const path = `/s/${server.id}/${server.defaultChannelId}`;
    const { page } = await openBrowser(app, { as: ann, path });
    await composer(page).waitFor();
    await page.getByRole('button', { name: 'Channel settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Channel settings' });
    await settings.getByText('No changes').waitFor();
    await settings.getByLabel('Topic').fill('What comes next');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard changes?' });
    await question.getByText('You haven’t saved: topic.').waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await page.goBack();
    await question.waitFor();
    await page.goBack();
    await question.waitFor({ state: 'detached' });
    expect(await settings.getByLabel('Topic').inputValue()).to.equal('What comes next');
    await settings.getByRole('button', { name: 'Save changes' }).click();
    await settings.getByText('Saved', { exact: true }).waitFor();
    await settings.getByLabel('Topic').fill('Something else');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await settings.waitFor({ state: 'detached' });
    await composer(page).waitFor();
    await page.getByText('What comes next').first().waitFor();
  });
});
