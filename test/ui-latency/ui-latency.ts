/**
 * `npm run feel`: how quickly the client responds on a processor that is throttled to a quarter: sending a message,
 * opening a channel, a busy channel, scrolling far up. `--throttle 1` uses the full speed of this machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { v7 } from 'uuid';
import type { Page } from 'playwright-core';
import { closeApps, startApp } from '../support/app.ts';
import { closeBrowser, closeWindows, composer, message, openBrowser } from '../support/browser.ts';
import { stopDatabase } from '../support/database.ts';
import { atPart } from '../bench/load.ts';
import { populate, type MeasuredChannel, type LatencyPlace } from './place.ts';
import { longTasks, pasteScreenshot, scrollToStart, untilPictured, untilShown } from './watch.ts';

const { values } = parseArgs({
  options: {
    throttle: { type: 'string', default: '4' },
    history: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});

const app = await startApp();
try {
  const place = await populate(app, Number(values.history));
  const figures = await measure(place);
  process.stdout.write(values.json ? `${JSON.stringify(figures, undefined, 2)}\n` : draw(figures));
} finally {
  await closeWindows();
  await closeBrowser();
  await closeApps();
  await stopDatabase();
}

type Figures = Record<string, Record<string, number>>;

async function measure(place: LatencyPlace): Promise<Figures> {
  const { reader, serverId, channels, archive } = place;
  const path = `/s/${serverId}/${archive.id}`;
  const { page } = await openBrowser(app, { as: reader, path });
  page.setDefaultTimeout(120_000);
  await message(page, `archive ${values.history})`).waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(values.throttle) });
  const cold = await visit(page, channels);
  const cached = await visit(page, channels);
  const here = channels.at(-1) ?? archive;
  const echo = await speak(page);
  const shared = await share(page, place, here);
  const burst = await longTasks(page, () => chatter(place, here));
  const seen = await message(page, 'Chatter 2000 of 2000').count();
  await open(page, archive);
  const frames = await scrollToStart(page, 120);
  return {
    'keydown to message on the screen': inMs(echo),
    'click to channel, first time': inMs(cold),
    'click to channel, again': inMs(cached),
    'paste to picture on another screen': inMs(shared),
    '200 messages a second for 10 s': {
      'long tasks': burst.length,
      longest: Math.max(0, ...burst),
      'last one shown': seen,
    },
    [`up through ${values.history} messages`]: { frames: frames.length, ...inMs(frames) },
  };
}

function inMs(times: number[]) {
  return { median: atPart(times, 0.5), p95: atPart(times, 0.95), max: atPart(times, 1) };
}

async function visit(page: Page, channels: MeasuredChannel[]): Promise<number[]> {
  const times: number[] = [];
  for (const channel of channels) {
    times.push(await open(page, channel));
    // Separates the remaining work of one measurement from the next.
    await sleep(300);
  }
  return times;
}

function open(page: Page, { name }: MeasuredChannel): Promise<number> {
  const links = page.getByRole('navigation', { name: 'Channels' });
  const link = links.getByRole('link', { name, exact: true });
  return untilShown(page, 'click', `(${name} `, () => link.click());
}

async function speak(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let i = 1; i <= 40; i += 1) {
    const text = `Echo ${i} of forty`;
    await composer(page).fill(text);
    times.push(await untilShown(page, 'keydown', text, () => composer(page).press('Enter')));
    await sleep(100);
  }
  return times;
}

/** Pastes and sends screenshots, until the other person sees them, without throttling. */
async function share(
  page: Page,
  { speaker, serverId }: LatencyPlace,
  { id }: MeasuredChannel,
): Promise<number[]> {
  // A channel opens at the first unread message, so this reads everything: then it shows new messages.
  const { messages } = await speaker.send('message:list', { timelineId: id, limit: 1 });
  await speaker.send('read:update', { timelineId: id, position: messages[0]?.position ?? 0 });
  const other = await openBrowser(app, { as: speaker, path: `/s/${serverId}/${id}` });
  await composer(other.page).waitFor();
  const times: number[] = [];
  for (let i = 1; i <= 15; i += 1) {
    const name = `screenshot-${i}.png`;
    const seen = untilPictured(other.page, name);
    const pasted = await pasteScreenshot(page, name);
    await page.getByRole('list', { name: 'Files to send' }).getByText(name).waitFor();
    await composer(page).press('Enter');
    times.push((await seen) - pasted);
    await sleep(300);
  }
  await other.page.close();
  return times;
}

async function chatter({ speaker }: LatencyPlace, channel: MeasuredChannel): Promise<void> {
  const said: Promise<unknown>[] = [];
  const began = performance.now();
  for (let i = 1; i <= 2_000; i += 1) {
    await sleep(began + i * 5 - performance.now());
    const body = `Chatter ${i} of 2000`;
    said.push(speaker.send('message:send', { timelineId: channel.id, id: v7(), body }));
  }
  await Promise.all(said);
  await sleep(3_000);
}

function draw(figures: Figures): string {
  const lines = Object.entries(figures).map(([name, row]) => {
    const cells = Object.entries(row).map(([what, figure]) => `${what} ${Math.round(figure)}`);
    return `${name.padEnd(36)}${cells.join(', ')}`;
  });
  return `${lines.join('\n')}\nMilliseconds, on a processor ${values.throttle} times slower than this one.\n`;
}
