/** `npm run chaos`, short: two kinds of fault, and nothing of what is promised is lost. */
import { expect } from 'chai';
import { check } from './check.ts';
import { isKept, reportOf } from './report.ts';
import { run } from './run.ts';
import { verdictOf } from './table.ts';
import { lawSeed } from '../support/seed.ts';

describe(`chaos in short, by seed ${lawSeed}`, function () {
  this.timeout(400_000);
  this.slow(120_000);

  it('takes nothing of what is promised when a node is killed and clients flap', async () => {
    const strikes = [
      { faults: ['node killed before COMMIT' as const], quietly: true },
      { faults: ['clients flap' as const], quietly: true },
    ];
    const plan = { seed: lawSeed, seconds: 0, calmSeconds: 2, guests: 4, strikes };
    const ended = await run(plan);
    const report = reportOf(ended.history, check(ended));
    expect(report.findings.map(({ text }) => text)).to.deep.equal([]);
    expect(isKept(report), verdictOf([report])).to.equal(true);
  });
});
