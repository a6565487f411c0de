import { reporters, type MochaOptions, type Runner } from 'mocha';
import { listen, reportOf, type Ran } from '../run/report.ts';

/** Mocha's usual report for files run one by one, followed by that of `npm test`. */
export default class Reporter extends reporters.Spec {
  constructor(runner: Runner, options?: MochaOptions) {
    super(runner, options);
    const ran: Ran = { file: '', ms: 0, cpuMs: 0, tests: [] };
    listen(runner, ran.tests);
    runner.once('end', () => process.stdout.write(`${reportOf([ran])}\n`));
  }
}
