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
  serverAway,
  type BrowserWindow,
} from '../support/browser.ts';
import { itAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('notifications on the desktop', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let window: BrowserWindow;
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

  const path = () => `/s/${place.serverId}/${place.channelId}`;
  const settings = () => page.getByRole('dialog', { name: 'Settings' });
  const openSettings = async () => {
    await page.locator('.account').click();
    await page.getByRole('menuitem', { name: 'Settings', exact: true }).click();
    await settings().getByRole('button', { name: 'Notifications' }).click();
  };
  const leaveSettings = async () => {
    await page.keyboard.press('Escape');
    await settings().waitFor({ state: 'detached' });
  };
  const open = async () => {
    window = await openBrowser(app, { as: ben, path: path(), notifies: true });
    ({ page } = window);
    await composer(page).waitFor();
  };
  /** The numbers of tabs that show notifications, and that wait to show them. */
  const locksSeenBy = async (tab: Page) => {
    const { held = [], pending = [] } = await tab.evaluate(() => navigator.locks.query());
    const isOurs = ({ name }: LockInfo) => name === 'parley.notifications';
    return [held.filter(isOurs).length, pending.filter(isOurs).length].join();
  };
  const turnOn = async () => {
    await openSettings();
    await settings().getByRole('button', { name: 'Turn on notifications' }).click();
    await settings().getByRole('switch', { name: 'Notifications' }).waitFor();
    // Messages that arrive before the code has loaded count as seen.
    await until(async () => (await locksSeenBy(page)) === '1,0');
  };
  /** A worker that starts while its window closes can keep the next window’s worker from starting. */
  const workerRuns = async () => {
    let state: string | undefined;
    await until(
      async () => (state = await workerState()) === 'activated',
      () => `the service worker is ${state ?? 'not registered'}`,
    );
  };
  const workerState = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      const { installing, waiting, active } = registration ?? {};
      return (active ?? waiting ?? installing)?.state;
    });
  const openAndTurnOn = async () => {
    await open();
    await turnOn();
    await workerRuns();
    await leaveSettings();
  };
  /** Takes turns with the page, because Chromium forgets a notification if it lists all while it shows that one. */
  const shown = (of = page) =>
    of.evaluate(() =>
      navigator.locks.request('parley.showing', async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        const all = (await registration?.getNotifications()) ?? [];
        return all.map(({ title, body }) => `${title}: ${body}`);
      }),
    );
  const shows = async (...wanted: string[]) => {
    let found: string[] = [];
    await until(
      async () => JSON.stringify((found = await shown())) === JSON.stringify(wanted),
      () => `shown: ${wanted.join()}, but not ${found.join()}`,
    );
  };
  const shownAfter = async (end: string) => {
    let found: string[] = [];
    await until(
      async () => (found = await shown()).some((text) => text.endsWith(end)),
      () => `shown: ${end}, but ${found.join()}`,
    );
  };
  const say = async (timelineId: string, body: string) =>
    (await ann.send('message:send', { timelineId, body })).message;
  const forBen = (text: string) => `${mentionOf(ben.id)} ${text}`;

  it('UX-66 are requested only by a click, after an explanation', async () => {
    await open();
    await page.evaluate(() => {
      const ask = Notification.requestPermission.bind(Notification);
      Notification.requestPermission = () => {
        document.documentElement.dataset.asked = 'yes';
        return ask();
      };
    });
    const asked = () => page.locator('html').getAttribute('data-asked');
    await openSettings();
    await settings().getByText('Your browser will ask for permission').waitFor();
    await expectAccessible(page);
    expect(await asked()).to.equal(null);
    expect(await page.evaluate(() => navigator.serviceWorker.getRegistration())).to.equal(
      undefined,
    );
    await settings().getByRole('button', { name: 'Turn on notifications' }).click();
    await settings().getByRole('switch', { name: 'Notifications' }).waitFor();
    expect(await asked()).to.equal('yes');
    const sound = settings().getByRole('switch', { name: 'Sound' });
    expect(await sound.getAttribute('aria-checked')).to.equal('false');
    await expectAccessible(page);
    const { PICTURES } = process.env;
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/desktop-settings.png` });
    await workerRuns();
  });

  itAtLength('are explained where the browser blocks them', async () => {
    await open();
    await page.context().clearPermissions();
    await page.addInitScript(() => {
      Object.defineProperty(Notification, 'permission', { value: 'denied' });
    });
    await page.reload();
    await openSettings();
    await settings().getByText('This browser blocks notifications from Parley').waitFor();
    await expectAccessible(page);
  });

  it('UX-66 show author, text and place, except of the place in view, and disappear once read', async () => {
    await openAndTurnOn();
    await say(place.channelId, forBen('here'));
    await say(plans, 'not for Ben');
    const message = await say(plans, forBen('**tea**?'));
    await shows('Ann (#plans, Place): @Ben tea?');
    await ben.send('read:update', { timelineId: plans, position: message.position });
    await shows();
  });

  itAtLength(
    'are not shown for messages that are no longer visible or from blocked people',
    async () => {
      const { serverId, code } = place;
      const other = (await ann.send('channel:create', { serverId, name: 'other' })).channel.id;
      const cem = await app.person('Cem');
      await cem.send('server:join', { code });
      await openAndTurnOn();
      await ben.send('block:create', { userId: cem.id });
      await cem.send('message:send', { timelineId: other, body: forBen('spam') });
      await say(plans, forBen('secret'));
      await ann.send('channel:update', { channelId: plans, private: true });
      await say(other, forBen('now'));
      await shows('Ann (#other, Place): @Ben now');
    },
  );

  it('UX-66 open the message when they are clicked', async () => {
    await openAndTurnOn();
    const { position } = await say(plans, forBen('tea?'));
    await shows('Ann (#plans, Place): @Ben tea?');
    const [worker] = page.context().serviceWorkers();
    await worker!.evaluate(async () => {
      const scope = globalThis as unknown as {
        registration: { getNotifications(): Promise<object[]> };
        NotificationEvent: new (type: string, init: object) => Event;
      };
      const [notification] = await scope.registration.getNotifications();
      dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
    });
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor();
    expect(page.url()).to.equal(`${app.url}/s/${place.serverId}/${plans}/${position}`);
    await shows();
  });

  itAtLength(
    'come late if the message cannot be read at first: the server is busy, then the connection closes',
    async () => {
      window = await openBrowser(app, { as: ben, path: undefined, notifies: true });
      ({ page } = window);
      window.forgive(serverAway);
      const how: ('busy' | 'gone')[] = [];
      await page.routeWebSocket(/socket\.io/, (socket) => {
        const server = socket.connectToServer();
        socket.onMessage((frame) => {
          const [, ack] = /^42(\d+)\["message:list"/.exec(String(frame)) ?? [];
          const next = ack === undefined ? 'passed on' : (how.shift() ?? 'passed on');
          if (next === 'passed on') server.send(frame);
          else if (next === 'gone') void socket.close();
          else socket.send(`43${ack}[${JSON.stringify({ ok: false, error: busy })}]`);
        });
      });
      const busy = { code: 'busy', message: 'Busy', retryable: true };
      await page.goto(app.url + path());
      await composer(page).waitFor();
      await turnOn();
      await leaveSettings();
      how.push('busy', 'gone');
      await say(plans, forBen('tea?'));
      await shows('Ann (#plans, Place): @Ben tea?');
      expect(how).to.deep.equal([]);
    },
  );

  itAtLength('come late if the browser fails to start the service worker at first', async () => {
    await open();
    await page.evaluate(() => {
      const { dataset } = document.documentElement;
      const { serviceWorker } = navigator;
      const register = serviceWorker.register.bind(serviceWorker);
      dataset.failures = '';
      serviceWorker.register = (...wanted) => {
        if (dataset.failures?.length === 3) return register(...wanted);
        dataset.failures = `${dataset.failures ?? ''}x`;
        return Promise.reject(new TypeError('Failed to register a ServiceWorker'));
      };
    });
    await turnOn();
    await leaveSettings();
    await say(plans, forBen('tea?'));
    await shows('Ann (#plans, Place): @Ben tea?');
    expect(await page.locator('html').getAttribute('data-failures')).to.equal('xxx');
  });

  itAtLength('hide the text, are held back, or are off, as the settings say', async () => {
    await open();
    await turnOn();
    await settings().getByRole('switch', { name: 'Show message text' }).click();
    await settings().getByRole('switch', { name: 'Show message text', checked: false }).waitFor();
    await leaveSettings();
    await say(plans, forBen('secret'));
    await shows('Ann (#plans, Place): New message');
    const quiet = (await ann.send('channel:create', { serverId: place.serverId, name: 'quiet' }))
      .channel.id;
    await ben.send('notification:set', { targetId: plans, exempt: true });
    await ben.send('presence:set', { status: 'dnd' });
    await say(quiet, forBen('later'));
    await say(plans, forBen('now'));
    await shows('Ann (#plans, Place): New message\n+ 1 more');
  });

  it('are grouped by place: the newest message and the number of others, until all are read', async () => {
    await openAndTurnOn();
    const words = ['one', 'two', 'three'];
    const [first] = await Promise.all(words.map((word) => say(plans, forBen(word))));
    await shownAfter('+ 2 more');
    await ben.send('read:update', { timelineId: plans, position: first!.position });
    const last = await say(plans, forBen('four'));
    await shows('Ann (#plans, Place): @Ben four\n+ 2 more');
    await ben.send('read:update', { timelineId: plans, position: last.position });
    await shows();
  });

  itAtLength('make a sound if turned on', async () => {
    await open();
    await page.evaluate(() => {
      const { dataset } = document.documentElement;
      dataset.tones = '';
      globalThis.OscillatorNode = class extends OscillatorNode {
        override start(when?: number) {
          dataset.tones = `${dataset.tones ?? ''}♪`;
          super.start(when);
        }
      };
    });
    const tones = () => page.locator('html').getAttribute('data-tones');
    await turnOn();
    await say(plans, forBen('one'));
    await shows('Ann (#plans, Place): @Ben one');
    expect(await tones()).to.equal('');
    await settings().getByRole('button', { name: 'Play sound' }).click();
    await until(async () => (await tones()) === '♪♪');
    await settings().getByRole('switch', { name: 'Sound' }).click();
    await say(plans, forBen('two'));
    await until(async () => (await tones()) === '♪♪♪♪');
  });

  itAtLength('UX-66 come from one tab, and from the next when that closes', async () => {
    window = await openBrowser(app, { as: ben, path: path(), notifies: true, ahead: true });
    ({ page } = window);
    await composer(page).waitFor();
    await turnOn();
    await leaveSettings();
    const next = await window.tab(path());
    await composer(next).waitFor();
    await until(async () => (await locksSeenBy(next)) === '1,1');
    await page.close();
    page = next;
    await until(async () => (await locksSeenBy(next)) === '1,0');
    await say(plans, forBen('one'));
    await shows('Ann (#plans, Place): @Ben one');
  });
});
