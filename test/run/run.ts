/**
 * `npm test`: every `*.test.ts`, the longest first, by three workers. There are more of them than cores, since
 * tests mostly wait. `npm run prove`: every `*.proof.ts`, what takes minutes. Files and folders that are named after
 * `npm test --` run alone.
 * `--slowest 30` lists the slowest tests and files; `--save-durations` keeps how long each file took;
 * `--workers 2` takes so many.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { offerDatabase, stopDatabase } from '../support/database.ts';
import { offerRedis, stopRedis } from '../support/redis.ts';
import { reportOf, type Ran } from './report.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string', default: 'test' },
    slowest: { type: 'string', default: '0' },
    workers: { type: 'string', default: '3' },
    'save-durations': { type: 'boolean', default: false },
  },
});

const kept = fileURLToPath(new URL('durations.json', import.meta.url));
/** Seconds that each file took when somebody last kept it. */
const durations = JSON.parse(readFileSync(kept, 'utf8')) as Record<string, number>;
/** One that nobody has timed yet may be long. */
const seconds = (file: string) => durations[file] ?? 1_000;

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(`.${values.kind}.ts`))
    .map((name) => join(path, name));
}

const waiting = (positionals.length === 0 ? ['test'] : positionals)
  .flatMap(filesIn)
  .sort((one, other) => seconds(other) - seconds(one));
const ran: Ran[] = [];

/** One worker after the other, should one end before its time, until no file waits. */
async function work(): Promise<void> {
  const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
    execArgv: ['--import=tsx'],
    env: { ...process.env, TEST_LENGTH: values.kind },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exit = once(worker, 'exit').then(([code, signal]) => String(signal ?? code));
  let said = '';
  for (const stream of [worker.stdout, worker.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    said = '';
    const began = Date.now();
    worker.send(file);
    const answer = await Promise.race([
      once(worker, 'message').then(([message]) => message as Ran),
      exit,
    ]);
    // What it wrote last comes by another pipe.
    await sleep(20);
    process.stdout.write(`\n${file}\n${said}`);
    if (typeof answer !== 'string') ran.push(answer);
    else {
      const title = `${file}: its worker ended amid it, with ${answer}`;
      ran.push({
        file,
        ms: Date.now() - began,
        cpuMs: 0,
        tests: [{ title, ms: 0, outcome: 'failed' }],
      });
      return work();
    }
  }
  worker.send('');
  await exit;
}

await Promise.all([offerDatabase(), offerRedis()]);
await Promise.all(Array.from({ length: Number(values.workers) }, work));
await Promise.all([stopDatabase(), stopRedis()]);

if (values['save-durations']) {
  const rows = ran.map(({ file, ms }) => [file, Math.ceil(ms / 1_000)] as const);
  const all = { ...durations, ...Object.fromEntries(rows) };
  const there = Object.keys(all).filter((file) => statSync(file, { throwIfNoEntry: false }));
  const sorted = Object.fromEntries(there.sort().map((file) => [file, all[file]]));
  writeFileSync(kept, `${JSON.stringify(sorted, null, 2)}\n`);
}
process.stdout.write(`\n${reportOf(ran, Number(values.slowest))}\n`);
const isWhole = ran.every(({ tests }) => tests.every(({ outcome }) => outcome !== 'failed'));
process.exitCode = isWhole && ran.length > 0 ? 0 : 1;
