/**
 * `npm test`: every `*.test.ts`, the longest first, by four workers. There are more workers than cores, because tests
 * mostly wait; on a slow machine there are fewer. Failed files run once more at the end, one at a time; a failure that
 * does not recur is flaky. `npm run prove`: every `*.proof.ts`, the long tests, with random seeds.
 * Files and folders named after `npm test --` restrict the run to them; `--changed` restricts it to the files that the
 * change against main can reach.
 * `--slowest 30` lists the slowest tests and files; `--save-durations` stores the duration of each file; `--workers 2`
 * sets the number of workers; with one, the processor time of a file includes PostgreSQL and Redis. `--repeat 5`
 * repeats the whole run; `--load 4` runs it next to this number of busy processes.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { used, usedByFamily } from '../bench/cpu.ts';
import { offerDatabase, stopDatabase } from '../support/database.ts';
import { offerRedis, stopRedis } from '../support/redis.ts';
import { reachedByChange } from './changed.ts';
import { ownProcesses } from './processes.ts';
import { hasFailed, inSeconds, reportOf, type Ran, type Tried } from './report.ts';
import { drawSeeds } from './seeds.ts';
import { measureSlowness } from './speed.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string', default: 'test' },
    slowest: { type: 'string', default: '0' },
    workers: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    load: { type: 'string', default: '0' },
    changed: { type: 'boolean', default: false },
    'save-durations': { type: 'boolean', default: false },
  },
});

ownProcesses();

const busy = Array.from({ length: Number(values.load) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);']),
);

/** Number of workers on an otherwise idle machine. */
const usualWorkers = 4;
const slowness = await measureSlowness();
const workers = Number(values.workers ?? Math.max(2, Math.round(usualWorkers / slowness)));

const kept = fileURLToPath(new URL('durations.json', import.meta.url));
/** Seconds that each file took when the durations were last saved. */
const durations = JSON.parse(readFileSync(kept, 'utf8')) as Record<string, number>;
/** A file without a known duration can be long, so it starts first. */
const seconds = (file: string) => durations[file] ?? 1_000;

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(`.${values.kind}.ts`))
    .map((name) => join(path, name));
}

const named = (positionals.length === 0 ? ['test'] : positionals).flatMap(filesIn);
const files = (values.changed ? reachedByChange(named) : named).sort(
  (one, other) => seconds(other) - seconds(one),
);

/** Runs files in one worker until none is left. If the worker exits early, another one replaces it. */
async function work(waiting: string[], ran: Ran[]): Promise<void> {
  const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
    execArgv: ['--import=tsx'],
    env: { ...process.env, TEST_LENGTH: values.kind, TEST_SLOWNESS: slowness.toFixed(1) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exit = once(worker, 'exit').then(([code, signal]) => String(signal ?? code));
  let said = '';
  for (const stream of [worker.stdout, worker.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  let usedBefore = await usedFor(worker);
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    said = '';
    const began = Date.now();
    worker.send(file);
    const answer = await Promise.race([
      once(worker, 'message').then(([message]) => message as Tried[]),
      exit,
    ]);
    // The last output arrives through another pipe.
    await sleep(20);
    const ms = Date.now() - began;
    const hasEnded = typeof answer === 'string';
    const usedNow = hasEnded ? usedBefore : await usedFor(worker);
    const cpuMs = usedNow - usedBefore;
    usedBefore = usedNow;
    process.stdout.write(
      `\n${file} (${inSeconds(ms)}, ${inSeconds(cpuMs)} of a processor)\n${said}`,
    );
    ran.push({ file, ms, cpuMs, tests: hasEnded ? [ending(file, answer)] : answer });
    if (hasEnded) return work(waiting, ran);
  }
  said = '';
  worker.send('');
  await exit;
  process.stdout.write(said);
}

const ending = (file: string, how: string): Tried => ({
  title: `${file}: its worker ended amid it, with ${how}`,
  ms: 0,
  outcome: 'failed',
});

/** Processor time in milliseconds. With several workers, the work of PostgreSQL and Redis cannot be assigned to one. */
const usedFor = async ({ pid = 0 }: ChildProcess): Promise<number> =>
  workers === 1 ? usedInAll() : (await usedByFamily(pid)) / 1_000;

/** Processor time of everything that this run has started, except the busy processes. */
const usedInAll = async (): Promise<number> =>
  ((await usedByFamily(process.pid)) - (await used(busy.map(({ pid }) => pid)))) / 1_000;

/**
 * These proofs measure how soon nodes are back and how long people wait, and a raid writes as fast as both processors
 * allow, so nothing else can run next to them.
 */
const isAlone = (file: string) =>
  /\b(chaos|attack)\b.*\.proof\.ts$|\braid\.(proof|test)\.ts$/.test(file);

async function runAll(): Promise<Ran[]> {
  const waiting = files.filter((file) => !isAlone(file));
  const ran: Ran[] = [];
  await Promise.all([offerDatabase(), offerRedis()]);
  await Promise.all(Array.from({ length: workers }, () => work(waiting, ran)));
  await work(files.filter(isAlone), ran);
  await retry(ran.filter(hasFailed));
  await Promise.all([stopDatabase(), stopRedis()]);
  return ran;
}

/** More failed files than this are unlikely to be flaky, so none of them is retried. */
const maxRetried = 12;

/**
 * Retries failed files of `npm test`: a failure that does not recur is listed as flaky, and does not fail the run. A
 * violated law fails again, because seeds are fixed. `npm run prove` retries nothing, because its seeds are random.
 */
async function retry(failed: Ran[]): Promise<void> {
  if (values.kind !== 'test' || failed.length > maxRetried) return;
  for (const first of failed) {
    const again: Ran[] = [];
    await work([first.file], again);
    if (again.some(hasFailed)) continue;
    const flaky = first.tests
      .filter(({ outcome }) => outcome === 'failed')
      .map((test) => ({ ...test, outcome: 'flaky' as const }));
    const titles = new Set(flaky.map(({ title }) => title));
    const others = again.flatMap(({ tests }) => tests).filter(({ title }) => !titles.has(title));
    first.tests = [...others, ...flaky];
  }
}

function keepDurations(ran: Ran[]): void {
  const rows = ran.map(({ file, ms }) => [file, Math.ceil(ms / 1_000)] as const);
  const all = { ...durations, ...Object.fromEntries(rows) };
  const there = Object.keys(all).filter((file) => statSync(file, { throwIfNoEntry: false }));
  const sorted = Object.fromEntries(there.sort().map((file) => [file, all[file]]));
  writeFileSync(kept, `${JSON.stringify(sorted, null, 2)}\n`);
}

process.stdout.write(
  `A fixed piece of work takes ${slowness.toFixed(1)} times as long as on a quiet machine: ` +
    `${workers} ${workers === 1 ? 'worker' : 'workers'}, and waits so much longer.\n`,
);
if (values.kind === 'proof') process.stdout.write(`Seeds: ${drawSeeds()}\n`);
let isWhole = files.length > 0;
for (let round = 1; round <= Number(values.repeat); round += 1) {
  const began = Date.now();
  const ran = await runAll();
  if (values['save-durations']) keepDurations(ran);
  isWhole &&= !ran.some(hasFailed);
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  process.stdout.write(
    `\nAll of it took ${minutes} minutes.\n${reportOf(ran, Number(values.slowest))}\n`,
  );
}
process.exit(isWhole ? 0 : 1);
