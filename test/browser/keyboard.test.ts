import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  messages,
  openBrowser,
  say,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('the keyboard', function () {
  this.bail(true);
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let page: Page;
  let serverId: string;
  const ids = new Map<string, string>();

  before(async () => {
    app = await startSite();
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    serverId = server.id;
    ids.set('general', server.defaultChannelId);
    for (const name of ['crane', 'dock', 'élan']) {
      const { channel } = await ann.send('channel:create', { serverId, name });
      ids.set(name, channel.id);
    }
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    ({ page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${ids.get('general')}` }));
    await composer(page).waitFor();
  });
  afterEach(checkWindows);
  // The tests are chapters of one story, and each needs those before it.
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const press = (keys: string) => page.keyboard.press(keys);
  const here = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const focusIs = (what: string) =>
    eventually(async () =>
      expect(
        await page.evaluate(() => {
          const at = document.activeElement;
          return (
            at?.getAttribute('id') ??
            at?.closest('[aria-label]')?.getAttribute('aria-label') ??
            at?.tagName
          );
        }),
      ).to.equal(what),
    );
  const switcher = () => page.getByRole('dialog', { name: 'Jump to' });
  const jump = async () => {
    await press('Control+k');
    await switcher().waitFor();
  };
  const options = () => switcher().getByRole('option').allInnerTexts();

  it('UX-51 goes to the channel above and below, and wraps around', async () => {
    await press('Alt+ArrowDown');
    await here('crane');
    await press('Alt+ArrowUp');
    await here('general');
    await press('Alt+ArrowUp');
    await here('élan');
    await press('Alt+ArrowDown');
    await here('general');
  });

  it('UX-51 goes to unread channels only', async () => {
    await ben.send('message:send', { timelineId: ids.get('dock') ?? '', body: 'Ahoy' });
    await page.getByRole('link', { name: 'dock, 1 unread' }).waitFor();
    await press('Alt+Shift+ArrowDown');
    await here('dock');
    await message(page, 'Ahoy').waitFor();
    await page.getByRole('link', { name: 'dock', exact: true }).waitFor();
    await press('Alt+Shift+ArrowDown');
    await here('dock');
  });

  it('UX-50 jumps by a few letters, unread and recent ones first, and returns the focus', async () => {
    await ben.send('message:send', { timelineId: ids.get('crane') ?? '', body: 'Heave' });
    await page.getByRole('link', { name: 'crane, 1 unread' }).waitFor();
    await composer(page).fill('half a thought');
    await press('Control+k');
    await switcher().waitFor();
    const [first, second] = await options();
    expect(first).to.match(/^crane/);
    expect(second).to.match(/^(general|élan)/);
    await expectAccessible(page);
    await press('Escape');
    await switcher().waitFor({ state: 'detached' });
    await focusIs('composer');
    expect(await composer(page).inputValue()).to.equal('half a thought');
    await composer(page).fill('');
    await jump();
    await page.keyboard.type('ela');
    await eventually(async () => expect((await options())[0]).to.match(/^élan/));
    await press('Enter');
    await here('élan');
    await focusIs('composer');
  });

  it('UX-50 says if none match, moves with the arrows, and finds servers', async () => {
    await jump();
    await page.keyboard.type('zzz');
    await switcher().getByText('No channel or person called “zzz”.').waitFor();
    await page.getByRole('combobox').fill('r');
    const chosen = () => switcher().getByRole('option', { selected: true }).innerText();
    const before = await chosen();
    await press('ArrowDown');
    expect(await chosen()).not.to.equal(before);
    await press('ArrowUp');
    expect(await chosen()).to.equal(before);
    await page.getByRole('combobox').fill('lobby');
    await press('Enter');
    await page.getByRole('button', { name: 'Lobby', exact: true }).waitFor();
    await page.goBack();
    await here('élan');
  });

  it('UX-50 jumps by the mouse too', async () => {
    await page.getByRole('button', { name: 'Jump to…' }).click();
    await page.getByRole('option', { name: /general.*Harbour/ }).click();
    await here('general');
  });

  it('UX-52 cycles through page sections, both ways', async () => {
    await composer(page).focus();
    await say(page, 'Something to stand on');
    for (const part of ['Owner', 'Harbour', 'general']) {
      await press('F6');
      await eventually(async () => {
        const at = await page.evaluate(
          () =>
            document.activeElement?.getAttribute('aria-label') ??
            document.activeElement?.textContent,
        );
        expect(at).to.include(part);
      });
    }
    await press('F6');
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.tagName)).to.equal('ARTICLE'),
    );
    await press('F6');
    await focusIs('composer');
    await press('Shift+F6');
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.tagName)).to.equal('ARTICLE'),
    );
  });

  it('UX-53 lists the shortcuts from the table it uses; single keys can be turned off', async () => {
    await messages(page).last().focus();
    await press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.waitFor();
    for (const text of ['Jump to a channel, server or person', 'Edit your message', 'New line'])
      await list.getByText(text).waitFor();
    await expectAccessible(page);
    await list.getByRole('checkbox').uncheck();
    await press('Escape');
    await messages(page).last().focus();
    await press('e');
    await focusIs('composer');
    expect(await page.getByLabel('Edit message').count()).to.equal(0);
    expect(await composer(page).inputValue()).to.equal('e');
    await composer(page).fill('');
    await press('Control+/');
    await list.getByRole('checkbox').check();
    await press('Escape');
    await list.waitFor({ state: 'detached' });
    await composer(page).focus();
    await page.keyboard.type('?');
    expect(await composer(page).inputValue()).to.equal('?');
    await composer(page).fill('');
  });

  it('UX-54 has one Tab stop in the messages: arrows move, Enter goes in, Esc comes out, e edits', async () => {
    await say(page, 'See https://a.example and https://b.example');
    await message(page, 'See https').and(page.locator('[data-state=sent]')).waitFor();
    await message(page, 'See https').focus();
    expect(await messages(page).and(page.locator('[tabindex="0"]')).count()).to.equal(1);
    await press('ArrowUp');
    expect(await page.locator(':focus').getAttribute('aria-label')).to.include('to stand on');
    await press('End');
    expect(await page.locator(':focus').getAttribute('aria-label')).to.include('See https');
    await press('Enter');
    await focusIs('Ann, See https://a.example and https://b.example, ' + (await clockOf()));
    expect(await page.evaluate(() => document.activeElement?.tagName)).to.be.oneOf(['A', 'BUTTON']);
    await press('Escape');
    expect(await page.evaluate(() => document.activeElement?.tagName)).to.equal('ARTICLE');
    await press('e');
    await page.getByLabel('Edit message').waitFor();
    await press('Escape');
    await focusIs('composer');
    await message(page, 'See https').focus();
    await press('Delete');
    await page.getByRole('dialog', { name: 'Delete this message?' }).waitFor();
    await press('Escape');
    await press('Shift+Delete');
    await message(page, 'See https').waitFor({ state: 'detached' });
    await page.locator('article:focus').waitFor();
  });

  const clockOf = async () =>
    (await message(page, 'See https')
      .locator('.text')
      .evaluate((text) =>
        text.closest('article')?.getAttribute('aria-label')?.split(', ').at(-1),
      )) ?? '';

  it('UX-55 types into the composer when no field has the focus', async () => {
    await page.getByRole('link', { name: 'general', exact: true }).focus();
    await page.keyboard.type('hello');
    await focusIs('composer');
    expect(await composer(page).inputValue()).to.equal('hello');
    await press('Enter');
    await inState(message(page, 'hello'), 'sent').waitFor();
    await page.getByRole('button', { name: 'Jump to…' }).focus();
    await press('Space');
    await switcher().waitFor();
    await press('Escape');
  });

  it('UX-40 edits my last message by arrow up, in an empty field only', async () => {
    await composer(page).fill('not empty');
    await press('ArrowUp');
    expect(await page.getByLabel('Edit message').count()).to.equal(0);
    await composer(page).fill('');
    await press('ArrowUp');
    const editor = page.getByLabel('Edit message');
    await editor.waitFor();
    expect(await editor.inputValue()).to.equal('hello');
    await page.keyboard.type(', all');
    await press('Enter');
    await message(page, 'hello, all').waitFor();
    await focusIs('composer');
  });

  it('A11Y-05 keeps the focus after a dialog and a deleted channel', async () => {
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByRole('dialog').waitFor();
    await press('Escape');
    await focusIs('Channel settings');
    await jump();
    await page.keyboard.type('dock');
    await press('Enter');
    await here('dock');
    await focusIs('composer');
    await ann.send('channel:delete', { channelId: ids.get('dock') ?? '' });
    await page.getByText('#dock was deleted.').waitFor();
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.tagName)).not.to.equal('BODY'),
    );
  });

  it('A11Y-05 keeps the focus when its pane disappears in a narrow window', async () => {
    await page.getByRole('link', { name: 'crane' }).focus();
    await page.setViewportSize({ width: 640, height: 400 });
    await page.getByRole('link', { name: 'crane' }).waitFor({ state: 'detached' });
    await focusIs('composer');
  });
});
