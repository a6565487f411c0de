/**
 * Draws the pictures of the documents from the product itself: `npm run screenshots`. The first are the
 * README's, of a place that is talking; then every screen, as the tests visit it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { closeApps, startApp, type TestApp } from '../test/support/app.ts';
import { stopDatabase } from '../test/support/database.ts';
import type { Person } from '../test/support/person.ts';
import { drawPicture } from '../test/support/picture.ts';

const folder = fileURLToPath(new URL('../docs/', import.meta.url));

/** Who says what, in the order in which it was said. */
const conversation: [name: string, text: string][] = [
  [
    'Marta Kowalska',
    'Staging runs the new release. The migration took 41 s on the copy of production.',
  ],
  ['Marta Kowalska', 'Graphs: https://grafana.fjordlabs.example/d/9f3c1e/cluster?from=now-6h'],
  ['田中 美咲', 'ステージングで確認しました。通知の遅延は直っています。'],
  ['Jonas Lindqvist', 'The reconnect storm after the rollout is gone too.'],
  ['Sofia Almeida', 'Then we ship on Monday. I’ll move the freeze note and tell support.'],
  ['ليلى حداد', 'صباح الخير! هل يمكننا تأجيل النشر إلى الساعة الثالثة؟'],
  ['Pieter', 'Visiting from the insurance side: does the guest link stay valid after a restart?'],
  ['Marta Kowalska', 'It does. Nothing is lost, and you can claim your account later.'],
];

async function furnish(app: TestApp): Promise<{ reader: Person; path: string }> {
  const reader = await app.person('Sofia Almeida');
  const { server } = await reader.send('server:create', { name: 'Fjord Labs' });
  const serverId = server.id;
  const names = [
    'announcements',
    'platform',
    'design-review',
    'incidents',
    '東京オフィス',
    'مكتب-عمّان',
  ];
  for (const name of names)
    await reader.send('channel:create', {
      serverId,
      name,
      ...(name === 'platform' ? { topic: 'Cluster, gateway and storage' } : {}),
    });
  const { invite } = await reader.send('invite:create', { serverId });
  const people = new Map<string, Person>([['Sofia Almeida', reader]]);
  const entry = await reader.send('server:open', { serverId });
  const channels = entry.status === 'snapshot' ? entry.state.channels : [];
  const timelineId = channels.find(({ name }) => name === 'platform')?.id ?? '';
  for (const [name, body] of conversation) {
    const arriving = () => (name === 'Pieter' ? app.guest(name) : app.person(name));
    const person = people.get(name) ?? (await arriving());
    if (!people.has(name)) await person.send('server:join', { code: invite.code });
    people.set(name, person);
    await person.send('message:send', { timelineId, body });
  }
  people.get('Jonas Lindqvist')?.close();
  return { reader, path: `/s/${serverId}/${timelineId}` };
}

interface Picture {
  name: string;
  theme: 'light' | 'dark';
  width: number;
  height: number;
  path: string;
  as?: Person;
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
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
});
mkdirSync(folder, { recursive: true });
const { reader, path } = await furnish(app);
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

const screens = `${folder}screens`;
const views = [
  { kind: '1280.light', says: 'light', width: 400 },
  { kind: '1280.dark', says: 'dark', width: 400 },
  { kind: '390.light', says: 'light, on a telephone', width: 130 },
  { kind: '390.dark', says: 'dark, on a telephone', width: 130 },
];
rmSync(screens, { recursive: true, force: true });
mkdirSync(screens);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/mocha/bin/mocha.js', 'test/browser/pages.test.ts', '--grep', 'every screen'],
  { stdio: 'inherit', env: { ...process.env, PICTURES: screens } },
);
writeFileSync(`${folder}screens.md`, gallery(readdirSync(screens)));
process.exitCode = status ?? 1;

/** Each screen with its pictures: wide and narrow, light and dark. */
function gallery(files: string[]): string {
  const names = [...new Set(files.map((file) => file.split('.')[0] ?? ''))].sort();
  const sections = names.map((name) => {
    const words = name.replaceAll('-', ' ');
    const title = words.charAt(0).toUpperCase() + words.slice(1);
    const pictures = views
      .map(({ kind, ...view }) => ({ ...view, file: `${name}.${kind}.webp` }))
      .filter(({ file }) => files.includes(file))
      .map(
        ({ file, says, width }) =>
          `<img src="screens/${file}" alt="${title}, ${says}" width="${width}">`,
      );
    return `## ${title}\n\n${pictures.join('\n')}\n`;
  });
  return `# Every screen\n\nDrawn by \`npm run screenshots\`.\n\n${sections.join('\n')}`;
}
