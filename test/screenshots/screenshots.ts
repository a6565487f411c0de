/**
 * `npm run screenshots`: draws the pictures of the README, of a server with messages; then every screen that the tests
 * visit, into data/screens, which is not in the repository.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { closeApps, startApp, type TestApp } from '../support/app.ts';
import { findChromium, flags } from '../support/chromium.ts';
import { stopDatabase } from '../support/database.ts';
import type { Person } from '../support/person.ts';
import { drawPicture } from '../support/picture.ts';
import { furnishScreenshots } from './furnish.ts';

const folder = fileURLToPath(new URL('../../docs/', import.meta.url));

interface Picture {
  name: string;
  theme: 'light' | 'dark';
  width: number;
  height: number;
  path: string;
  as?: Person;
}

async function react(): Promise<void> {
  const { messages } = await reader.send('message:list', { timelineId, limit: 8 });
  const of = (text: string) => messages.find(({ body }) => body.startsWith(text))?.id ?? '';
  for (const [text, emoji] of [
    ['The reconnect', '🎉'],
    ['Then we ship', '👍'],
    ['Then we ship', '🚀'],
  ] as const)
    await reader.send('message:react', { messageId: of(text), emoji, on: true });
}

async function draw(browser: Browser, { url }: TestApp, picture: Picture): Promise<void> {
  const { name, theme, width, height, path, as } = picture;
  const phone = width < 820;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    deviceScaleFactor: phone ? 2 : 1.5,
    hasTouch: phone,
    isMobile: phone,
    locale: 'en-GB',
  });
  if (as !== undefined) {
    const [cookie = '', value = ''] = as.cookie.split('=');
    await context.addCookies([{ name: cookie, value, url }]);
  }
  const page = await context.newPage();
  await page.goto(url + path);
  await (as === undefined ? page.getByLabel('Your name') : page.getByText('It does.')).waitFor();
  await drawPicture(page, `${folder}${name}.webp`);
  await context.close();
  process.stdout.write(`docs/${name}.webp\n`);
}

const app = await startApp();
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: flags,
});
mkdirSync(folder, { recursive: true });
// With an owner, the sign-in page does not say that nobody owns it yet.
await app.owner();
const { reader, timelineId, path } = await furnishScreenshots(app);
await react();
const wide = { width: 1_280, height: 800 };
const phone = { width: 390, height: 844 };
const pictures: Picture[] = [
  { name: 'channel-light', theme: 'light', ...wide, path, as: reader },
  { name: 'channel-dark', theme: 'dark', ...wide, path, as: reader },
  { name: 'sign-in', theme: 'light', ...wide, path: '/' },
  { name: 'phone', theme: 'light', ...phone, path, as: reader },
  { name: 'phone-dark', theme: 'dark', ...phone, path, as: reader },
];
for (const picture of pictures) await draw(browser, app, picture);
await browser.close();
await closeApps();
await stopDatabase();

const screens = fileURLToPath(new URL('../../data/screens', import.meta.url));
const views = [
  { kind: '1280.light', says: 'light', width: 640 },
  { kind: '1280.dark', says: 'dark', width: 640 },
  { kind: '390.light', says: 'light, on a phone', width: 195 },
  { kind: '390.dark', says: 'dark, on a phone', width: 195 },
];
rmSync(screens, { recursive: true, force: true });
mkdirSync(screens, { recursive: true });
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/mocha/bin/mocha.js',
    'test/browser/pages.test.ts',
    'test/browser/pages-phone.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, PICTURES: screens } },
);
writeFileSync(`${screens}/index.html`, gallery(readdirSync(screens)));
process.stdout.write('data/screens/index.html\n');
process.exitCode = status ?? 1;

function gallery(files: string[]): string {
  const names = [...new Set(files.map((file) => file.split('.')[0] ?? ''))].sort();
  const sections = names.map((name) => {
    const words = name.replaceAll('-', ' ');
    const title = words.charAt(0).toUpperCase() + words.slice(1);
    const pictures = views
      .map(({ kind, ...view }) => ({ ...view, file: `${name}.${kind}.webp` }))
      .filter(({ file }) => files.includes(file))
      .map(
        ({ file, says, width }) => `<img src="${file}" alt="${title}, ${says}" width="${width}">`,
      );
    return `<h2>${title}</h2>\n${pictures.join('\n')}\n`;
  });
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Every screen</title>\n${sections.join('\n')}`;
}
