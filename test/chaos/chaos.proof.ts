/** A whole build keeps what is promised, under all that shows a broken one. short.test.ts has a short form. */
import { expect } from 'chai';
import { check } from './check.ts';
import { isKept, reportOf } from './report.ts';
import { run } from './run.ts';
import { verdictOf } from './table.ts';
import { lawSeed } from '../support/seed.ts';
import { breakages } from './broken.ts';
import { awayFor } from './away.ts';

describe(`chaos, by seed ${lawSeed}`, function () {
  this.timeout(400_000);
  this.slow(120_000);
  const plan = { seed: lawSeed, seconds: 0, calmSeconds: 6, guests: 8 };

  it('takes nothing of what is promised, under what shows that a build is broken', async () => {
    const strikes = breakages.flatMap(({ plan }) => plan.strikes ?? []);
    const ended = await run({ ...plan, strikes });
    const report = reportOf(ended.history, check(ended));
    expect(report.findings.map(({ text }) => text)).to.deep.equal([]);
    expect(isKept(report), verdictOf([report])).to.equal(true);
  });

  it('finds nobody away for more than three seconds while the nodes are restarted in turn', async () => {
    const strikes = [{ faults: ['rolling restart' as const], quietly: false }];
    const ended = await run({ ...plan, strikes });
    expect(check(ended).map(({ text }) => text)).to.deep.equal([]);
    expect(ended.history.strikes[0]?.fired).to.deep.equal({ 'rolling restart': 3 });
    const away = awayFor(ended.history);
    expect(away).to.have.length.above(8);
    expect(Math.max(...away)).to.be.below(3_000);
  });

  it('finds those of a killed node back in five seconds, and those who do not come back gone in thirty', async () => {
    const strikes = [{ faults: ['node killed' as const], quietly: true }];
    const ended = await run({ ...plan, strikes });
    expect(check(ended).map(({ text }) => text)).to.deep.equal([]);
    const { history } = ended;
    expect(history.present).to.have.length(10);
    const away = awayFor(history);
    expect(away).to.have.length.above(2);
    expect(Math.max(...away)).to.be.below(5_000);
    expect(history.settled - (history.strikes[0]?.struck ?? 0)).to.be.below(30_000);
  });
});
