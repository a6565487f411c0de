/** Runs `npm run attack` for two minutes and asserts only promises that hold on a busy machine. */
import { expect } from 'chai';
import { lawSeed } from '../support/seed.ts';
import { longestTest } from '../support/time.ts';
import { attacks } from './attacks.ts';
import { whole } from './furnish.ts';
import { run } from './run.ts';
import { tableOf } from './table.ts';

/** Megabytes that a node can grow by, under all attacks at once. */
const maxMemory = 250;

describe(`all attacks at once on three nodes, by seed ${lawSeed}`, function () {
  this.timeout(2 * longestTest);
  this.slow(300_000);

  it('lose and reorder no acknowledged change of honest people, and exhaust no node’s memory', async () => {
    const lengths = { turns: 2, quiet: 20, attack: 40 };
    const report = await run({ seed: lawSeed, guests: 12, ...lengths, sizes: whole });
    // Waits are printed but not asserted, because other proofs run at the same time: `npm run attack` asserts them.
    process.stdout.write(`${tableOf(report)}\n`);
    expect(report.findings.map(({ text }) => text)).to.deep.equal([]);
    for (const { what, samples } of report.felt) {
      expect(samples.quiet, what).to.be.above(0);
      expect(samples.attack, what).to.be.above(0);
    }
    expect(Object.keys(report.counts)).to.have.members(Object.keys(attacks));
    for (const [name, { asked }] of Object.entries(report.counts))
      expect(asked, name).to.be.above(0);
    expect(report.parsed).to.be.above(0);
    expect(report.outages.map(({ what }) => what)).to.deep.equal([
      'PostgreSQL standby promoted',
      'PostgreSQL restored from a backup',
    ]);
    expect(report.lost, 'what was acknowledged after the backup').to.be.above(0);
    expect(report.counts['a large deletion']).to.include({ asked: lengths.turns });
    for (const [i, before] of report.memory.before.entries())
      expect((report.memory.peak[i] ?? Infinity) - before, `node ${i + 1}`).to.be.below(maxMemory);
  });
});
