import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Page, Worker } from 'playwright-core';
import { query } from '../../server/database/database.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
  type BrowserWindow,
} from '../support/browser.ts';
import { itAtLength } from '../support/length.ts';
import { enterAs, type Person } from '../support/person.ts';
import { notificationsStay } from '../support/page-scripts.ts';
import { openPlace } from '../support/place.ts';
import {
  clickShown,
  openPushBrowser,
  replyToShown,
  shownBy,
  type PushBrowser,
} from '../support/push-browser.ts';
import { hurryPushes } from '../support/push-queue.ts';
import { openPushService, type FakePushService } from '../support/push-service.ts';
import { until } from '../support/time.ts';

describe('push messages in the browser', () => {
  let service: FakePushService;
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let window: BrowserWindow;
  let page: Page;
  let browser: PushBrowser;
  let plans: string;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    service = await openPushService();
    app = await startSite({ PARLEY_LOBBY: 'off', PARLEY_PUSH_SERVICES: service.origin });
  });
  beforeEach(async () => {
    service.answer(201);
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
    const { serverId } = place;
    plans = (await ann.send('channel:create', { serverId, name: 'plans' })).channel.id;
    await ben.send('presence:update', { active: false });
    await open();
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  afterEach(() => {
    expect(service.complaints).to.deep.equal([]);
  });
  after(async () => {
    await app.close();
    await service.close();
  });

  const path = () => `/s/${place.serverId}/${place.channelId}`;
  const open = async () => {
    const looks = { as: ben, path: undefined, notifies: true, ahead: true } as const;
    window = await openBrowser(app, looks);
    ({ page } = window);
    browser = await openPushBrowser(page, app, service);
    await page.goto(app.url + path());
    await composer(page).waitFor();
  };
  const settings = () => page.getByRole('dialog', { name: 'Settings' });
  const openSettings = async (at: string) => {
    await page.locator('.account').click();
    await page.getByRole('menuitem', { name: 'Settings', exact: true }).click();
    await settings().getByRole('button', { name: at }).click();
  };
  const push = () => settings().getByRole('switch', { name: 'When Parley is closed' });
  const isOn = async () => (await push().getAttribute('aria-checked')) === 'true';
  const turnOn = async () => {
    await openSettings('Notifications');
    await settings().getByRole('button', { name: 'Turn on notifications' }).click();
    await push().click();
    await until(isOn);
  };
  const leaveSettings = async () => {
    await page.keyboard.press('Escape');
    await settings().waitFor({ state: 'detached' });
  };
  const openAndTurnOn = async () => {
    await turnOn();
    await leaveSettings();
  };
  const listed = async () => (await ben.send('push:list', {})).sessionIds;
  const endpoints = async () => {
    const rows = await query<{ endpoint: string }>(
      app.db,
      'select endpoint from push_subscriptions where user_id = $1 and endpoint is not null',
      [ben.id],
    );
    return rows.map(({ endpoint }) => endpoint);
  };
  const worker = async (): Promise<Worker> => {
    const running = page.context().serviceWorkers()[0]!;
    await running.evaluate(notificationsStay);
    return running;
  };
  const shows = (by: Worker, ...wanted: string[]) =>
    eventually(async () => expect(await shownBy(by)).to.deep.equal(wanted));
  /** DevTools can lose a push while a worker starts. A repeated message replaces its own notification. */
  const comes = (by: Worker, bring: () => Promise<void>, ...wanted: string[]) =>
    until(
      async () => {
        await bring();
        for (let looks = 0; looks < 50; looks += 1) {
          if ((await shownBy(by)).toSorted().join('\n') === wanted.toSorted().join('\n'))
            return true;
          await sleep(50);
        }
        return false;
      },
      () => `shown: ${wanted.join()}`,
    );
  const say = async (timelineId: string, body: string) =>
    (await ann.send('message:send', { timelineId, body })).message;
  const forBen = (text: string) => `${mentionOf(ben.id)} ${text}`;
  const picture = async (name: string) => {
    const { PICTURES } = process.env;
    if (!PICTURES) return;
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1_280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}-${width}.png` });
      }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1_280, height: 800 });
  };

  it('are explained, turned on by a click, and shown in the list of devices', async () => {
    await openSettings('Notifications');
    await settings().getByRole('button', { name: 'Turn on notifications' }).click();
    await push().waitFor();
    expect(browser.devices).to.deep.equal([]);
    await settings().getByText('Your browser’s push service delivers them').waitFor();
    await push().click();
    await until(isOn);
    expect(await listed()).to.have.lengthOf(1);
    await expectAccessible(page);
    await picture('push-settings');
    await settings().getByRole('button', { name: 'Devices' }).click();
    await settings().getByText('Gets push notifications').waitFor();
    await expectAccessible(page);
    await picture('push-devices');
    await settings().getByRole('button', { name: 'Turn off push notifications' }).click();
    await settings().getByText('Gets push notifications').waitFor({ state: 'detached' });
    expect(await listed()).to.deep.equal([]);
    await settings().getByRole('button', { name: 'Notifications' }).click();
    await push().waitFor();
    expect(await isOn()).to.equal(false);
  });

  itAtLength('stay off where another device turned them off', async () => {
    const [before] = await listed();
    expect(before).to.equal(undefined);
    await openAndTurnOn();
    const phone = await enterAs(app.url, 'login', {
      username: ben.user.username,
      password: `the password of ${ben.user.username}`,
    });
    const [sessionId = ''] = (await phone.send('push:list', {})).sessionIds;
    await phone.send('push:unsubscribe', { sessionId });
    await page.reload();
    await composer(page).waitFor();
    await openSettings('Notifications');
    await until(async () => !(await isOn()));
    expect(await listed()).to.deep.equal([]);
    await push().click();
    await until(isOn);
    expect(await listed()).to.deep.equal([sessionId]);
    expect(browser.devices).to.have.lengthOf(2);
  });

  it('are shown while no page is open, and a click opens the message', async () => {
    await openAndTurnOn();
    const running = await worker();
    await page.close();
    const { position } = await say(plans, forBen('**tea**?'));
    await comes(running, () => browser.bring(), 'Ann (#plans, Place): @Ben tea?');
    const opened = await clickShown(running);
    expect(opened).to.equal(`/s/${place.serverId}/${plans}/${position}`);
    page = await window.tab(opened!);
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
    await shows(running);
    const [pushed] = service.sentTo(browser.devices[0]!);
    const elsewhere = { ...pushed!, timelineId: place.channelId, title: 'Ann', body: 'tea' };
    // A node of an earlier version counts no messages. Then one counts a message that is read, and the one shown before.
    await browser.deliver({ ...elsewhere, position: 3, others: undefined as never, read: 0 });
    await browser.deliver({ ...elsewhere, position: 6, others: [2, 3, 4, 5], read: 2 });
    await shows(running, 'Ann: tea\n+ 3 more');
  });

  it('take a reply and send it only once, also if a page has to send it later', async () => {
    await openAndTurnOn();
    const running = await worker();
    await page.close();
    const [timelineId, { serverId }] = [plans, place];
    const bodies = async () =>
      (await ann.send('message:list', { timelineId })).messages.map(({ body }) => body);
    await say(plans, forBen('tea?'));
    const asked = 'Ann (#plans, Place): @Ben tea?';
    await comes(running, () => browser.bring(), asked);
    expect(await replyToShown(running, 'Yes!')).to.equal(true);
    await eventually(async () => expect((await bodies()).slice(1)).to.deep.equal(['Yes!']));
    await shows(running);
    // Sending fails while only staff can write.
    const only = (announcements: boolean) =>
      ann.send('channel:update', { channelId: plans, announcements });
    const [pushed] = service.sentTo(browser.devices[0]!);
    await comes(running, () => browser.deliver({ ...pushed!, position: 3 }), asked);
    await only(true);
    await replyToShown(running, 'With milk');
    await shows(running, 'Reply not sent: You can’t write here.\nWith milk');
    await only(false);
    page = await window.tab(`/s/${serverId}/${plans}`);
    await eventually(async () =>
      expect((await bodies()).slice(1)).to.deep.equal(['Yes!', 'With milk']),
    );
    await page.getByRole('article', { name: /With milk/ }).waitFor();
    await shows(running);
  });

  itAtLength('do not send a reply as another user', async () => {
    await openAndTurnOn();
    const running = await worker();
    await page.close();
    await say(plans, forBen('tea?'));
    await comes(running, () => browser.bring(), 'Ann (#plans, Place): @Ben tea?');
    const [name = '', value = ''] = ann.cookie.split('=');
    await page.context().addCookies([{ name, value, url: app.url }]);
    await replyToShown(running, 'Yes!');
    await shows(running, 'Reply not sent: You’re signed in as someone else.\nYes!');
    page = await window.tab(path());
    await composer(page).waitFor();
    expect((await ann.send('message:list', { timelineId: plans })).messages).to.have.lengthOf(1);
  });

  itAtLength('open in an existing tab', async () => {
    await openAndTurnOn();
    const running = await worker();
    // The page shows no notification for this message.
    const { position } = await say(plans, 'tea?');
    const pushed = {
      ...{ timelineId: plans, position, others: [], read: 0, title: 'Ann', body: 'tea?' },
      path: `/s/${place.serverId}/${plans}/${position}`,
    };
    await comes(running, () => browser.deliver(pushed), 'Ann: tea?');
    expect(await clickShown(running)).to.equal(undefined);
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
    expect(page.url()).to.equal(`${app.url}/s/${place.serverId}/${plans}/${position}`);
  });

  itAtLength(
    'are not shown for a place in view, and disappear after reading elsewhere',
    async () => {
      await openAndTurnOn();
      const running = await worker();
      await page.close();
      const read = await say(plans, forBen('read'));
      await say(place.channelId, forBen('unread'));
      const [first, second] = [
        'Ann (#plans, Place): @Ben read',
        'Ann (#general, Place): @Ben unread',
      ];
      await comes(running, () => browser.bring(2), first, second);
      await ben.send('read:update', { timelineId: plans, position: read.position });
      page = await window.tab('/friends');
      await shows(running, second);
      const [pushed] = service.sentTo(browser.devices[0]!);
      await page.goto(`${app.url}/s/${place.serverId}/${plans}`);
      await composer(page).waitFor();
      await until(() =>
        page.evaluate(
          async (name) =>
            (await navigator.locks.query()).held?.some((lock) => lock.name === name) ?? false,
          `parley.looking.${plans}`,
        ),
      );
      const other = { timelineId: place.channelId, position: 1_000, title: 'Ann', body: 'other' };
      const both = async () => {
        await browser.deliver({ ...pushed!, timelineId: plans });
        await browser.deliver({ ...pushed!, ...other });
      };
      await comes(running, both, 'Ann: other\n+ 1 more');
    },
  );

  itAtLength('hide the text if this device does', async () => {
    await turnOn();
    await settings().getByRole('switch', { name: 'Show message text' }).click();
    await settings().getByRole('switch', { name: 'Show message text', checked: false }).waitFor();
    await until(async () => {
      const rows = await query<{ hides: boolean }>(
        app.db,
        'select hides_text as hides from push_subscriptions where session_id = $1',
        [(await listed())[0]],
      );
      return rows[0]?.hides === true;
    });
    const running = await worker();
    await page.close();
    await say(plans, forBen('secret'));
    await comes(running, () => browser.bring(), 'Ann (#plans, Place): New message');
  });

  it('end on sign-out, and when notifications are turned off', async () => {
    await turnOn();
    const held = () => page.evaluate(() => localStorage.getItem('push-of-test'));
    expect(await held()).to.be.a('string');
    await settings().getByRole('switch', { name: 'Notifications' }).click();
    await until(async () => (await listed()).length === 0 && (await held()) === null);
    await settings().getByRole('button', { name: 'Turn on notifications' }).click();
    await push().waitFor();
    expect(await isOn()).to.equal(false);
    await push().click();
    await until(isOn);
    await leaveSettings();
    const { devices } = browser;
    await page.locator('.account').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Username').waitFor();
    await until(async () => (await held()) === null);
    await say(plans, forBen('out'));
    await until(async () => {
      const [row] = await query<{ count: number }>(
        app.db,
        'select (select count(*) from push_queue) + (select count(*) from pushes) as count',
      );
      return row?.count === 0;
    });
    for (const device of devices) expect(service.requestsTo(device)).to.equal(0);
  });

  it('are renewed if the server has forgotten them, or has another key', async () => {
    await openAndTurnOn();
    const pushAgain = async (many: number) => {
      await page.reload();
      await composer(page).waitFor();
      await until(() => browser.devices.length === many);
      // The server can still have the endpoint of the former device.
      await until(async () => (await endpoints()).join() === browser.devices.at(-1)!.endpoint);
    };
    service.answer(410);
    await say(plans, forBen('gone'));
    await page.goto('about:blank');
    await until(async () => {
      await hurryPushes(app.db);
      return (await listed()).length === 0;
    });
    await page.goto(app.url + path());
    await pushAgain(2);
    await page.evaluate(() => {
      const kept = JSON.parse(localStorage.getItem('push-of-test')!) as object;
      const changed = { ...kept, applicationServerKey: [4, 1] };
      localStorage.setItem('push-of-test', JSON.stringify(changed));
    });
    await pushAgain(3);
    service.answer(201);
    await page.close();
    await say(plans, forBen('back'));
    await browser.bring();
    expect(service.sentTo(browser.devices[2]!).map(({ body }) => body)).to.include('@Ben back');
  });

  it('are off if the browser does not support them, and a text says so', async () => {
    await openSettings('Notifications');
    await settings().getByRole('button', { name: 'Turn on notifications' }).click();
    browser.refuse();
    await push().click();
    await settings().getByText('Your browser couldn’t set up push notifications').waitFor();
    expect(await isOn()).to.equal(false);
    await expectAccessible(page);
    await picture('push-failed');
    await page.addInitScript(() => {
      Reflect.deleteProperty(globalThis, 'PushManager');
    });
    await page.reload();
    await composer(page).waitFor();
    await openSettings('Notifications');
    await settings().getByText('This browser can’t notify you when Parley is closed.').waitFor();
    expect(await push().count()).to.equal(0);
  });
});
