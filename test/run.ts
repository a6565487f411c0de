/**
 * `npm test`: every `*.test.ts`, the longest first, in several workers of Mocha. There are more workers than cores,
 * since tests mostly wait. `npm run prove`: every `*.proof.ts`, what takes minutes. Files and folders named after
 * `npm test --` run alone.
 * `--slowest 30` lists the slowest tests and files; `--save-durations` keeps how long each file took;
 * `--workers 2` takes so many.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string', default: 'test' },
    slowest: { type: 'string', default: '0' },
    workers: { type: 'string', default: '5' },
    'save-durations': { type: 'boolean', default: false },
  },
});

/** Seconds that each file took. */
const durations = JSON.parse(readFileSync('test/durations.json', 'utf8')) as Record<string, number>;
/** One that nobody has timed yet may be long. */
const seconds = (file: string) => durations[file] ?? Infinity;

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(`.${values.kind}.ts`))
    .map((name) => join(path, name));
}

const files = (positionals.length === 0 ? ['test'] : positionals)
  .flatMap(filesIn)
  .sort((one, other) => seconds(other) - seconds(one));

const mocha = spawn(
  process.execPath,
  [
    'node_modules/mocha/bin/mocha.js',
    ...['--parallel', '--jobs', values.workers, '--require', 'test/support/together.ts'],
    ...['--reporter-option', `slowest=${values.slowest}`],
    ...['--reporter-option', `save=${values['save-durations']}`],
    ...files,
  ],
  { stdio: 'inherit', env: { ...process.env, TEST_LENGTH: values.kind } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => mocha.kill(signal));
mocha.on('exit', (code) => (process.exitCode = code ?? 1));
