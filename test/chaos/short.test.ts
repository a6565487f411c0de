/** Short form of `npm run chaos`: one kind of fault. */
import { expect } from 'chai';
import { check } from './check.ts';
import { isRunKept, chaosReportOf } from './report.ts';
import { runChaos } from './run.ts';
import { verdictOfRuns } from './table.ts';
import { lawSeed } from '../support/seed.ts';
import { longestTest } from '../support/time.ts';

describe(`chaos in short, by seed ${lawSeed}`, function () {
  this.timeout(2 * longestTest);
  this.slow(120_000);

  it('keeps every promise when a node is killed', async () => {
    const injections = [{ faults: ['node killed before COMMIT' as const], quietly: true }];
    const plan = { seed: lawSeed, seconds: 0, calmSeconds: 2, guests: 4, injections };
    const ended = await runChaos(plan);
    const report = chaosReportOf(ended.history, check(ended));
    expect(report.findings.map(({ text }) => text)).to.deep.equal([]);
    expect(isRunKept(report), verdictOfRuns([report])).to.equal(true);
  });
});
