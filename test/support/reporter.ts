import { reporters, type MochaOptions, type Runner } from 'mocha';

/** Mocha's usual report, closed by one plain line that a program can read: `123 passed, 0 failed`. */
export default class Reporter extends reporters.Spec {
  constructor(runner: Runner, options?: MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending === 0 ? '' : `, ${pending} skipped`;
      process.stdout.write(`${passes} passed, ${failures} failed${skipped}\n`);
    });
  }
}
