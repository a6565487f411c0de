import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  focused,
  message,
  openBrowser,
  say,
  type Looks,
} from '../support/browser.ts';
import { enterAs, type Person } from '../support/person.ts';

const phone = { width: 390, height: 844, touch: true } as const;
const soon = { timeout: 2_000 };

describe('friends', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let channel: string;
  let code: string;
  let timelineId: string;

  before(async () => {
    app = await startSite({ PARLEY_RATE_SCALE: '100' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    ({ code } = (await ann.send('invite:create', { serverId: server.id })).invite);
    await ben.send('server:join', { code });
    timelineId = server.defaultChannelId;
    channel = `/s/${server.id}/${timelineId}`;
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const befriend = async () => {
    await ann.send('friendRequest:create', { userId: ben.id });
    return (await ben.send('friendship:create', { userId: ann.id })).friendship;
  };
  const open = async (as: Person, path = '/friends', looks: Looks = {}) => {
    const { page } = await openBrowser(app, { as, path, ...looks });
    await (path === '/friends' ? list(page) : composer(page)).waitFor();
    return page;
  };
  const list = (page: Page) => page.getByRole('group', { name: 'Friends' });
  const goToFriends = async (page: Page) => {
    await page.getByRole('link', { name: /^Direct messages/ }).click();
    await page.getByRole('link', { name: /^Friends/ }).click();
  };
  const under = (page: Page, title: string) =>
    page.getByRole('region', { name: new RegExp(`^${title}`) }).getByRole('listitem');
  const row = (page: Page, name: string) =>
    list(page).getByRole('listitem').filter({ hasText: name });
  const dialog = (page: Page) => page.getByRole('dialog').last();
  const more = async (page: Page, name: string, item: string) => {
    await page.getByRole('button', { name: `More about ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const openCard = async (page: Page, name: string) => {
    await page
      .getByRole('complementary', { name: 'Members' })
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .click();
    await dialog(page)
      .getByRole('button', { name: `More for ${name}` })
      .waitFor();
  };
  const names = async (rows: Locator) =>
    (await rows.locator('bdi').allInnerTexts()).map((name) => name.trim());

  it('UX-70 are asked from their card with a note; both see the answer at once', async () => {
    const [annsPage, bensPage] = [await open(ann, channel), await open(ben, channel)];
    await openCard(annsPage, 'Ben');
    await dialog(annsPage).getByRole('button', { name: 'Add friend: Ben' }).click();
    await dialog(annsPage).getByLabel('Note').fill('From the harbour');
    await annsPage.keyboard.press('Enter');
    await dialog(annsPage).getByText('Request sent').waitFor();
    await annsPage.keyboard.press('Escape');
    await goToFriends(annsPage);
    await row(annsPage, 'Ben').getByText('“From the harbour”').waitFor();

    await bensPage.getByRole('link', { name: 'Direct messages, 1 friend request' }).click();
    await bensPage.getByRole('link', { name: 'Friends, 1 friend request' }).click();
    await row(bensPage, 'Ann').getByText('“From the harbour”').waitFor();
    await bensPage.getByRole('button', { name: 'Accept Ann' }).click();
    await annsPage.getByRole('status').getByText('Ben accepted your friend request.').waitFor();
    for (const [page, name] of [
      [annsPage, 'Ben'],
      [bensPage, 'Ann'],
    ] as const) {
      await under(page, 'Online').filter({ hasText: name }).waitFor();
      await eventually(async () =>
        expect(await names(list(page).getByRole('listitem'))).to.deep.equal([name]),
      );
    }
    await bensPage.getByRole('link', { name: 'Friends', exact: true }).waitFor();
    expect(await focused(bensPage)).to.not.equal('BODY');
  });

  it('UX-70 are found by name, with the state of the friendship', async () => {
    // Names of this test alone, because the search covers everyone who has registered here.
    const called = ['Quill Friend', 'Quill Asked', 'Quill Asking', 'Quill Stranger', 'Quill Foe'];
    const [friend, asked, asking, , foe] = await Promise.all(
      called.map((name) => app.person(name)),
    );
    await ann.send('friendRequest:create', { userId: friend!.id });
    await friend!.send('friendship:create', { userId: ann.id });
    await ann.send('friendRequest:create', { userId: asked!.id });
    await asking!.send('friendRequest:create', { userId: ann.id });
    await foe!.send('block:create', { userId: ann.id });
    const page = await open(ann);
    const found = page.getByRole('region', { name: 'Find people' }).getByRole('listitem');
    const of = (name: string) => found.filter({ hasText: name });
    await page.getByRole('searchbox', { name: 'Find people' }).fill('quíll');
    await page.getByText('4 results for “quíll”').waitFor();
    expect((await names(found)).sort()).to.deep.equal(called.slice(0, 4).sort());
    await of('Quill Friend').getByText('Friends', { exact: true }).waitFor();
    await of('Quill Asked').getByText('Request sent').waitFor();
    await of('Quill Asking').getByRole('button', { name: 'Accept' }).click();
    await of('Quill Asking').getByText('Friends', { exact: true }).waitFor();
    await of('Quill Stranger').getByRole('button', { name: 'Add friend' }).click();
    await dialog(page).getByLabel('Note').waitFor();
    await page.keyboard.press('Enter');
    await of('Quill Stranger').getByText('Request sent').waitFor();
    await asked!.send('friendship:create', { userId: ann.id });
    await of('Quill Asked').getByText('Friends', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Find people' }).press('Escape');
    await found.first().waitFor({ state: 'detached' });
  });

  it('UX-70 search results match the latest text', async () => {
    const page = await open(ann);
    await page
      .getByRole('searchbox', { name: 'Find people' })
      .pressSequentially('Benedictus', { delay: 90 });
    await page.getByText('No one found for “Benedictus”.').waitFor();
    await page.getByRole('searchbox', { name: 'Find people' }).fill(ben.user.username ?? '');
    await page
      .getByRole('region', { name: 'Find people' })
      .getByText(`@${ben.user.username}`, { exact: true })
      .waitFor();
  });

  it('UX-70 become friends once if both ask at the same moment', async () => {
    const pages = [await open(ann, channel), await open(ben, channel)] as const;
    for (const [page, name] of [
      [pages[0], 'Ben'],
      [pages[1], 'Ann'],
    ] as const) {
      await openCard(page, name);
      await dialog(page)
        .getByRole('button', { name: /^Add friend/ })
        .click();
      await dialog(page).getByLabel('Note').waitFor();
    }
    await Promise.all(pages.map((page) => page.keyboard.press('Enter')));
    for (const page of pages) {
      await dialog(page).getByText('Friends', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await goToFriends(page);
      await list(page).getByRole('listitem').first().waitFor();
      expect(await list(page).getByRole('listitem').count()).to.equal(1);
    }
  });

  it('UX-70 are declined silently: the sender sees no difference', async () => {
    await ann.send('friendRequest:create', { userId: ben.id });
    const [annsPage, bensPage] = [await open(ann), await open(ben)];
    await bensPage.getByRole('button', { name: 'Decline Ann' }).click();
    await bensPage.getByText('No friends yet').waitFor();
    expect(await focused(bensPage)).to.not.equal('BODY');
    await annsPage.reload();
    await row(annsPage, 'Ben').getByText('Request sent').waitFor();
    await annsPage.getByRole('button', { name: 'Cancel request to Ben' }).click();
    await annsPage.getByText('No friends yet').waitFor();
  });

  it('a request changes and disappears live on the page of its recipient', async () => {
    await ann.send('friendRequest:create', { userId: ben.id });
    const [annsPage, bensPage] = [await open(ann), await open(ben)];
    await more(annsPage, 'Ben', 'Edit note');
    await dialog(annsPage).getByLabel('Note').fill('It is me');
    await annsPage.keyboard.press('Enter');
    await row(bensPage, 'Ann').getByText('“It is me”').waitFor();
    await annsPage.getByRole('button', { name: 'Cancel request to Ben' }).click();
    await row(bensPage, 'Ann').waitFor({ state: 'detached' });
  });

  it('UX-71 show their status within two seconds, in words', async () => {
    await befriend();
    const page = await open(ann);
    await under(page, 'Online').filter({ hasText: 'Ben' }).waitFor();
    await ben.send('session:logout', {});
    await under(page, 'Offline').filter({ hasText: 'Ben' }).getByText('Offline').waitFor(soon);
    const { username } = ben.user;
    const password = `the password of ${username}`;
    const bensPage = await open(await enterAs(app.url, 'login', { username, password }));
    await under(page, 'Online').filter({ hasText: 'Ben' }).getByText('Online').waitFor(soon);
    await bensPage.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await bensPage.getByRole('menuitemradio', { name: 'Do not disturb' }).click();
    await row(page, 'Ben').getByText('Do not disturb').waitFor(soon);
  });

  it('can have a private nickname and star; starred friends come first', async () => {
    const zoe = await app.person('Zoe');
    await befriend();
    await zoe.send('friendRequest:create', { userId: ann.id });
    await ann.send('friendship:create', { userId: zoe.id });
    const page = await open(ann);
    await row(page, 'Zoe').waitFor();
    expect(await names(under(page, 'Online'))).to.deep.equal(['Ben', 'Zoe']);
    await more(page, 'Zoe', 'Add to favourites');
    await eventually(async () =>
      expect(await names(under(page, 'Online'))).to.deep.equal(['Zoe', 'Ben']),
    );
    await more(page, 'Ben', 'Nickname');
    await dialog(page).getByLabel('Nickname').fill('Bosun');
    // The row moves while the dialog stays open.
    ben.close();
    await under(page, 'Offline').filter({ hasText: 'Ben' }).waitFor();
    expect(await dialog(page).getByLabel('Nickname').inputValue()).to.equal('Bosun');
    await page.keyboard.press('Enter');
    await row(page, 'Bosun').getByText('Ben').waitFor();
    expect(await focused(page)).to.not.equal('BODY');
    await page.reload();
    await row(page, 'Bosun').waitFor();
    const bens = await open(ben);
    await row(bens, 'Ann').waitFor();
    expect(await list(bens).getByText('Bosun').count()).to.equal(0);
  });

  it('UX-63 are removed for both, after a question naming them', async () => {
    await befriend();
    const [annsPage, bensPage] = [await open(ann), await open(ben)];
    await more(annsPage, 'Ben', 'Remove friend');
    const question = annsPage.getByRole('dialog', { name: 'Remove Ben as a friend?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await more(annsPage, 'Ben', 'Remove friend');
    await question.getByRole('button', { name: 'Remove friend' }).click();
    for (const page of [annsPage, bensPage]) await page.getByText('No friends yet').waitFor();
    expect(await focused(annsPage)).to.not.equal('BODY');
  });

  it('UX-70 a block silently ends the friendship, and can be lifted', async () => {
    await befriend();
    const [annsPage, bensPage] = [await open(ann), await open(ben)];
    await more(annsPage, 'Ben', 'Block');
    await annsPage
      .getByRole('dialog', { name: 'Block Ben?' })
      .getByText(/no longer be friends/)
      .waitFor();
    await dialog(annsPage).getByRole('button', { name: 'Block', exact: true }).click();
    await under(annsPage, 'Blocked').filter({ hasText: 'Ben' }).waitFor();
    await bensPage.getByText('No friends yet').waitFor();
    expect(await under(bensPage, 'Blocked').count()).to.equal(0);

    await bensPage.goto(app.url + channel);
    await openCard(bensPage, 'Ann');
    await dialog(bensPage).getByRole('button', { name: 'Add friend: Ann' }).click();
    await dialog(bensPage).getByLabel('Note').fill('Why?');
    await bensPage.keyboard.press('Enter');
    await dialog(bensPage).getByRole('alert').filter({ hasText: /\w/ }).waitFor();

    await annsPage.getByRole('button', { name: 'Unblock Ben' }).click();
    await annsPage.getByText('No friends yet').waitFor();
    await bensPage.keyboard.press('Enter');
    await dialog(bensPage).getByText('Request sent').waitFor();
    await annsPage.getByRole('button', { name: 'Accept Ben' }).waitFor();
  });

  it('messages of a blocked person are folded, and shown on request', async () => {
    const page = await open(ann, channel);
    const bensPage = await open(ben, channel);
    for (const text of ['One', 'Two', 'Three']) await say(bensPage, text);
    await message(page, 'Three').waitFor();
    await openCard(page, 'Ben');
    await dialog(page).getByRole('button', { name: 'More for Ben' }).click();
    await page.getByRole('menuitem', { name: 'Block' }).click();
    await page
      .getByRole('dialog', { name: 'Block Ben?' })
      .getByRole('button', { name: 'Block', exact: true })
      .click();
    await dialog(page).getByRole('button', { name: 'Unblock' }).waitFor();
    await page.keyboard.press('Escape');
    await message(page, '3 messages from someone you blocked').waitFor();
    expect(await message(page, 'Two').count()).to.equal(0);
    await say(page, 'Mine');
    await message(bensPage, 'Mine').waitFor();
    await say(bensPage, 'Four');
    await message(page, '1 message from someone you blocked').waitFor();
    await message(page, '3 messages').getByRole('button', { name: 'Show' }).click();
    await message(page, 'Two').waitFor();
    await eventually(async () => expect(await focused(page)).to.equal('ARTICLE'));
    expect(await message(page, 'Four').count()).to.equal(0);
    await openCard(page, 'Ben');
    await dialog(page).getByRole('button', { name: 'Unblock' }).click();
    await message(page, 'Four').waitFor();
  });

  it('A11Y-05 are made by keys alone', async () => {
    await ben.send('friendRequest:create', { userId: ann.id, note: 'Ahoy' });
    const page = await open(ann);
    const tabTo = async (name: RegExp) => {
      for (let i = 0; i < 40; i++) {
        const here = await page.evaluate(() => {
          const at = document.activeElement;
          return at?.getAttribute('aria-label') ?? at?.textContent.trim() ?? '';
        });
        if (name.test(here)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not come to ${name}`);
    };
    await tabTo(/^Accept Ben/);
    await page.keyboard.press('Enter');
    await under(page, 'Online').filter({ hasText: 'Ben' }).waitFor();
    expect(await focused(page)).to.not.equal('BODY');
    await tabTo(/^More about Ben/);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Enter');
    await row(page, 'Ben').getByText('favourite').waitFor({ state: 'attached' });
    expect(await focused(page)).to.equal('BUTTON');
  });

  it('UX-68 are behind a tab on a phone, one pane at a time', async () => {
    await ben.send('friendRequest:create', { userId: ann.id });
    const page = await open(ann, channel, phone);
    await page.getByRole('link', { name: /^Back to/ }).tap();
    await page.getByRole('link', { name: 'Direct, 1 friend request' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Direct messages' }).waitFor();
    await page.getByRole('link', { name: 'Friends, 1 friend request' }).tap();
    await page.getByRole('button', { name: 'Accept Ben' }).tap();
    await under(page, 'Online').filter({ hasText: 'Ben' }).waitFor();
    await page.getByRole('link', { name: /^Back to/ }).tap();
    await page.getByRole('link', { name: 'Direct', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Channels' }).tap();
    await page.getByRole('navigation', { name: 'Channels' }).waitFor();
  });

  it('cannot be asked by guests, but can ask guests', async () => {
    const kim = await app.guest('Kim');
    await ben.send('friendRequest:create', { userId: kim.id });
    const page = await open(kim);
    await page.getByRole('button', { name: 'Accept Ben' }).click();
    await under(page, 'Online').filter({ hasText: 'Ben' }).waitFor();
  });
});
