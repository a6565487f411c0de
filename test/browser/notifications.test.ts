import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { mentionOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { saveScreenshot } from '../support/picture.ts';
import { until } from '../support/time.ts';

describe('notification settings in the browser', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let page: Page;
  let plans: string;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
    const { serverId } = place;
    plans = (await ann.send('channel:create', { serverId, name: 'plans' })).channel.id;
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(() => app.close());

  const picture = (name: string) => saveScreenshot(page, `notifications-${name}`);
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const dialog = () => page.getByRole('dialog', { name: /^Notifications in/ });
  const say = (body: string) => ann.send('message:send', { timelineId: plans, body });
  const settingOf = async (targetId: string) => {
    const phone = await ben.newTab();
    phone.close();
    const { state } = phone.ready as unknown as {
      state: { notificationSettings: { targetId: string }[] };
    };
    return state.notificationSettings.find((one) => one.targetId === targetId);
  };
  const open = async (looks: { width?: number; touch?: boolean; theme?: 'dark' } = {}) => {
    const path = `/s/${place.serverId}/${place.channelId}`;
    ({ page } = await openBrowser(app, { as: ben, path, ...looks }));
    await composer(page).waitFor();
  };

  it('a muted channel counts only mentions, until it is unmuted', async () => {
    await open();
    await say('Before');
    await link('plans, 1 unread').click({ button: 'right' });
    await item('Mute').click();
    await link('plans, muted').waitFor();
    await say('After');
    await say(`Hello ${mentionOf(ben.id)}`);
    await link('plans, 1 mention, muted').waitFor();
    await expectAccessible(page);
    await picture('muted');
    await link('plans, 1 mention, muted').click({ button: 'right' });
    await item('Unmute').click();
    await link('plans, 1 mention, 3 unread').waitFor();
    await until(async () => (await settingOf(plans)) === undefined);
  });

  it('a muted channel with the level “nothing” shows no mentions', async () => {
    await open();
    const muted = { targetId: plans, muted: {} };
    await ben.send('notification:set', muted);
    await say(`Hello ${mentionOf(ben.id)}`);
    await link('plans, 1 mention, muted').waitFor();
    await page.getByRole('link', { name: 'Place, 1 mention', exact: true }).waitFor();
    expect(await page.title()).to.match(/^\(1\) /);
    await ben.send('notification:set', { ...muted, level: 'nothing' });
    await link('plans, muted').waitFor();
    await page.getByRole('link', { name: 'Place', exact: true }).waitFor();
    await until(async () => /^[^(•]/.test(await page.title()));
  });

  it('a profile allows its person during do not disturb, and the settings list them', async () => {
    await open();
    const card = page.getByRole('dialog', { name: 'Ann' });
    const more = async (name: string) => {
      await page.getByRole('complementary').getByRole('button', { name: /^Ann/ }).click();
      await card.getByRole('button', { name: 'More for Ann' }).click();
      await item(name).click();
      await page.keyboard.press('Escape');
      await card.waitFor({ state: 'detached' });
    };
    await more('Allow during do not disturb');
    await until(async () => (await settingOf(ann.id)) !== undefined);
    expect(await settingOf(ann.id)).to.include({ exempt: true });
    await page.locator('.account').click();
    await item('Settings').click();
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('button', { name: 'Notifications' }).click();
    await settings.getByRole('heading', { name: 'People allowed during do not disturb' }).waitFor();
    await expectAccessible(page);
    await picture('exceptions');
    await settings.getByRole('button', { name: 'Remove Ann' }).click();
    await settings.getByRole('button', { name: 'Remove Ann' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await more('Allow during do not disturb');
    await more('Don’t allow during do not disturb');
    await until(async () => (await settingOf(ann.id)) === undefined);
  });

  it('a muted server has no dot, and a mute ends by itself', async () => {
    await open();
    const until = new Date(Date.now() + 3_000).toISOString();
    await ben.send('notification:set', { targetId: place.serverId, muted: { until } });
    await link('plans, muted').waitFor();
    await say('Hello');
    await page.getByRole('link', { name: 'Place, muted', exact: true }).waitFor();
    await picture('muted-server');
    await link('plans, 1 unread').waitFor();
    await page.getByRole('link', { name: 'Place, unread' }).waitFor();
  });

  it('are chosen for a channel by keys alone', async () => {
    await open({ theme: 'dark' });
    await link('plans').focus();
    await page.keyboard.press('Shift+F10');
    await item('Mute').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await expectAccessible(page);
    await picture('channel');
    const chosen = () => dialog().getByRole('radio', { checked: true }).locator('..').innerText();
    expect((await chosen()).trim()).to.equal('Same as the server: mentions and keywords');
    await dialog().getByRole('radio').first().focus();
    await page.keyboard.press('ArrowDown');
    await until(async () => (await settingOf(plans)) !== undefined);
    expect(await settingOf(plans)).to.include({ level: 'all' });
    await dialog().getByRole('button', { name: '1 hour' }).press('Enter');
    await dialog()
      .getByText(/^Muted until /)
      .waitFor();
    await dialog().getByRole('button', { name: 'Unmute' }).press('Enter');
    await dialog().getByRole('switch').press('Space');
    await until(async () => {
      const setting = await settingOf(plans);
      return setting !== undefined && 'exempt' in setting && !('muted' in setting);
    });
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('are chosen for a server and a conversation, and the settings list both', async () => {
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    await ann.send('message:send', { timelineId: conversation.id, body: 'Hi' });
    await ben.send('conversation:accept', { conversationId: conversation.id });
    await open();
    await page.getByRole('button', { name: 'Place' }).click();
    await item('Notifications').click();
    await dialog().getByText('Nothing', { exact: true }).click();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await until(async () => (await settingOf(place.serverId)) !== undefined);
    await page.goto(`${app.url}/direct/${conversation.id}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await item('Mute').click();
    await page.getByRole('link', { name: /^Ann.*muted/ }).waitFor();
    await page.locator('.account').click();
    await item('Settings').click();
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('button', { name: 'Notifications' }).click();
    await settings.getByRole('button', { name: 'Change Place' }).waitFor();
    await settings.getByText('Muted', { exact: true }).waitFor();
    await expectAccessible(page);
    await picture('settings');
    await settings.getByRole('button', { name: 'Change Ann' }).click();
    await dialog().getByRole('button', { name: 'Unmute' }).click();
    await dialog().getByRole('button', { name: 'Until tomorrow' }).waitFor();
  });

  for (const theme of firstAtLength(['dark', 'light']))
    it(`keywords and quiet hours are chosen in the settings, on a phone, ${theme}`, async () => {
      await open({ width: 390, touch: true, ...(theme === 'dark' && { theme }) });
      await page.getByRole('link', { name: /^Back to/ }).click();
      await page.getByRole('button', { name: 'You' }).tap();
      await item('Settings').tap();
      const settings = page.getByRole('dialog');
      await settings.getByRole('button', { name: 'Notifications' }).tap();
      await settings.getByRole('textbox', { name: 'Keywords' }).fill('tea, oolong');
      await settings.getByRole('button', { name: 'Save keywords' }).tap();
      await settings.getByText('Saved').waitFor();
      await settings.getByRole('switch', { name: 'Quiet hours' }).tap();
      await settings.getByLabel('From', { exact: true }).fill('21:30');
      await until(async () => {
        const all = (await settingOf(ben.id)) as { quietHours?: { from: number } } | undefined;
        return all?.quietHours?.from === 21 * 60 + 30;
      });
      expect(await settingOf(ben.id)).to.deep.include({ keywords: ['tea', 'oolong'] });
      const sunday = settings.getByRole('button', { name: 'Sun' });
      await sunday.tap();
      await sunday.and(page.locator('[aria-pressed=false]')).waitFor();
      await until(async () => {
        const all = (await settingOf(ben.id)) as { quietHours?: { days?: number[] } } | undefined;
        return all?.quietHours?.days?.join() === '1,2,3,4,5,6';
      });
      await expectAccessible(page);
      await picture(`phone-${theme}`);
    });
});
