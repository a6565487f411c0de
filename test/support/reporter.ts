import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { reporters, type MochaOptions, type Runnable, type Runner, type Test } from 'mocha';

/**
 * Mocha's usual report, closed by plain lines that a program can read, such as `123 passed, 0 failed`.
 * Its option `slowest` lists so many tests and files that took longest; `save` keeps how long each file took.
 */
export default class Reporter extends reporters.Spec {
  constructor(runner: Runner, options?: MochaOptions) {
    super(runner, options);
    const { slowest = 0, save } = (options?.reporterOptions ?? {}) as Record<string, string>;
    const tried = new Set<string>();
    const broken = new Set<string>();
    const files = new Map<string, number>();
    const tests = new Map<string, number>();
    const time = (one: Runnable) => {
      const file = relative('.', one.file ?? 'elsewhere');
      files.set(file, (files.get(file) ?? 0) + (one.duration ?? 0));
    };
    runner.on('hook end', time);
    runner.on('test end', (test) => {
      time(test);
      tests.set(test.fullTitle(), test.duration ?? 0);
      statementsIn(test).forEach((number) => tried.add(number));
    });
    runner.on('fail', (test) => statementsIn(test).forEach((number) => broken.add(number)));
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending === 0 ? '' : `, ${pending} skipped`;
      if (save === 'true') keep(files);
      if (Number(slowest) > 0)
        process.stdout.write(
          longest('tests', tests, Number(slowest)) + longest('files', files, Number(slowest)),
        );
      if (tried.size > 0) process.stdout.write(`${verdict(tried, broken)}\n`);
      process.stdout.write(`${passes} passed, ${failures} failed${skipped}\n`);
    });
  }
}

/** The statements of docs/experience.md that a test proves. */
const statementsIn = (test: Test): string[] =>
  test.fullTitle().match(/\b(?:UX|A11Y)-\d\d\b/g) ?? [];

const verdict = (tried: Set<string>, broken: Set<string>) =>
  `${tried.size - broken.size} of ${tried.size} statements of docs/experience.md hold` +
  (broken.size === 0 ? '' : `, not ${[...broken].sort().join(', ')}`);

function longest(what: string, milliseconds: Map<string, number>, count: number): string {
  const first = [...milliseconds].sort(([, one], [, other]) => other - one).slice(0, count);
  const lines = first.map(([name, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
  return `\nThe slowest ${what}:\n${lines.join('\n')}\n`;
}

function keep(files: Map<string, number>): void {
  const rows = [...files].map(([file, ms]) => [file, Math.ceil(ms / 1000)] as const);
  const sorted = Object.fromEntries(rows.sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync('test/durations.json', `${JSON.stringify(sorted, null, 2)}\n`);
}
