/**
 * A growing list, tested by property on a slow processor: at the end it stays at the end, and elsewhere nothing moves,
 * whether messages arrive, are edited or grow. Only the reader's hand leaves the end.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import { painted, paintedWhile } from '../support/painted.ts';
import type { Person } from '../support/person.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';

/** So few that a page holds all rows, 300 at most: the test waits for the last one, wherever the reader is. */
const bursts = atLength(5, 40);
const slowness = 6;

describe(`a lively channel (LAW_SEED=${lawSeed})`, () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;
  let ids: string[];
  const random: Random = lawRandom();

  before(async () => {
    app = await startSite({ PARLEY_RATE_SCALE: '100000' });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    ids = [];
    for (let at = 0; at < 60; at += 1) await says();
    await ben.send('read:update', { timelineId, position: ids.length });
  });
  afterEach(closeWindows);
  after(() => app.close());

  async function says(): Promise<void> {
    const { message } = await ann.send('message:send', { timelineId, body: textOf(random) });
    ids[message.position - 1] = message.id;
  }

  async function reading(): Promise<Page> {
    const { page } = await openBrowser(app, { as: ben, path });
    await lastRow(page);
    await painted(page);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
    return page;
  }

  const row = (position: number) => `article[data-position="${position}"]`;
  const lastRow = (page: Page) => page.locator(row(ids.length)).waitFor({ state: 'attached' });
  const jump = (page: Page) => page.getByRole('button', { name: /jump to latest/i });
  const box = async (page: Page) =>
    await page.locator('.scroller', { hasText: 'Row' }).elementHandle();

  /** Events that can happen at the same time. `near` picks the row to change: one out of view, or any. */
  const operations = (page: Page, near: () => number): (() => Promise<unknown>)[] => [
    () => Promise.all(Array.from({ length: random.int(1, 8) }, says)),
    () => Promise.all(Array.from({ length: random.int(1, 4) }, says)),
    () => ann.send('message:edit', { messageId: ids[near() - 1]!, body: textOf(random) }),
    () => grow(page, near(), random.int(0, 300)),
    () => composer(page).fill('word\n'.repeat(random.int(0, 9))),
    () => page.setViewportSize({ width: 1_280, height: random.int(600, 900) }),
  ];

  /** Grows a row, as a picture does when it has loaded. */
  const grow = (page: Page, position: number, height: number) =>
    page.evaluate(
      ([selector, height]) => {
        const text = document.querySelector<HTMLElement>(`${selector} .text`);
        if (text) text.style.paddingBottom = `${height}px`;
      },
      [row(position), height] as const,
    );

  async function burst(page: Page, near: () => number): Promise<void> {
    const all = operations(page, near);
    await Promise.all(Array.from({ length: random.int(2, 5) }, () => random.pick(all)()));
    await lastRow(page);
  }

  const many = async (page: Page, near: () => number) => {
    for (let at = 0; at < bursts; at += 1) await burst(page, near);
  };

  it('UX-23 stays at the end while messages arrive and grow', async () => {
    const page = await reading();
    const frame = await box(page);
    const content = await frame.evaluateHandle((box) => box.firstElementChild!);
    const seen = await paintedWhile(page, content, frame, () =>
      many(page, () => random.int(1, ids.length)),
    );
    expect(Math.max(...seen.map(({ bottom }) => Math.abs(bottom)))).to.be.below(2);
    expect(await jump(page).count()).to.equal(0);
  });

  it('UX-25 keeps its place elsewhere, until scrolled to the end', async () => {
    const page = await reading();
    const frame = await box(page);
    await frame.hover();
    await page.mouse.wheel(0, -1_500);
    await jump(page).waitFor();
    await painted(page);
    const [first, middle, last] = await inView(page);
    const article = await page.locator(row(middle)).elementHandle();
    const unseen = () =>
      random.chance(0.5) ? random.int(1, first - 1) : random.int(last + 1, ids.length);
    const seen = await paintedWhile(page, article, frame, () => many(page, unseen));
    const tops = seen.map(({ top }) => top);
    expect(Math.max(...tops) - Math.min(...tops)).to.be.at.most(1);
    await frame.hover();
    await page.mouse.wheel(0, 1_000_000);
    await jump(page).waitFor({ state: 'hidden' });
  });

  /** The rows in view, or that would be in a window of the largest height, and one in the middle of them. */
  const inView = (page: Page) =>
    page.evaluate(() => {
      const rows = [...document.querySelectorAll<HTMLElement>('article[data-position]')].filter(
        (row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return bottom > 0 && top < 900;
        },
      );
      const positions = rows.map((row) => Number(row.dataset.position));
      const top = Math.max(...positions);
      const middle = positions[Math.floor(positions.length / 2)] ?? NaN;
      return [positions[0] ?? NaN, middle, top] as const;
    });
});

function textOf(random: Random): string {
  const lines = Array.from({ length: random.int(1, 8) }, (_, at) =>
    `Row ${at} `.repeat(random.int(1, 30)),
  );
  return random.pick([
    () => lines[0]!,
    () => lines.join('\n'),
    () => `\`\`\`\n${lines.join('\n')}\n\`\`\``,
  ])();
}
