import { reporters, type MochaOptions, type Runner, type Test } from 'mocha';

/** Mocha's usual report, closed by plain lines that a program can read, such as `123 passed, 0 failed`. */
export default class Reporter extends reporters.Spec {
  constructor(runner: Runner, options?: MochaOptions) {
    super(runner, options);
    const tried = new Set<string>();
    const broken = new Set<string>();
    runner.on('test end', (test) => statementsIn(test).forEach((number) => tried.add(number)));
    runner.on('fail', (test) => statementsIn(test).forEach((number) => broken.add(number)));
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending === 0 ? '' : `, ${pending} skipped`;
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
