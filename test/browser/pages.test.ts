/** Every screen, wide and on a phone, in both themes: nothing that axe finds, and nothing that does not fit. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  eventually,
  focused,
  message,
  openBrowser,
  say,
  serverAway,
  type Window,
} from '../support/browser.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { enterAs, type Person } from '../support/person.ts';
import { drawPicture } from '../support/picture.ts';

const wide = { width: 1_280, height: 800 };
const phone = { width: 390, height: 844, touch: true };
const narrowest = 320;

/** What people write, and how they are called. */
const longName = 'Maximiliana Freifrau von Hohenstein-Wittelsbach-Habsburg-Loth';
const conversation: [name: string, body: string][] = [
  [
    '田中 美咲',
    'ステージングで確認しました。通知の遅延は直っています。東京からの往復は 84 ms です。',
  ],
  ['ليلى حداد', 'صباح الخير! هل يمكننا تأجيل النشر إلى الساعة الثالثة؟'],
  ['W'.repeat(64), 'Fahrzeughaftpflichtversicherungsbeitragsrückerstattungsstelle'.repeat(5)],
  ['Pieter', 'const delay = Math.min(cap, base * 2 ** attempt);\n\tif (a < b && c > d) { go(); }'],
  ['Pieter', `https://grafana.example/d/9f3c1e/cluster?${'orgId=1&from=1763570000000&'.repeat(8)}`],
];

interface Screen {
  name: string;
  /** Whose session; a stranger's if nobody is named. */
  as?: () => Person;
  path: () => string;
  /** The way there from the address. */
  show: (page: Page, look: { narrow: boolean }) => Promise<void>;
  /** It covers what was there, and gives the keyboard back when it is closed. */
  closes?: boolean;
  only?: 'wide' | 'phone';
}

