/** One Chromium for the run, and windows in it for as many people as a test needs. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import type { TestApp } from './app.ts';
import { findChromium, flags } from './chromium.ts';
import type { Person } from './person.ts';

export interface Looks {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** A finger instead of a mouse. */
  touch?: boolean;
  /** Where it is, as its clock has it. */
  timeZone?: string;
  /** Whose session the window has; a stranger's without. */
  as?: Person;
  /** Where it starts; nowhere yet with `undefined`. */
  path?: string | undefined;
  /** It fetches ahead what may be asked for later: that takes longer than all else that most tests do. */
  ahead?: boolean;
}

export interface Window {
  page: Page;
  /** Another tab of the same window. */
  tab(path: string): Promise<Page>;
  /** The server is away, or refuses something, on purpose: what fits is no fault of the page. */
  forgive: (pattern: RegExp) => void;
}

interface Opened extends Window {
  complaints: string[];
  forgiven: RegExp[];
  close(): Promise<void>;
}

const built = new URL('../../dist/client/index.html', import.meta.url);

let started: Promise<Browser> | undefined;
const windows = new Set<Opened>();

/** What the browser says while its server is away. Not that it was cut off amid something: see `cutOff`. */
export const serverAway =
  /ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|WebSocket connection to/;

/** What it says where a server ends amid an answer. */
export const cutOff = /ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

/** A window with cookies of its own. Whatever its page complains about fails the test: see `checkWindows`. */
export async function openBrowser({ url }: TestApp, looks: Looks = {}): Promise<Window> {
  const {
    width = 1_280,
    height = 800,
    theme = 'light',
    touch = false,
    timeZone,
    as,
    ahead,
  } = looks;
  if (!existsSync(built)) throw new Error('The client is not built: run `npm run build` first.');
  started ??= chromium.launch({ executablePath: findChromium(), args: flags });
  const browser = await started;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: touch,
    isMobile: touch,
    locale: 'en-GB',
    ...(timeZone !== undefined && { timezoneId: timeZone }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (as !== undefined) {
    const [name = '', value = ''] = as.cookie.split('=');
    await context.addCookies([{ name, value, url }]);
  }
  await context.addInitScript(tellOfViolations);
  if (!ahead) await context.addInitScript(neverIdle);
  const complaints: string[] = [];
  const blank = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    listenTo(page, url, (text) => complaints.push(text));
    return page;
  };
  const page = await blank();
  const forgiven: RegExp[] = [];
  const window = {
    page,
    async tab(path: string) {
      const tab = await blank();
      await tab.goto(url + path);
      return tab;
    },
    complaints,
    forgiven,
    forgive: (pattern: RegExp) => void forgiven.push(pattern),
    async close() {
      windows.delete(window);
      await context.close();
    },
  };
  windows.add(window);
  if (!('path' in looks) || looks.path !== undefined) await page.goto(url + (looks.path ?? '/'));
  return window;
}

/** What a page would fetch when nothing else is to be done, it fetches when it is needed. As text: see weight.ts. */
const neverIdle = 'globalThis.requestIdleCallback = () => 0;';

/** Runs in the page, before anything of its own. */
function tellOfViolations(): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`the policy forbade ${event.violatedDirective}: ${event.blockedURI}`);
  });
}

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

/** Says what stands in the windows if the test failed, and fails if any page complained. For `afterEach`. */
export async function checkWindows(): Promise<void> {
  await describeWindows();
  checkComplaints();
}

/** The same, and closes all windows. */
export async function closeWindows(): Promise<void> {
  try {
    await describeWindows();
    checkComplaints();
  } finally {
    for (const window of [...windows]) await window.close();
  }
}

let current: Mocha.Test | undefined;
/** Whose windows they are from now on. */
export const noteTest = (test: Mocha.Test | undefined): void => void (current = test);

/** As a screen reader has it: what a machine far away has to show of why a test failed there. */
async function describeWindows(): Promise<void> {
  if (!current?.isFailed()) return;
  for (const { page } of windows)
    console.error(`${page.url()}\n${await page.locator('body').ariaSnapshot()}`);
}

/** Fails if any page complained since the last time. */
export function checkComplaints(): void {
  const complaints = [...windows].flatMap(({ complaints, forgiven }) =>
    complaints.splice(0).filter((text) => !forgiven.some((pattern) => pattern.test(text))),
  );
  if (complaints.length > 0) throw new Error(`the page complained:\n${complaints.join('\n')}`);
}

export async function closeBrowser(): Promise<void> {
  await (await started)?.close();
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axeSource = readFileSync(axeFile, 'utf8');

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * WCAG 2.2 AA, and of it what depends on the theme, or on styles at all. In forced colours the contrast is the
 * system's, and axe reads `-webkit-text-fill-color`, which still holds ours.
 */
const rules = {
  all: { type: 'tag', values: wcag },
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  forced: {
    type: 'rule',
    values: ['link-in-text-block', 'target-size', 'scrollable-region-focusable'],
  },
} as const;

/** axe finds nothing in the page as it is now. */
export async function expectAccessible(
  page: Page,
  what: keyof typeof rules = 'all',
): Promise<void> {
  await stillness(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const { type, values } = rules[what];
  const violations = await page.evaluate(
    async (runOnly) => {
      const inPage = globalThis as unknown as { axe: typeof axe };
      const found = await inPage.axe.run({
        runOnly,
        // axe itself does not yet ask for 24 by 24 pixels unless it is told to.
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

/** Colours change over some milliseconds, and half-way they have no contrast. */
async function stillness(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Tries until it holds, for what no locator can wait for. */
export async function eventually(check: () => unknown, patienceMs = 10_000): Promise<void> {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

export const composer = (page: Page): Locator => page.locator('#composer');

/** A finger comes down on it and stays until something has come of that. */
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

/** Types into the composer, and sends. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

export const messages = (page: Page): Locator =>
  page.getByRole('region', { name: /^Messages in / }).getByRole('article');

export const message = (page: Page, text: string | RegExp): Locator =>
  messages(page).filter({ hasText: text });

export const inState = (row: Locator, state: 'pending' | 'failed' | 'sent'): Locator =>
  row.and(row.page().locator(`[data-state=${state}]`));

/** What the rows say, from the oldest; nothing of deleted ones. */
export async function texts(page: Page): Promise<string[]> {
  const found = await messages(page).locator('.text').allInnerTexts();
  return found.map((text) => text.trim());
}

/** Where the keyboard is. `BODY` is nowhere. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.tagName ?? 'BODY');

/** Goes on by Tab until what is in focus has this in its name. */
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
