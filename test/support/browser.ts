/** One Chromium for the run, and windows in it for as many people as a test needs. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from 'playwright-core';
import type { TestApp } from './app.ts';
import { findChromium, findWholeChromium, testFlags } from './chromium.ts';
import { openAt, giveBack, takeWindow, noteStorage, type KeptWindow } from './kept-windows.ts';
import { neverIdle, notificationsStay, reportViolations } from './page-scripts.ts';
import type { Person } from './person.ts';
import { timeoutMs, until } from './time.ts';

export interface Looks {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  touch?: boolean;
  timeZone?: string;
  /** The person signed in. Without it, a stranger. */
  as?: Person;
  /** The first path. With `undefined`, nothing is loaded yet. */
  path?: string | undefined;
  /** Loads parts in advance, which takes longer than everything else in most tests. */
  ahead?: boolean;
  notifies?: boolean;
}

export interface BrowserWindow {
  page: Page;
  tab(path: string): Promise<Page>;
  /** Ignores matching complaints, for tests in which the server is away or refuses on purpose. */
  forgive: (pattern: RegExp) => void;
}

interface Opened extends BrowserWindow {
  complaints: string[];
  forgiven: RegExp[];
  close(): Promise<void>;
}

const built = new URL('../../dist/client/index.html', import.meta.url);

let started: Promise<Browser> | undefined;
/** The Chromium that shows notifications. */
let wholeStarted: Promise<Browser> | undefined;
const windows = new Set<Opened>();

/** Console messages while the server is away. For connections cut during an answer, see `cutOff`. */
export const serverAway =
  /ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|WebSocket connection to/;

/** Logged when the page gives up a slow connection, as on a slow machine. No failure if the page connects again. */
const isGivenUp = (text: string) =>
  text.includes('WebSocket is closed before the connection is established');

/** Errors when a server ends during an answer. */
export const cutOff = /ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

/** A window with its own cookies. Complaints of its page fail the test: see `checkWindows`. */
export async function openBrowser({ url }: TestApp, looks: Looks = {}): Promise<BrowserWindow> {
  const { as, touch, timeZone, ahead, notifies } = looks;
  const isNowhere = 'path' in looks && looks.path === undefined;
  const kind = JSON.stringify({ touch, timeZone, ahead, notifies });
  const known = isNowhere ? undefined : takeWindow(kind, url);
  const kept = known ?? (await newWindow(kind, url, looks));
  const { page, context } = kept;
  await applyLooks(page, looks);
  if (as !== undefined) {
    const [name = '', value = ''] = as.cookie.split('=');
    await context.addCookies([{ name, value, url }]);
  }
  const complaints: string[] = (kept.complaints = []);
  const forgiven: RegExp[] = [];
  const window = {
    page,
    async tab(path: string) {
      const tab = await pageOf(context, url, () => complaints);
      await applyLooks(tab, looks);
      await tab.goto(url + path);
      return tab;
    },
    complaints,
    forgiven,
    forgive: (pattern: RegExp) => void forgiven.push(pattern),
    async close() {
      windows.delete(window);
      await giveBack(kept);
    },
  };
  windows.add(window);
  const address = url + (looks.path ?? '/');
  if (known) await openAt(known, address);
  else if (!isNowhere) await page.goto(address);
  return window;
}

async function newWindow(kind: string, origin: string, looks: Looks): Promise<KeptWindow> {
  const { touch = false, timeZone, notifies = false } = looks;
  if (!existsSync(built)) throw new Error('The client is not built: run `npm run build` first.');
  const browser = await (notifies ? startWhole() : start());
  const context = await browser.newContext({
    viewport: sizeOf(looks),
    hasTouch: touch,
    isMobile: touch,
    locale: 'en-GB',
    ...(timeZone !== undefined && { timezoneId: timeZone }),
    permissions: ['clipboard-read', 'clipboard-write', ...(notifies ? ['notifications'] : [])],
  });
  await context.addInitScript(reportViolations);
  if (!looks.ahead) await context.addInitScript(neverIdle);
  if (notifies) await context.addInitScript(notificationsStay);
  const page = await pageOf(context, origin, () => kept.complaints);
  const protocol = await context.newCDPSession(page);
  const kept: KeptWindow = {
    ...{ kind, origin, context, page, protocol },
    complaints: [],
    undo: [],
    // Its permission and its notifications stay with the window.
    isMarked: notifies,
  };
  noteStorage(kept);
  return kept;
}

const sizeOf = ({ width = 1_280, height = 800 }: Looks) => ({ width, height });

/** Also resets what an earlier test emulated. A tab would otherwise look like the first use of its window. */
async function applyLooks(page: Page, { theme = 'light', ...looks }: Looks): Promise<void> {
  const wanted = sizeOf(looks);
  const size = page.viewportSize();
  if (size?.width !== wanted.width || size.height !== wanted.height)
    await page.setViewportSize(wanted);
  const rest = { media: null, reducedMotion: null, forcedColors: null, contrast: null };
  await page.emulateMedia({ ...rest, colorScheme: theme });
}

async function pageOf(
  context: BrowserContext,
  url: string,
  complaints: () => string[],
): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  listenTo(page, url, (text) => complaints().push(text));
  page.on('websocket', (socket) =>
    socket.once('framereceived', () => {
      const all = complaints();
      all.splice(0, all.length, ...all.filter((text) => !isGivenUp(text)));
    }),
  );
  return page;
}

