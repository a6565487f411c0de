/** Proves the checker: it catches every broken build. chaos.proof.ts shows that the correct build passes. */
import { expect } from 'chai';
import { check } from './check.ts';
import { runChaos } from './run.ts';
import { breakages, withBroken } from './broken.ts';

describe('chaos catches a build that', function () {
  this.slow(60_000);

  for (const breakage of breakages)
    it(breakage.rule, async () => {
      const plan = {
        seed: 1,
        seconds: 0,
        calmSeconds: 2,
        guests: 6,
        patience: 8_000,
        injections: [],
      };
      const ended = await withBroken(breakage, (program) =>
        runChaos({ ...plan, ...breakage.plan, program }),
      );
      const kinds = new Set(check(ended).map(({ kind }) => kind));
      expect([...kinds]).to.include.oneOf(breakage.as);
    });
});
