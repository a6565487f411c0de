/** A real browser. Whatever a page complains about fails the test that opened it. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let started: Promise<Browser> | undefined;

export interface Looks {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** A finger instead of a mouse. */
  touch?: boolean;
}

/** Somebody's own browser: its cookies, one page, and what the page complained about. */
export interface Window {
  page: Page;
  context: BrowserContext;
  complaints: string[];
  close(): Promise<void>;
}

/** Opens a browser of its own at `url`. A cookie signs it in. */
export async function openWindow(
  url: string,
  cookie?: string,
  { width = 1_280, height = 800, theme = 'light', touch = false }: Looks = {},
): Promise<Window> {
  if (!existsSync(new URL('../../dist/client/index.html', import.meta.url)))
    throw new Error('The client is not built. Run npm run build first.');
  started ??= chromium.launch({ executablePath, args: quiet });
  const context = await (
    await started
  ).newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: touch,
    isMobile: touch,
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: new URL(url).origin }]);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    context,
    complaints,
    async close() {
      await context.close();
      expect(complaints, 'the page complained').to.deep.equal([]);
    },
  };
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Findings {
  violations: { id: string; help: string; nodes: { html: string }[] }[];
}

/** axe finds nothing on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate<Findings, string[]>(
    async (values) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<Findings> } }).axe.run({
        runOnly: { type: 'tag', values },
      }),
    tags,
  );
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes[0]?.html ?? ''}`);
  expect(found, page.url()).to.deep.equal([]);
}

export async function closeBrowser(): Promise<void> {
  await (await started)?.close();
}
