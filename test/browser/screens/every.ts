/** Every screen at a width, in both themes: axe finds nothing, and everything fits. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../../support/app.ts';
import {
  checkWindows,
  closeWindows,
  expectAccessible,
  eventually,
  focused,
  openBrowser,
  serverAway,
  type BrowserWindow,
} from '../../support/browser.ts';
import { atLength } from '../../support/length.ts';
import type { Person } from '../../support/person.ts';
import { drawPicture } from '../../support/picture.ts';
import { accountScreens } from './account.ts';
import { categoriesScreens } from './categories.ts';
import { channelsScreens } from './channels.ts';
import { directScreens } from './direct.ts';
import { enteringScreens } from './entering.ts';
import { everywhereScreens } from './everywhere.ts';
import { filesScreens } from './files.ts';
import { friendsScreens } from './friends.ts';
import { privatesScreens } from './privates.ts';
import { serversScreens } from './servers.ts';
import { furnishScreens, type ScreenScene } from './scene.ts';
import { narrowest, phone, wide, type Screen } from './screen.ts';

export function testEveryScreen(kind: 'wide' | 'phone'): void {
  const narrow = kind === 'phone';
  const look = narrow ? phone : wide;
  let app: TestApp;
  const scene = {} as ScreenScene;

  before(async () => {
    app = await startSite();
    Object.assign(scene, await furnishScreens(app));
  });
  afterEach(checkWindows);
  afterEach(async function () {
    if (!this.currentTest?.isFailed()) return;
    // The next screen must not fail because of this one.
    windows.clear();
    await closeWindows();
  });
  after(closeWindows);
  after(() => app.close());

  const all = [
    ...enteringScreens(scene),
    ...channelsScreens(scene),
    ...privatesScreens(scene),
    ...categoriesScreens(scene),
    ...serversScreens(scene),
    ...directScreens(scene),
    ...friendsScreens(scene),
    ...filesScreens(scene),
    ...accountScreens(scene),
    ...everywhereScreens(scene),
  ];

  /** One window for each person, which goes from screen to screen: faster than a new one. */
  const windows = new Map<Person | undefined, BrowserWindow>();

  async function open(screen: Screen): Promise<Page> {
    const as = screen.as?.();
    const known = windows.get(as);
    const window =
      known ?? (await openBrowser(app, { ...look, ...(as && { as }), path: undefined }));
    windows.set(as, window);
    window.forgive(serverAway);
    const { page } = window;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(look);
    if (!known) await screen.prepare?.(page);
    if (known && as) await goWithin(page, screen.path());
    else await page.goto(app.url + screen.path());
    await screen.show(page, { narrow });
    return page;
  }

  /** Navigates within the page, over an empty route, so that nothing is left. A reload would take as long as axe. */
  async function goWithin(page: Page, path: string) {
    const drawer = page.getByRole('button', { name: 'Close members' });
    const covers = page.getByRole('dialog').or(page.getByRole('menu')).or(drawer);
    await eventually(async () => {
      if ((await covers.count()) > 0) await page.keyboard.press('Escape');
      expect(await covers.count()).to.equal(0);
    });
    await page.evaluate(async (path) => {
      for (const at of ['/nowhere', path]) {
        history.pushState(null, '', at);
        dispatchEvent(new PopStateEvent('popstate'));
        await new Promise(requestAnimationFrame);
      }
    }, path);
  }

  /** With PICTURES=folder, saves a picture of every screen there: see test/screenshots/screenshots.ts. */
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
      await eventually(async () => {
        // Unsaved changes raise a question first.
        const discard = page.getByRole('button', { name: 'Discard', exact: true }).last();
        if (await page.getByText('Discard changes?').isVisible()) await discard.click();
        expect(await covers.count()).to.be.below(before);
      });
    }
    await eventually(async () => expect(await focused(page)).to.not.equal('BODY'));
  }

  // The short form takes every sixth screen, others for wide than for phone, and all of a UX or A11Y statement.
  const nth = atLength(6, 1);
  const first = narrow ? nth >> 1 : 0;
  const screens = all
    .filter(({ only = kind }) => only === kind)
    .filter(({ name }, i) => i % nth === first || /^(UX|A11Y)-/.test(name));

  for (const screen of screens)
    it(screen.name, async () => {
      const page = await open(screen);
      await expectAccessible(page);
      await draw(page, screen.name, 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      // In the dark theme, only the colors differ.
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
        // The size at a zoom of 200 %.
        await page.setViewportSize({ width: wide.width / 2, height: wide.height / 2 });
        await eventually(() => expectFits(page, wide.width / 2));
      }
      if (screen.closes) await expectGivesBack(page);
    });
}
