/** The correct build keeps all promises under every fault that exposes a broken build. Short form: short.test.ts. */
import { expect } from 'chai';
import { check } from './check.ts';
import { isRunKept, chaosReportOf } from './report.ts';
import { runChaos } from './run.ts';
import { verdictOfRuns } from './table.ts';
import { lawSeed } from '../support/seed.ts';
import { longestTest } from '../support/time.ts';
import { breakages } from './broken.ts';
import { awayFor } from './away.ts';

describe(`chaos, by seed ${lawSeed}`, function () {
  this.timeout(2 * longestTest);
  this.slow(120_000);
  const plan = { seed: lawSeed, seconds: 0, calmSeconds: 6, guests: 8 };

  it('breaks no promise under the faults that expose broken builds', async () => {
    const injections = breakages.flatMap(({ plan }) => plan.injections ?? []);
    const ended = await runChaos({ ...plan, injections });
    const report = chaosReportOf(ended.history, check(ended));
    expect(report.findings.map(({ text }) => text)).to.deep.equal([]);
    expect(isRunKept(report), verdictOfRuns([report])).to.equal(true);
  });

  it('finds nobody away for more than three seconds while the nodes are restarted in turn', async () => {
    const injections = [{ faults: ['rolling restart' as const], quietly: false }];
    const ended = await runChaos({ ...plan, injections });
    expect(check(ended).map(({ text }) => text)).to.deep.equal([]);
    expect(ended.history.injections[0]?.fired).to.deep.equal({ 'rolling restart': 3 });
    const away = awayFor(ended.history);
    expect(away).to.have.length.above(8);
    expect(Math.max(...away)).to.be.below(3_000);
  });

  it('finds clients of a killed node back in five seconds, and those that stay away gone in thirty', async () => {
    const injections = [{ faults: ['node killed' as const], quietly: true }];
    const ended = await runChaos({ ...plan, injections });
    expect(check(ended).map(({ text }) => text)).to.deep.equal([]);
    const { history } = ended;
    expect(history.present).to.have.length(10);
    const away = awayFor(history);
    expect(away).to.have.length.above(2);
    expect(Math.max(...away)).to.be.below(5_000);
    expect(history.settled - (history.injections[0]?.injected ?? 0)).to.be.below(30_000);
  });
});
