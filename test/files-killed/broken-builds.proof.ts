import { expect } from 'chai';
import { withBroken } from '../chaos/broken.ts';
import { fileStores } from '../support/file-stores.ts';
import { fileBreakages } from './broken.ts';
import { runKilled } from './run.ts';

describe('killing nodes amid uploads catches a build that', function () {
  this.slow(30_000);

  for (const { store: where, as, ...breakage } of fileBreakages)
    it(breakage.rule, async () => {
      const store = await fileStores.find(({ name }) => name === where)!.open();
      try {
        const { findings } = await withBroken(breakage, (program) =>
          runKilled({ ...breakage, store, program, more: 0 }),
        );
        expect(findings).to.include(as);
      } finally {
        await store.close();
      }
    });
});
