import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { mentionOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  type Looks,
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import { enterAs, type Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { befriend } from '../support/relationships.ts';

describe('names while writing', () => {
  let app: TestApp;
  let ann: Person;
  let maya: Person;
  let other: Person;
  let serverId: string;
  let general: string;
  let count = 0;

  const register = (username: string, displayName: string) =>
    enterAs(app.url, 'register', { username, displayName, password: 'a long enough one' });

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    count += 1;
    [ann, maya, other] = await Promise.all([
      app.person('Ann'),
      register(`maya${count}`, 'Maya Chen'),
      register(`mchen${count}`, 'Maya Chen'),
    ]);
    ({ serverId, channelId: general } = await openPlace(ann, maya, other));
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (looks: Looks = {}) => {
    const { page } = await openBrowser(app, {
      ...{ as: ann, path: `/s/${serverId}/${general}` },
      ...looks,
    });
    await composer(page).waitFor();
    return page;
  };
  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };
  const option = (page: Page, handle: string) =>
    page.getByRole('listbox', { name: 'People to mention' }).getByRole('option', { name: handle });
  const choose = async (page: Page, letters: string, handle: string, field = composer(page)) => {
    await field.pressSequentially(letters);
    await option(page, handle).click();
  };
  const value = (page: Page) => composer(page).inputValue();
  const lastBody = async () =>
    (await ann.send('message:list', { timelineId: general })).messages.at(-1)?.body;
  const send = async (page: Page, text: string | RegExp) => {
    await composer(page).press('Enter');
    await inState(message(page, text), 'sent').waitFor();
  };

  it('have usernames added if two people share one, and mean the person who was chosen', async () => {
    const page = await see();
    await choose(page, 'Ask @maya', `@mchen${count}`);
    await composer(page).pressSequentially('or ');
    await choose(page, '@maya', `@maya${count}`);
    expect(await value(page)).to.equal(
      `Ask @Maya Chen (mchen${count}) or @Maya Chen (maya${count}) `,
    );
    await send(page, 'Ask');
    expect(await lastBody()).to.equal(`Ask ${mentionOf(other.id)} or ${mentionOf(maya.id)} `);
    for (const handle of [`@mchen${count}`, `@maya${count}`])
      await message(page, 'Ask')
        .getByRole('button', { name: `@Maya Chen${handle}` })
        .waitFor();
    await expectAccessible(page);
  });

  it('are followed directly by punctuation, and by a space before further words', async () => {
    const page = await see();
    const name = `@Maya Chen (mchen${count})`;
    await choose(page, '@mchen', `@mchen${count}`);
    await composer(page).pressSequentially('! And');
    expect(await value(page)).to.equal(`${name}! And`);
    await composer(page).fill('');
    await choose(page, '@mchen', `@mchen${count}`);
    await composer(page).pressSequentially('(you) .');
    expect(await value(page)).to.equal(`${name} (you) .`);
    await composer(page).fill('');
    await choose(page, '@mchen', `@mchen${count}`);
    await composer(page).pressSequentially(',');
    await composer(page).press('Control+z');
    expect(await value(page)).to.match(/^@Maya Chen \(mchen\d+\) ?,?$/);
  });

  it('can be undone and redone', async () => {
    const page = await see();
    await choose(page, 'Ask @mchen', `@mchen${count}`);
    const chosen = `Ask @Maya Chen (mchen${count}) `;
    expect(await value(page)).to.equal(chosen);
    await composer(page).press('Control+z');
    expect(await value(page)).to.equal('Ask @mchen');
    await composer(page).press('Control+Shift+z');
    expect(await value(page)).to.equal(chosen);
    await send(page, 'Ask');
    expect(await lastBody()).to.equal(`Ask ${mentionOf(other.id)} `);
  });

  it('stay in a draft over a reload, and mean the same person after a rename', async () => {
    await other.send('user:update', { displayName: 'Mei' });
    const page = await see();
    await choose(page, '@mei', `@mchen${count}`);
    expect(await value(page)).to.equal('@Mei ');
    await page.reload();
    expect(await value(page)).to.equal('@Mei ');
    await other.send('user:update', { displayName: 'Maya Chen' });
    await maya.send('user:update', { displayName: 'Mei' });
    await page.getByRole('complementary').getByText('Mei').waitFor();
    await send(page, /Maya Chen/);
    expect(await lastBody()).to.equal(`${mentionOf(other.id)} `);
  });

  it('are recognised when a message is edited, and untouched ones stay as they were', async () => {
    const body = `${mentionOf(maya.id)} and ${mentionOf(other.id)}, \`${mentionOf(ann.id)}\``;
    await ann.send('message:send', { timelineId: general, body });
    const page = await see();
    await message(page, 'Maya Chen').waitFor();
    await composer(page).press('ArrowUp');
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    const text = `@Maya Chen (maya${count}) and @Maya Chen (mchen${count}), \`${mentionOf(ann.id)}\``;
    expect(await editor.inputValue()).to.equal(text);
    await editor.pressSequentially('!');
    await choose(page, ' @mchen', `@mchen${count}`, editor);
    await editor.press('Enter');
    await inState(message(page, 'edited'), 'sent').waitFor();
    await eventually(async () =>
      expect(await lastBody()).to.equal(`${body}! ${mentionOf(other.id)} `),
    );
  });

  it('are text if they are nobody’s; pasted ids become names', async () => {
    const page = await see();
    await composer(page).fill('@Maya Chen, @Nobody');
    await send(page, '@Maya Chen, @Nobody');
    expect(await lastBody()).to.equal('@Maya Chen, @Nobody');
    const pasted = `${mentionOf(other.id)}, hello`;
    await page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
    await composer(page).press('Control+v');
    expect(await value(page)).to.equal(`@Maya Chen (mchen${count}), hello`);
    await composer(page).press('Control+z');
    expect(await value(page)).to.equal('');
    await composer(page).press('Control+v');
    await send(page, 'hello');
    expect(await lastBody()).to.equal(pasted);
  });

  it('are offered with status, username and role, the latest authors first', async () => {
    await ann.send('member:update', { serverId, userId: maya.id, role: 'moderator' });
    const zoe = await app.person('Zoe');
    const { invite } = await ann.send('invite:create', { serverId });
    await zoe.send('server:join', { code: invite.code });
    for (const person of [zoe, other])
      await person.send('message:send', { timelineId: general, body: 'Here' });
    other.close();
    const page = await see();
    await message(page, 'Here').nth(1).waitFor();
    await composer(page).pressSequentially('@');
    const options = page.getByRole('option');
    await eventually(async () =>
      expect(await options.locator('bdi').allInnerTexts()).to.deep.equal([
        'Maya Chen',
        'Zoe',
        'Maya Chen',
        '@everyone',
        '@here',
      ]),
    );
    await eventually(async () =>
      expect(await option(page, `@mchen${count}`).innerText()).to.match(/Offline/),
    );
    expect(await option(page, `@maya${count}`).innerText()).to.match(/Moderator[^]*Online/);
    expect(await option(page, `@${zoe.user.username}`).count()).to.equal(1);
    await composer(page).fill('');
    await composer(page).pressSequentially(`@mchen${count}`);
    expect(await options.count()).to.equal(1);
  });

  it('have a username beside them in conversations if two are alike', async () => {
    await befriend(ann, maya);
    await befriend(ann, other);
    for (const { id } of [maya, other]) await ann.send('conversation:create', { userIds: [id] });
    const group = await ann.send('conversation:create', { userIds: [maya.id, other.id] });
    const page = await see({ path: `/direct/${group.conversation.id}` });
    const list = page.getByRole('navigation', { name: 'Conversations' });
    for (const handle of [`@maya${count}`, `@mchen${count}`])
      await list.getByRole('link', { name: `Maya Chen ${handle}` }).waitFor();
    const title = page.getByRole('heading', { level: 1 });
    expect(await title.innerText()).to.match(/Maya Chen \(@m\w+\) and Maya Chen \(@m\w+\)/);
    await list.getByRole('link', { name: `Maya Chen @mchen${count}` }).click();
    await title.getByText(`@mchen${count}`).waitFor();
    await expectAccessible(page);
    await picture(page, 'names-direct');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Jump/ }).fill('maya');
    await page.getByRole('option', { name: new RegExp(`^Maya Chen @maya${count}`) }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Friends' }).first().click();
    for (const handle of [`@maya${count}`, `@mchen${count}`])
      await page.getByRole('main').getByText(handle).waitFor();
    await picture(page, 'names-friends');
  });

  const looks = [
    ['light', 1_280],
    ['dark', 390],
    ['light', 390],
    ['dark', 1_280],
  ] as const;
  for (const [theme, width] of firstAtLength(looks, 2))
    it(`are legible: ${theme}, ${width} px`, async () => {
      await ann.send('member:update', { serverId, userId: maya.id, role: 'moderator' });
      await maya.send('message:send', {
        timelineId: general,
        body: `Ask ${mentionOf(other.id)} about the plan.`,
      });
      await other.send('message:send', { timelineId: general, body: 'It is on my desk.' });
      other.close();
      const page = await see({ theme, width, height: 800, touch: width < 500 });
      await message(page, 'desk').waitFor();
      await choose(page, 'Thanks @maya', `@mchen${count}`);
      await composer(page).pressSequentially('and @');
      await option(page, `@maya${count}`).waitFor();
      await expectAccessible(page);
      await picture(page, `names-${theme}-${width}`);
    });
});