const start = () => (started ??= launch(findChromium()));
const startWhole = () => (wholeStarted ??= launch(findWholeChromium()));
const launch = (executablePath: string) => chromium.launch({ executablePath, args: testFlags });

function listenTo(page: Page, url: string, complain: (text: string) => void): void {
  page.on('pageerror', (error) => complain(error.stack ?? error.message));
  page.on('dialog', (dialog) => {
    complain(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complain(message.text());
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // Aborted: the page was left or reloaded meanwhile.
    if (request.url().startsWith(url) && why !== 'net::ERR_ABORTED')
      complain(`${request.method()} ${request.url()}: ${why}`);
  });
}

/** Prints the contents of the windows if the test failed, and fails if a page complained. For `afterEach`. */
export async function checkWindows(): Promise<void> {
  await describeWindows();
  await connectAgain();
  checkComplaints();
}

export async function closeWindows(): Promise<void> {
  try {
    await checkWindows();
  } finally {
    for (const window of [...windows]) await window.close();
  }
}

let current: Mocha.Test | undefined;
export const noteTest = (test: Mocha.Test | undefined): void => void (current = test);

/** Prints pages as a screen reader sees them, to show why a test failed on a remote machine. */
async function describeWindows(): Promise<void> {
  if (!current?.isFailed()) return;
  for (const { page } of windows)
    console.error(`${page.url()}\n${await page.locator('body').ariaSnapshot()}`);
}

/** Waits until pages that gave up a connection have another. Otherwise the complaint stands. */
const connectAgain = () =>
  until(() => ![...windows].some((window) => unforgiven(window).some(isGivenUp))).catch(
    () => undefined,
  );

const unforgiven = ({ complaints, forgiven }: Opened) =>
  complaints.filter((text) => !forgiven.some((pattern) => pattern.test(text)));

/** Fails if any page complained since the last call. */
export function checkComplaints(): void {
  const complaints = [...windows].flatMap((window) => {
    const found = unforgiven(window);
    window.complaints.length = 0;
    return found;
  });
  if (complaints.length > 0)
    throw new Error(`the page reported unexpected problems:\n${complaints.join('\n')}`);
}

export async function closeBrowser(): Promise<void> {
  await (await started)?.close();
  await (await wholeStarted)?.close();
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axeSource = readFileSync(axeFile, 'utf8');

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * WCAG 2.2 AA, and its rules that depend on the theme, or on styles at all. In forced colors the system sets the
 * contrast, but axe reads `-webkit-text-fill-color`, which still has ours.
 */
const rules = {
  all: { type: 'tag', values: wcag },
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  forced: {
    type: 'rule',
    values: ['link-in-text-block', 'target-size', 'scrollable-region-focusable'],
  },
} as const;

export async function expectAccessible(
  page: Page,
  what: keyof typeof rules = 'all',
): Promise<void> {
  await waitForTransitions(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const { type, values } = rules[what];
  const violations = await page.evaluate(
    async (runOnly) => {
      const inPage = globalThis as unknown as { axe: typeof axe };
      const found = await inPage.axe.run({
        runOnly,
        // axe checks for 24 by 24 pixels only when this is enabled.
        ...(runOnly.type === 'tag' && { rules: { 'target-size': { enabled: true } } }),
        resultTypes: ['violations'],
      });
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n  ${failureSummary ?? ''}`),
      );
    },
    { type, values: [...values] },
  );
  if (violations.length > 0) throw new Error(`axe, at ${page.url()}:\n${violations.join('\n')}`);
}

/** Waits for transitions, because half-way colors have too little contrast. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Retries `check` until it passes, for conditions that no locator can wait for. Counts tries, like `until`. */
export async function eventually(check: () => unknown): Promise<void> {
  let failure: unknown;
  const holds = async () => {
    try {
      await check();
      return true;
    } catch (error) {
      failure = error;
      return false;
    }
  };
  await until(holds).catch(() => {
    throw failure;
  });
}

export const composer = (page: Page): Locator => page.locator('#composer');

/** Touches an element until `until` appears. */
export async function longPress(target: Locator, until: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await target.boundingBox())!;
  const finger = await target.page().context().newCDPSession(target.page());
  const touchPoints = [{ x: x + width / 2, y: y + height / 2 }];
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await until.waitFor();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await finger.detach();
}

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

export const messages = (page: Page): Locator =>
  page.getByRole('region', { name: /^Messages in / }).getByRole('article');

export const message = (page: Page, text: string | RegExp): Locator =>
  messages(page).filter({ hasText: text });

export async function choose(
  row: Locator,
  action: string,
  how: { modifiers?: 'Shift'[] } = {},
): Promise<void> {
  await row.hover();
  await row.getByRole('button', { name: 'More' }).click();
  await row.page().getByRole('menuitem', { name: action, exact: true }).click(how);
}

export const inState = (row: Locator, state: 'pending' | 'failed' | 'sent'): Locator =>
  row.and(row.page().locator(`[data-state=${state}]`));

/** The texts of the rows, the oldest first, without deleted ones. */
export async function texts(page: Page): Promise<string[]> {
  const found = await messages(page).locator('.text').allInnerTexts();
  return found.map((text) => text.trim());
}

/** The focused element. `BODY` means none. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.tagName ?? 'BODY');

export async function tabTo(
  page: Page,
  name: string,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
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
