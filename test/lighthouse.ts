/**
 * `npm run lighthouse`: runs Lighthouse on the sign-in page and on a channel with messages, as a phone with a slow
 * network. npx provides Lighthouse, which uses the installed Chromium.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { z } from 'zod';
import { closeApps, startApp } from './support/app.ts';
import { findChromium, flags } from './support/chromium.ts';
import { stopDatabase } from './support/database.ts';
import { freePort } from '../scripts/cluster/place.ts';
import { furnishScreenshots } from './screenshots/furnish.ts';

const version = '12.8.2';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, json: { type: 'boolean', default: false } },
});

const Score = z.object({ score: z.number() });
const Audit = z.object({
  title: z.string(),
  score: z.number().nullable(),
  scoreDisplayMode: z.string(),
  numericValue: z.number().optional(),
  details: z.looseObject({ items: z.unknown().optional() }).optional(),
});
const Request = z.object({ resourceType: z.string().optional(), transferSize: z.number() });
const Report = z.object({
  categories: z.object({ performance: Score, accessibility: Score, 'best-practices': Score }),
  audits: z.record(z.string(), Audit),
});
type Report = z.infer<typeof Report>;

const folder = await mkdtemp(join(tmpdir(), 'parley-lighthouse-'));
const app = await startApp();
const { reader, path } = await furnishScreenshots(app);
const port = await freePort();
const context = await chromium.launchPersistentContext(folder, {
  executablePath: findChromium(),
  args: [...flags, `--remote-debugging-port=${port}`],
});
try {
  const results = { 'sign-in': await examine(app.url) };
  const [name = '', value = ''] = reader.cookie.split('=');
  await context.addCookies([{ name, value, url: app.url }]);
  Object.assign(results, { channel: await examine(app.url + path) });
  process.stdout.write(
    values.json ? `${JSON.stringify(results, undefined, 2)}\n` : drawTable(results),
  );
} finally {
  await context.close();
  await closeApps();
  await stopDatabase();
  await rm(folder, { recursive: true, force: true });
}

type Row = ReturnType<typeof rowOf>;

/** The run with the median performance. Repeats a run whose recording fails, which happens on a busy machine. */
async function examine(url: string): Promise<Row> {
  const rows: Row[] = [];
  for (let run = 1; run <= Number(values.runs); run += 1)
    rows.push(rowOf(await ask(url).catch(() => ask(url))));
  rows.sort((a, b) => a.performance - b.performance);
  const row = rows[Math.floor(rows.length / 2)];
  if (row === undefined) throw new Error('--runs is a whole number above 0.');
  return row;
}

async function ask(url: string): Promise<Report> {
  await forgetFiles();
  const output = join(folder, 'report.json');
  const options = [
    `--port=${port}`,
    '--only-categories=performance,accessibility,best-practices',
    // Keeps the session; see `forgetFiles`.
    '--disable-storage-reset',
    '--output=json',
    `--output-path=${output}`,
    '--quiet',
  ];
  await promisify(execFile)('npx', ['--yes', `lighthouse@${version}`, url, ...options]);
  return Report.parse(JSON.parse(await readFile(output, 'utf8')));
}

async function forgetFiles(): Promise<void> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.close();
}

function rowOf({ categories, audits }: Report) {
  const outOf100 = ({ score }: { score: number }) => Math.round(score * 100);
  const measured = (audit: string) => audits[audit]?.numericValue ?? NaN;
  const requests = z
    .array(Request)
    .parse(audits['network-requests']?.details?.items)
    .filter(({ transferSize }) => transferSize > 0);
  const sizeOf = (type: string) =>
    requests
      .filter(({ resourceType }) => resourceType === type)
      .reduce((sum, { transferSize }) => sum + transferSize / 1_000, 0);
  const failed = Object.values(audits).filter(
    ({ score, scoreDisplayMode }) => scoreDisplayMode !== 'informative' && (score ?? 1) < 0.9,
  );
  return {
    performance: outOf100(categories.performance),
    accessibility: outOf100(categories.accessibility),
    'best practices': outOf100(categories['best-practices']),
    'LCP ms': Math.round(measured('largest-contentful-paint')),
    'TBT ms': Math.round(measured('total-blocking-time')),
    CLS: measured('cumulative-layout-shift'),
    'JS kB': sizeOf('Script'),
    'CSS kB': sizeOf('Stylesheet'),
    requests: requests.length,
    'to improve': failed.map(({ title }) => title),
  };
}

function drawTable(results: Record<string, Row>): string {
  const lines = Object.entries(results).map(([page, { 'to improve': advice, ...figures }]) =>
    [
      page,
      ...Object.entries(figures).map(
        ([name, figure]) => `  ${name.padEnd(16)}${Number(figure.toFixed(2))}`,
      ),
      ...advice.map((title) => `  · ${title}`),
    ].join('\n'),
  );
  return `${lines.join('\n')}\nLighthouse ${version}, mobile, ${values.runs} runs each, the one in the middle.\n`;
}