describe('every screen', function () {
  this.timeout(40_000);
  let app: TestApp;
  let ann: Person;
  let loner: Person;
  let serverId: string;
  let general: string;
  let plans: string;
  let secret: string;
  let office: string;
  let code: string;
  let pair: string;
  let group: string;

  before(async () => {
    app = await startApp();
    [ann, loner] = await Promise.all([app.person(longName), app.person('Loner')]);
    const [lobby] = (await loner.send('server:list', {})).servers;
    await loner.send('server:leave', { serverId: lobby!.id });
    const { server } = await ann.send('server:create', {
      name: 'Softwareentwicklungsgenossenschaft Schleswig-Holstein-Sonderburg',
    });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { channel } = await ann.send('channel:create', {
      serverId,
      name: 'softwareentwicklung-und-abnahme-',
      topic: 'Cluster, gateway and storage. Production freeze from 18 December. '.repeat(3).trim(),
    });
    plans = channel.id;
    office = (await ann.send('channel:create', { serverId, name: 'مكتب-عمّان' })).channel.id;
    for (const name of ['Softwarequalitätssicherungsmaßnahmenkoordinierung', 'Empty'])
      await ann.send('category:create', { serverId, name });
    const [under] = (await ann.send('category:list', { serverId })).categories;
    await ann.send('channel:update', { channelId: plans, categoryId: under!.id });
    code = (await ann.send('invite:create', { serverId })).invite.code;
    await ann.send('invite:create', { serverId, maxUses: 1, expiresInSeconds: 3_600 });
    const people = new Map<string, Person>();
    for (const [name, body] of conversation) {
      const person = people.get(name) ?? (await app.guest(name));
      if (!people.has(name)) await person.send('server:join', { code });
      people.set(name, person);
      await person.send('message:send', { timelineId: general, body });
    }
    const crowd = [...people.values()].map(({ id }) => id);
    const wanted = { serverId, name: 'vertraulich', private: true, userIds: crowd };
    secret = (await ann.send('channel:create', wanted)).channel.id;
    const [, , , pieter] = conversation;
    const caller = people.get(pieter![0])!;
    const calling = `${mentionOf(ann.id)}, ask ${mentionOf(crowd[0]!)}`;
    await caller.send('message:send', { timelineId: secret, body: calling });
    for (const body of ['Mine, see https://example.org/a?b=c.', 'Gone', 'Mine, again'])
      await ann.send('message:send', { timelineId: general, body });
    const { messages } = await ann.send('message:list', { timelineId: general });
    await ann.send('message:delete', { messageId: messages.at(-2)!.id });
    const leila = people.get('ليلى حداد')!;
    const others = [...people.values()].map(({ id }) => id);
    pair = await conversationWith([leila.id]);
    group = await conversationWith(others, 'Release crew');
    for (const timelineId of [pair, group])
      await leila.send('message:send', { timelineId, body: 'هل الجدول جاهز؟ See `plan.md`.' });
    await acquaint();
    const { username } = ann.user;
    await enterAs(app.url, 'login', { username, password: `the password of ${username}` });
  });
  afterEach(checkWindows);
  after(() => app.close());

  const conversationWith = async (userIds: string[], name?: string) =>
    (await ann.send('conversation:create', { userIds, ...(name && { name }) })).conversation.id;

  /** Friends of both kinds, requests both ways, and somebody blocked, who has written. */
  async function acquaint() {
    const named = ['Zoë', 'Grace Owusu', 'Nguyễn Thị Minh Thư', 'Basil', longName.toUpperCase()];
    const [zoe, grace, thu, basil, long] = await Promise.all(named.map((name) => app.person(name)));
    await app.person('Grace Hopper');
    for (const { id } of [zoe!, long!]) await ann.send('friendRequest:create', { userId: id });
    for (const friend of [zoe!, long!]) await friend.send('friendship:create', { userId: ann.id });
    const { friendships } = await ann.send('friendship:list', {});
    const friendshipId = friendships.find(({ userId }) => userId === zoe!.id)!.id;
    await ann.send('friendship:update', { friendshipId, nickname: 'Bosun', favourite: true });
    const note = 'We met at the harbour, when the crane was late. '.repeat(4).trim();
    await thu!.send('friendRequest:create', { userId: ann.id, note });
    await ann.send('friendRequest:create', { userId: grace!.id, note: 'Ahoy' });
    await basil!.send('server:join', { code });
    for (const body of ['One', 'Two'])
      await basil!.send('message:send', { timelineId: office, body });
    await ann.send('block:create', { userId: basil!.id });
    long!.close();
  }

  const owner = () => ann;
  const inGeneral = () => `/s/${serverId}/${general}`;
  const inSecret = () => `/s/${serverId}/${secret}`;
  const inPlans = () => `/s/${serverId}/${plans}`;
  const dialog = (page: Page) => page.getByRole('dialog').last();

  const actions = async (page: Page, narrow: boolean) => {
    const mine = message(page, 'Mine, again');
    if (!narrow) {
      await mine.hover();
      return mine;
    }
    await mine.locator('.text').tap();
    await mine.getByRole('button', { name: 'More' }).tap();
    return page.getByRole('menu');
  };
  const openMenu = async (page: Page, narrow: boolean, item: string) => {
    if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
    await page.locator('button.server-menu').click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const openCategory = async (page: Page, narrow: boolean) => {
    if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
    const more = page.getByRole('button', { name: /^More for Software/ });
    await more.locator('xpath=ancestor::*[@data-row]').hover();
    await more.click();
  };
  const askAbout = async (page: Page, name: string, item: string) => {
    await page.getByRole('button', { name: `More about ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const openAccount = async (page: Page, narrow: boolean, item: string) => {
    if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  const screens: Screen[] = [
    {
      name: 'no conversation yet',
      as: () => loner,
      path: () => '/direct',
      show: (page) => page.getByText('Write to a friend').waitFor(),
    },
    {
      name: 'a conversation of two',
      as: owner,
      path: () => `/direct/${pair}`,
      show: (page) => message(page, 'plan.md').waitFor(),
    },
    {
      name: 'a group, and who is in it',
      as: owner,
      path: () => `/direct/${group}`,
      async show(page) {
        await message(page, 'plan.md').waitFor();
        await page.getByRole('button', { name: 'People' }).click();
        await page.getByText('In this group').waitFor();
      },
    },
    {
      name: 'a new conversation',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await message(page, 'Mine, again').waitFor();
        if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
        await page
          .getByRole('link', { name: /^Direct/ })
          .first()
          .click();
        await page.getByRole('button', { name: 'New conversation' }).first().click();
        await dialog(page).getByRole('checkbox').nth(1).check();
        await dialog(page).getByRole('checkbox').nth(2).check();
        await dialog(page).getByLabel('Name of the group').fill('Launch');
      },
      closes: true,
    },
    {
      name: 'more people for a group',
      as: owner,
      path: () => `/direct/${group}`,
      async show(page) {
        await message(page, 'plan.md').waitFor();
        await page
          .getByRole('main')
          .getByRole('button', { name: 'More', exact: true })
          .first()
          .click();
        await page.getByRole('menuitem', { name: 'Add people' }).click();
        await dialog(page).getByText('Whoever is added').waitFor();
      },
      closes: true,
    },
    {
      name: 'signing in, or visiting',
      path: () => '/',
      show: (page) => page.getByLabel('Your name').waitFor(),
    },
    {
      name: 'UX-60 registering, with all errors at once',
      path: () => '/',
      async show(page) {
        await page.getByRole('tab', { name: 'Register' }).click();
        await page.getByLabel('Username').fill('A b');
        await page.getByLabel('Display name').fill('x'.repeat(65));
        await page.getByLabel('Password', { exact: true }).fill('short');
        await page.getByRole('button', { name: 'Create account' }).click();
        for (const name of ['Username', 'Display name', 'Password']) {
          const field = page.getByLabel(name, { exact: true });
          expect(await field.getAttribute('aria-invalid')).to.equal('true');
          const note = await field.getAttribute('aria-describedby');
          expect(await page.locator(`[id="${note}"]`).innerText()).to.match(/\w/);
        }
        expect(await page.getByLabel('Username').inputValue()).to.equal('A b');
        expect(await page.locator(':focus').getAttribute('name')).to.equal('username');
      },
    },
    {
      name: 'an invite, for a stranger',
      path: () => `/join/${code}`,
      show: (page) => page.getByRole('heading', { level: 1, name: /^Software/ }).waitFor(),
    },
    {
      name: 'an invite that does not work',
      path: () => '/join/nosuchinvite',
      show: (page) => page.getByRole('heading', { name: 'This invite does not work' }).waitFor(),
    },
    {
      name: 'an invite, for somebody signed in',
      as: () => loner,
      path: () => `/join/${code}`,
      show: (page) => page.getByRole('button', { name: /^Join Software/ }).waitFor(),
    },
    {
      name: 'UX-61 no server yet',
      as: () => loner,
      path: () => '/',
      show: (page) => page.getByRole('button', { name: 'Create a server' }).waitFor(),
    },
    {
      name: 'a place that is not there',
      as: owner,
      path: () => '/s/01900000-0000-7000-8000-000000000000',
      show: (page) => page.getByText('This page is not available').waitFor(),
    },
    {
      name: 'a channel with all kinds of names and text',
      as: owner,
      path: inGeneral,
      show: (page) => message(page, 'Mine, again').waitFor(),
    },
    {
      name: 'UX-61 an empty channel',
      as: owner,
      path: inPlans,
      show: (page) => page.getByText('Nobody has written yet.').waitFor(),
    },
    {
      name: 'UX-58 a message with its actions',
      as: owner,
      path: inGeneral,
      only: 'wide',
      async show(page) {
        const row = await actions(page, false);
        await row.getByRole('button', { name: 'Edit' }).waitFor();
      },
    },
    {
      name: 'UX-58 a message being edited',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        const found = await actions(page, narrow);
        await found
          .getByText('Edit')
          .or(found.getByRole('button', { name: 'Edit' }))
          .first()
          .click();
        await page.getByLabel('Edit message').waitFor();
      },
      closes: true,
    },
    {
      name: 'the question before a message is deleted',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        const found = await actions(page, narrow);
        const button = found.getByRole('button', { name: 'Delete' });
        await button
          .or(found.getByRole('menuitem', { name: 'Delete' }))
          .first()
          .click();
        await dialog(page).getByRole('button', { name: 'Keep message' }).waitFor();
        expect(await page.locator(':focus').innerText()).to.equal('Keep message');
      },
      closes: true,
    },
    {
      name: 'the default channel’s settings',
      as: owner,
      path: inGeneral,
      async show(page) {
        await page.getByRole('button', { name: 'Channel settings' }).click();
        await page.getByText('The default channel cannot be deleted').waitFor();
      },
      closes: true,
    },
    {
      name: 'UX-63 the question before a channel is deleted',
      as: owner,
      path: inPlans,
      async show(page) {
        await page.getByRole('button', { name: 'Channel settings' }).click();
        await page.getByRole('button', { name: /^Delete #software/ }).click();
        await page.getByRole('dialog', { name: /^Delete #software.*\?$/ }).waitFor();
        expect(await page.locator(':focus').innerText()).to.equal('Keep channel');
      },
      closes: true,
    },
    {
      name: 'a message that mentions me, and choosing whom to mention',
      as: owner,
      path: inSecret,
      async show(page) {
        await message(page, ', ask @').waitFor();
        await composer(page).pressSequentially('@');
        await page.getByRole('listbox').waitFor();
      },
    },
    {
      name: 'creating a private channel, with its people',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Create a channel');
        await dialog(page).getByRole('checkbox', { name: 'Private' }).check();
        await dialog(page).getByRole('checkbox', { name: 'Pieter' }).check();
        await dialog(page).getByText('1 chosen').waitFor();
      },
      closes: true,
    },
    {
      name: 'a private channel',
      as: owner,
      path: inSecret,
      show: (page) => page.getByText('Only its members see it.').waitFor(),
    },
    {
      name: 'the members of a private channel',
      as: owner,
      path: inSecret,
      async show(page) {
        await page.getByRole('button', { name: 'Channel settings' }).click();
        await dialog(page).getByRole('button', { name: 'Members' }).click();
        await dialog(page).getByRole('button', { name: 'Remove Pieter' }).waitFor();
      },
      closes: true,
    },
    {
      name: 'the question before a channel becomes private',
      as: owner,
      path: inPlans,
      async show(page) {
        await page.getByRole('button', { name: 'Channel settings' }).click();
        await dialog(page).getByRole('button', { name: 'Members' }).click();
        await dialog(page).getByRole('button', { name: 'Make private' }).click();
        expect(await page.locator(':focus').innerText()).to.equal('Keep public');
      },
      closes: true,
    },
    {
      name: 'creating a channel under a category',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
        await page.getByRole('button', { name: 'Create a channel in Empty' }).click();
        await dialog(page).getByLabel('Category').waitFor();
      },
      closes: true,
    },
    {
      name: 'creating a category',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Create a category');
        await dialog(page).getByLabel('Name').waitFor();
      },
      closes: true,
    },
    {
      name: 'what can be done with a category',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openCategory(page, narrow);
        await page.getByRole('menuitem', { name: 'Move down' }).waitFor();
      },
    },
    {
      name: 'the question before a category is deleted',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openCategory(page, narrow);
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await dialog(page).getByRole('button', { name: 'Keep category' }).waitFor();
        expect(await page.locator(':focus').innerText()).to.equal('Keep category');
      },
      closes: true,
    },
    {
      name: 'moving a channel to a category',
      as: owner,
      path: inGeneral,
      only: 'wide',
      async show(page) {
        await page.getByRole('button', { name: 'Move #general' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('menuitem', { name: 'Move to category…' }).click();
        await dialog(page).getByLabel('Category').waitFor();
      },
      closes: true,
    },
    {
      name: 'the server’s settings',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Server settings');
        await dialog(page).getByLabel('Default channel').waitFor();
      },
      closes: true,
    },
    {
      name: 'the server’s channels',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Server settings');
        await dialog(page).getByRole('button', { name: 'Channels', exact: true }).click();
        await dialog(page).getByText('No channels here yet.').waitFor();
      },
      closes: true,
    },
    {
      name: 'the server’s invite links',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Server settings');
        await dialog(page).getByRole('button', { name: 'Invite links' }).click();
        await dialog(page).getByText('Links in use').waitFor();
      },
      closes: true,
    },
    {
      name: 'the server’s members, and a card over them',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Server settings');
        await dialog(page).getByRole('button', { name: 'Members', exact: true }).click();
        await dialog(page).getByLabel('Find a member').fill('piet');
        await dialog(page)
          .getByRole('button', { name: /^Pieter/ })
          .click();
        await dialog(page).getByRole('button', { name: 'Ban' }).waitFor();
      },
    },
    {
      name: 'the server’s bans',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Server settings');
        await dialog(page).getByRole('button', { name: 'Bans' }).click();
        await dialog(page).getByText('Nobody is banned.').waitFor();
      },
      closes: true,
    },
    {
      name: 'inviting people',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openMenu(page, narrow, 'Invite people');
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByLabel('New link').waitFor();
      },
      closes: true,
    },
    {
      name: 'friends, who asks, who was asked, and who is blocked',
      as: owner,
      path: () => '/friends',
      async show(page) {
        for (const title of ['Requests for you', 'Sent by you', 'Online', 'Blocked'])
          await page.getByRole('heading', { name: new RegExp(`^${title}`) }).waitFor();
      },
    },
    {
      name: 'UX-61 no friends yet',
      as: () => loner,
      path: () => '/friends',
      show: (page) => page.getByText('No friends here yet').waitFor(),
    },
    {
      name: 'people found by name, and how one stands to each',
      as: owner,
      path: () => '/friends',
      async show(page) {
        await page.getByRole('searchbox', { name: 'Find people' }).fill('grace');
        for (const name of ['Add friend: Grace Hopper', 'Withdraw the request to Grace Owusu'])
          await page.getByRole('button', { name }).first().waitFor();
      },
    },
    {
      name: 'UX-61 nobody of such a name',
      as: () => loner,
      path: () => '/friends',
      async show(page) {
        await page.getByRole('searchbox', { name: 'Find people' }).fill('Rumpelstiltskin');
        await page.getByText('Nobody is called “Rumpelstiltskin”.').waitFor();
      },
    },
    {
      name: 'the note of a friend request',
      as: owner,
      path: () => '/friends',
      async show(page) {
        await askAbout(page, 'Grace Owusu', 'Edit note');
        await dialog(page).getByLabel('A note').waitFor();
      },
      closes: true,
    },
    {
      name: 'a nickname for a friend',
      as: owner,
      path: () => '/friends',
      async show(page) {
        await askAbout(page, 'Bosun', 'Nickname');
        await dialog(page).getByLabel('Nickname').waitFor();
      },
      closes: true,
    },
    {
      name: 'UX-63 the question before a friend is removed',
      as: owner,
      path: () => '/friends',
      async show(page) {
        await askAbout(page, 'Bosun', 'Remove friend');
        await page.getByRole('dialog', { name: /^Remove Bosun.*\?$/ }).waitFor();
        expect(await page.locator(':focus').innerText()).to.equal('Keep Bosun');
      },
      closes: true,
    },
    {
      name: 'the question before somebody is blocked',
      as: owner,
      path: () => '/friends',
      async show(page) {
        await askAbout(page, 'Bosun', 'Block');
        await page.getByRole('dialog', { name: 'Block Bosun?' }).waitFor();
      },
      closes: true,
    },
    {
      name: 'a friend’s card',
      as: owner,
      path: () => '/friends',
      async show(page) {
        await page.getByRole('button', { name: /^Bosun/ }).click();
        await dialog(page).getByRole('button', { name: 'Remove friend' }).waitFor();
      },
      closes: true,
    },
    {
      name: 'messages of somebody blocked',
      as: owner,
      path: () => `/s/${serverId}/${office}`,
      show: (page) => message(page, '2 messages from someone you blocked').waitFor(),
    },
    {
      name: 'where one is signed in',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openAccount(page, narrow, 'Settings');
        await dialog(page).getByRole('button', { name: 'Devices' }).click();
        await dialog(page).getByText('This device').waitFor();
        await dialog(page)
          .getByRole('button', { name: /^Sign out/ })
          .first()
          .waitFor();
      },
      closes: true,
    },
    {
      name: 'one’s own profile',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openAccount(page, narrow, 'Settings');
        await dialog(page).getByLabel('Display name').fill(' ');
        await dialog(page).getByRole('button', { name: 'Save name' }).click();
        await dialog(page).getByText('A name is needed.').waitFor();
      },
      closes: true,
    },
    {
      name: 'one’s own bots, and a new token',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openAccount(page, narrow, 'Settings');
        await dialog(page).getByRole('button', { name: 'Bots' }).click();
        await dialog(page).getByRole('button', { name: 'Create a bot' }).click();
        await dialog(page).getByLabel('Name', { exact: true }).fill('Deploy watcher');
        await dialog(page).getByLabel('Delete anybody’s messages').check();
        await page.keyboard.press('Enter');
        await dialog(page).getByLabel('Token', { exact: true }).waitFor();
      },
      closes: true,
    },
    {
      name: 'adding a bot to a server',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openAccount(page, narrow, 'Settings');
        await dialog(page).getByRole('button', { name: 'Bots' }).click();
        await dialog(page)
          .getByRole('button', { name: /^More about/ })
          .first()
          .click();
        await page.getByRole('menuitem', { name: 'Add to a server' }).click();
        await dialog(page).getByLabel('Server', { exact: true }).waitFor();
      },
    },
    {
      name: 'changing the password',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await openAccount(page, narrow, 'Settings');
        await dialog(page).getByRole('button', { name: 'Password', exact: true }).click();
        await dialog(page).getByLabel('New password').fill('short');
        await dialog(page).getByRole('button', { name: 'Change password' }).click();
        await dialog(page).getByText('5 characters; at least 8').waitFor();
      },
      closes: true,
    },
    {
      name: 'the members',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        if (!narrow) await page.setViewportSize({ ...wide, width: 900 });
        await page.getByRole('button', { name: 'Members', exact: true }).click();
        const pane = page.getByRole('complementary', { name: 'Members' });
        await pane.getByText('Pieter').waitFor();
        expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Close members');
      },
      closes: true,
    },
    {
      name: 'jumping to a place',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
        await page.getByRole('button', { name: 'Jump to…' }).click();
        await page.getByRole('option').first().waitFor();
      },
      closes: true,
    },
    {
      name: 'the keyboard’s shortcuts',
      as: owner,
      path: inGeneral,
      async show(page) {
        await message(page, 'Mine, again').waitFor();
        await page.keyboard.press('Control+/');
        await dialog(page).getByText('Next part of the page').waitFor();
      },
      closes: true,
    },
    {
      name: 'the list of channels',
      as: owner,
      path: inGeneral,
      only: 'phone',
      async show(page) {
        await page.getByRole('link', { name: /^Back to/ }).click();
        await page.getByRole('navigation', { name: 'Channels' }).waitFor();
      },
    },
    {
      name: 'no connection, and a message that waits for it',
      as: owner,
      path: inGeneral,
      async show(page, { narrow }) {
        await message(page, 'Mine, again').waitFor();
        await page.context().setOffline(true);
        await page.getByText('Reconnecting…').waitFor();
        await composer(page).fill('Is anybody there?');
        if (narrow) await page.getByRole('button', { name: 'Send' }).tap();
        else await composer(page).press('Enter');
        await message(page, 'Waiting for the connection').waitFor();
      },
    },
  ];

  /** One window for each of them: it goes from screen to screen, which is quicker than a new one. */
  let windows = new Map<Person | undefined, Window>();

  async function open(screen: Screen, narrow: boolean): Promise<Page> {
    const as = screen.as?.();
    const look = narrow ? phone : wide;
    const window =
      windows.get(as) ?? (await openBrowser(app, { ...look, ...(as && { as }), path: undefined }));
    windows.set(as, window);
    window.forgive(serverAway);
    const { page } = window;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(look);
    await page.goto(app.url + screen.path());
    await screen.show(page, { narrow });
    return page;
  }

  /** With PICTURES=folder every screen is drawn there: see scripts/screenshots.ts. */
  async function draw(page: Page, name: string, theme: 'light' | 'dark') {
    const { PICTURES } = process.env;
    const { width } = page.viewportSize() ?? wide;
    const slug = name.replace(/^UX-\d\d /, '').replace(/[^a-z0-9]+/gi, '-');
    if (PICTURES) await drawPicture(page, `${PICTURES}/${slug}.${width}.${theme}.webp`);
  }

  async function expectFits(page: Page, width: number) {
    const outside = await page.evaluate((width) => {
      const seen = [
        ...document.querySelectorAll('a, button, input, textarea, select, article, h1, h2'),
      ]
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ element, box }) => box.width > 1 && element.checkVisibility());
      return {
        scrolls: document.documentElement.scrollWidth > width,
        beyond: seen
          .filter(({ box }) => box.right > width + 0.5 || box.left < -0.5)
          .map(({ element }) => element.outerHTML.slice(0, 200)),
      };
    }, width);
    expect(outside, `at ${width} px`).to.deep.equal({ scrolls: false, beyond: [] });
  }

  async function expectGivesBack(page: Page) {
    const covers = page.getByRole('dialog').or(page.getByLabel('Edit message'));
    while ((await covers.count()) > 0) {
      const before = await covers.count();
      await page.keyboard.press('Escape');
      await eventually(async () => expect(await covers.count()).to.be.below(before));
    }
    await eventually(async () => expect(await focused(page)).to.not.equal('BODY'));
  }

  for (const narrow of [false, true]) {
    describe(`A11Y-01, A11Y-06, A11Y-07, A11Y-08, A11Y-10 at ${(narrow ? phone : wide).width} px`, () => {
      after(async () => {
        windows = new Map();
        await closeWindows();
      });

      for (const screen of screens) {
        if (screen.only === (narrow ? 'wide' : 'phone')) continue;

        it(screen.name, async () => {
          const page = await open(screen, narrow);
          await expectAccessible(page);
          await draw(page, screen.name, 'light');
          await page.emulateMedia({ colorScheme: 'dark' });
          // Only the colours differ.
          await expectAccessible(page, 'colours');
          await draw(page, screen.name, 'dark');
          await page.emulateMedia({ forcedColors: 'active' });
          await expectAccessible(page, 'forced');
          await page.emulateMedia({ forcedColors: 'none' });
          if (narrow) {
            await expectFits(page, phone.width);
            await page.setViewportSize({ width: narrowest, height: 640 });
            await eventually(() => expectFits(page, narrowest));
          } else {
            // As a zoom of 200 % leaves it.
            await page.setViewportSize({ width: wide.width / 2, height: wide.height / 2 });
            await eventually(() => expectFits(page, wide.width / 2));
          }
          if (screen.closes) await expectGivesBack(page);
        });
      }
    });
  }

  it('UX-69 follows the theme that was chosen, not the system’s, and keeps it', async () => {
    const { page } = await openBrowser(app, { as: ann, path: inGeneral() });
    const ground = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await message(page, 'Mine, again').waitFor();
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    expect(await ground()).to.equal('dark');
    await page.reload();
    await message(page, 'Mine, again').waitFor();
    expect(await ground()).to.equal('dark');
    await closeWindows();
  });
});

describe('the default channel', () => {
  let app: TestApp;
  let ann: Person;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startApp();
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    await ann.send('channel:create', { serverId, name: 'plans' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('UX-62 cannot be deleted: the control is there, says why, and does nothing', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${general}` });
    await page.getByRole('button', { name: 'Channel settings' }).click();
    const button = page.getByRole('button', { name: 'Delete #general' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).to.equal('true');
    expect(await button.getAttribute('disabled')).to.equal(null);
    await tabTo(page, 'Delete #general');
    const reason = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`);
    expect(await reason.isVisible()).to.equal(true);
    expect((await reason.innerText()).replace(/\s+/g, ' ').trim()).to.equal(
      'The default channel cannot be deleted: new members arrive here. Choose another default first.',
    );
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').count()).to.equal(1);
    expect(await page.locator(':focus').innerText()).to.equal('Choose another default');
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).to.equal(1);
    const refused = await ann.fails('channel:delete', { channelId: general });
    expect(refused.code).to.equal('conflict');
    await page.getByRole('link', { name: 'general' }).waitFor({ state: 'attached' });
  });

  it('can be another one, and then this one can go', async () => {
    const { page } = await openBrowser(app, { as: ann, path: `/s/${serverId}/${general}` });
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByRole('button', { name: 'Choose another default' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByLabel('Default channel').waitFor();
    expect(await page.locator(':focus').evaluate((node) => node.tagName)).to.equal('SELECT');
    await settings.getByLabel('Default channel').selectOption('#plans');
    await settings.getByRole('button', { name: 'Save changes' }).click();
    await settings.getByText('Nothing to save').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Channel settings' }).click();
    await page.getByRole('button', { name: 'Delete #general' }).click();
    await page.getByRole('button', { name: 'Delete channel' }).click();
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
    await page.getByRole('link', { name: 'general' }).waitFor({ state: 'detached' });
    await eventually(async () => expect(await focused(page)).to.not.equal('BODY'));
  });
});

/** Goes on by Tab until what is in focus has this in its name. */
async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  while (passed.length < 40) {
    await page.keyboard.press(key);
    const here = await page.evaluate(() => {
      const at = document.activeElement;
      const labels = at instanceof HTMLInputElement ? at.labels?.[0]?.innerText : undefined;
      return at === document.body
        ? 'nowhere'
        : (at?.getAttribute('aria-label') ?? labels ?? at?.textContent ?? '').trim();
    });
    if (here.includes(name)) return;
    passed.push(here);
  }
  throw new Error(`Tab does not come to ${name}, but to ${passed.join(' | ')}`);
}

describe('by keyboard alone', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  afterEach(closeWindows);
  after(() => app.close());

  const expectFocus = (page: Page, what: RegExp) =>
    eventually(async () =>
      expect(await page.locator(':focus').evaluate((node) => node.outerHTML)).to.match(what),
    );

  it('A11Y-05 one signs in, speaks, corrects and takes back, and is never nowhere', async () => {
    const ann = await app.person('Ann');
    const { page } = await openBrowser(app);
    await page.getByLabel('Username').waitFor();
    await tabTo(page, 'Username');
    await page.keyboard.type(ann.user.username ?? '');
    await tabTo(page, 'Password');
    await page.keyboard.type(`the password of ${ann.user.username}`);
    await page.keyboard.press('Enter');
    await page.locator('#composer:focus').waitFor();

    await page.keyboard.type('Spoken by keys');
    await page.keyboard.press('Enter');
    await message(page, 'Spoken by keys').waitFor();
    await expectFocus(page, /id="composer"/);

    await tabTo(page, 'Ann, Spoken by keys', 'Shift+Tab');
    await page.keyboard.press('e');
    await expectFocus(page, /aria-label="Edit message"/);
    await page.keyboard.type(', and edited');
    await page.keyboard.press('Enter');
    await message(page, 'Spoken by keys, and edited').waitFor();
    await expectFocus(page, /id="composer"/);

    await tabTo(page, 'Ann, Spoken by keys, and edited', 'Shift+Tab');
    await page.keyboard.press('Delete');
    await expectFocus(page, /Keep message/);
    await tabTo(page, 'Delete message');
    await page.keyboard.press('Enter');
    await message(page, 'Message deleted').waitFor();
    await expectFocus(page, /Message deleted/);

    await tabTo(page, 'Ann Online', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expectFocus(page, /role="menuitem/);
    await page.keyboard.press('Escape');
    await expectFocus(page, /aria-haspopup="menu"/);
  });

  it('A11Y-02 the way to the message field can be cut short', async () => {
    const { page } = await openBrowser(app, { as: await app.guest('Kim') });
    await page.locator('#composer:focus').waitFor();
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await tabTo(page, 'Skip to the message field');
    await page.keyboard.press('Enter');
    await expectFocus(page, /id="composer"/);
  });
});

describe('hostile text', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  afterEach(closeWindows);
  after(() => app.close());

  /** Each fits a channel's name. Whichever ran would set `harmed`, or break the policy. */
  const hostile = [
    '<img src=x onerror=harmed=1>',
    '<script>harmed=1</script>',
    '"><svg onload=harmed=1>',
    "' onfocus=harmed=1 autofocus='",
    'javascript:harmed=1',
    '</textarea><b onclick=harmed=1>',
    '<style>*{display:none}</style>',
    '<iframe srcdoc=<b>x</b>>',
    '{harmed=1} ${harmed=1}',
    '{@html "<b>bold</b>"}',
    '[x](javascript:harmed=1)',
    '&lt;b&gt; &#60;b&#62; &amp;',
    '<base href=//evil.example>',
  ];

  it('is shown as it was written, wherever it stands, and nothing of it runs', async () => {
    const ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: `${hostile[0]}${hostile[1]}` });
    const { id: serverId, defaultChannelId: timelineId } = server;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    const topic = hostile.slice(0, 8).join(' ');
    await ann.send('channel:update', { channelId: timelineId, topic });
    await ann.send('message:send', {
      timelineId,
      body: 'https://a.example/"onmouseover="harmed=1 data:text/html,<b>x</b> javascript://x%0aharmed=1',
    });
    for (const [i, text] of hostile.entries()) {
      const guest = await app.guest(text);
      await guest.send('server:join', { code });
      await guest.send('message:send', { timelineId, body: `${text} from ${i}` });
      await ann.send('channel:create', { serverId, name: text });
    }

    const { page } = await openBrowser(app, { path: `/join/${code}` });
    await page.getByRole('heading', { level: 1, name: server.name }).waitFor();
    const inside = await openBrowser(app, { as: ann, path: `/s/${serverId}/${timelineId}` });
    await message(inside.page, hostile.at(-1)!).waitFor();
    const members = inside.page.getByRole('complementary', { name: 'Members' });
    const channels = inside.page.getByRole('navigation', { name: 'Channels' });
    for (const [i, text] of hostile.entries()) {
      await message(inside.page, `${text} from ${i}`).waitFor();
      await members.getByText(text, { exact: true }).waitFor();
      await channels.getByText(text, { exact: true }).waitFor();
    }
    await inside.page.getByText(topic).first().waitFor();
    expect(await inside.page.title()).to.include(server.name);
    const hrefs = await inside.page
      .locator('article a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs).to.not.be.empty;
    for (const href of hrefs) expect(href).to.match(/^https?:\/\//);

    await channels.getByText(hostile[0]!, { exact: true }).click();
    await inside.page.getByRole('heading', { level: 1, name: hostile[0]! }).waitFor();
    await say(inside.page, hostile.join('\n'));
    await message(inside.page, hostile[1]!).waitFor();
    for (const each of [page, inside.page]) {
      expect(await each.evaluate(() => 'harmed' in globalThis)).to.equal(false);
      expect(await each.locator('#app :is(iframe, base, img, style, script)').count()).to.equal(0);
    }
  });
});
