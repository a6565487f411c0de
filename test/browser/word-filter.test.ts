import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  messages,
  openBrowser,
} from '../support/browser.ts';
import { saveScreenshots } from '../support/picture.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('the word filter in the client', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  it('is set by the owner, and a refused message stays visible with the reason', async () => {
    const [ann, ben] = (await Promise.all(['Ann', 'Ben'].map((name) => app.person(name)))) as [
      Person,
      Person,
    ];
    const { serverId, channelId } = await openPlace(ann, ben);
    const path = `/s/${serverId}/${channelId}`;
    await ann.send('message:send', { timelineId: channelId, body: 'Welcome' });
    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByRole('button', { name: 'Word filter' }).click();
    await settings.getByLabel('Words or phrases').fill('darn, buy now, tea*');
    await settings.getByRole('button', { name: 'Add' }).click();
    await settings.getByText('3 of 200').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'word-filter');
    await settings.getByRole('button', { name: 'Remove tea*' }).click();
    await settings.getByText('2 of 200').waitFor();
    await settings.getByLabel('Words or phrases').fill('*');
    await settings.getByRole('button', { name: 'Add' }).click();
    await settings.getByText('Use at least one letter or number.').waitFor();

    const { page: member } = await openBrowser(app, { as: ben, path });
    await message(member, 'Welcome').focus();
    await member.keyboard.press('r');
    await composer(member).fill('@Ann buy now!');
    await composer(member).press('Enter');
    await member.getByText('This server doesn’t allow “buy now” in messages.').waitFor();
    await member.getByText('buy now!').waitFor();
    await saveScreenshots(member, 'word-filter-refused');
    await composer(member).fill('Next');
    await member.getByRole('button', { name: 'Edit', exact: true }).click();
    await eventually(async () =>
      expect(await composer(member).inputValue()).to.equal('@Ann buy now!\nNext'),
    );
    await member.getByText('Replying to Ann').waitFor();
    expect(await messages(member).count()).to.equal(1);
    await composer(member).fill('@Ann buy later!');
    await composer(member).press('Enter');
    await message(member, '@Ann buy later!').and(member.locator('[data-state=sent]')).waitFor();
    const { messages: said } = await ann.send('message:list', { timelineId: channelId });
    expect(said.map(({ body }) => body)).to.deep.equal(['Welcome', `<@${ann.id}> buy later!`]);
    expect(said[1]?.replyTo?.id).to.equal(said[0]?.id);
    const { words } = await ann.send('wordFilter:get', { serverId });
    expect(words).to.deep.equal(['darn', 'buy now']);
  });
});
