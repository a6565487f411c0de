/** Every screen, wide and on a phone, in both themes: nothing that axe finds, and nothing that does not fit. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  expectAccessible,
  eventually,
  focused,
  message,
  openBrowser,
  serverAway,
  type Window,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { drawPicture } from '../support/picture.ts';
import { accountScreens } from './screens/account.ts';
import { categoriesScreens } from './screens/categories.ts';
import { channelsScreens } from './screens/channels.ts';
import { directScreens } from './screens/direct.ts';
import { enteringScreens } from './screens/entering.ts';
import { everywhereScreens } from './screens/everywhere.ts';
import { friendsScreens } from './screens/friends.ts';
import { privatesScreens } from './screens/privates.ts';
import { serversScreens } from './screens/servers.ts';
import { furnish, inChannel, type Scene } from './screens/scene.ts';
import { narrowest, phone, wide, type Screen } from './screens/screen.ts';

describe('every screen', () => {
  let app: TestApp;
  const scene = {} as Scene;

  before(async () => {
    app = await startApp();
    Object.assign(scene, await furnish(app));
  });
  afterEach(checkWindows);
  after(() => app.close());

  const screens = [
    ...enteringScreens(scene),
    ...channelsScreens(scene),
    ...privatesScreens(scene),
    ...categoriesScreens(scene),
    ...serversScreens(scene),
    ...directScreens(scene),
    ...friendsScreens(scene),
    ...accountScreens(scene),
    ...everywhereScreens(scene),
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
    const { page } = await openBrowser(app, {
      as: scene.ann,
      path: inChannel(scene, scene.general),
    });
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
