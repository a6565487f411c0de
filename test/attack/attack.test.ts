/** `npm run attack`, short: that it takes place, and that honest people lose nothing by it. */
import { expect } from 'chai';
import { lawSeed } from '../support/seed.ts';
import { longestTest } from '../support/time.ts';
import { attacks } from './attacks.ts';
import { run } from './run.ts';

describe(`an attack on three nodes, by seed ${lawSeed}`, function () {
  this.timeout(2 * longestTest);
  this.slow(120_000);

  it('takes nothing from honest people of what was acknowledged, nor its order', async () => {
    const report = await run({
      seed: lawSeed,
      guests: 6,
      ...{ turns: 1, quiet: 5, attack: 8, share: 0.25 },
      sizes: { channels: 200, messagesEach: 10, members: 2_000, deletion: 20_000 },
    });
    expect(report.findings.map(({ text }) => text)).to.deep.equal([]);
    for (const { what, samples } of report.felt) {
      expect(samples.quiet, what).to.be.above(0);
      expect(samples.attack, what).to.be.above(0);
    }
    expect(Object.keys(report.counts)).to.have.members(Object.keys(attacks));
    for (const [name, { asked }] of Object.entries(report.counts))
      expect(asked, name).to.be.above(0);
    expect(report.counts['a large deletion']).to.include({ asked: 1, answered: 1 });
    expect(report.outages.map(({ what }) => what)).to.deep.equal([
      'PostgreSQL standby promoted',
      'PostgreSQL restored from a backup',
    ]);
    expect(report.lost, 'what was acknowledged after the backup').to.be.above(0);
    expect(report.parsed).to.be.above(0);
  });
});
