import { expect } from 'chai';
import { forgetMost, onFileNode, readMemory } from '../bench/file-node.ts';
import { withCrowd } from '../bench/load-process.ts';
import { fileStores } from '../support/file-stores.ts';

for (const store of fileStores)
  describe(`twenty uploads of 25 MB at the same time, to ${store.name}`, () => {
    it('take at most 150 MB of memory', async function () {
      // Only Linux reports the peak memory of a process.
      if (process.platform !== 'linux') this.skip();
      await onFileNode(store, ({ url, timelineId, pid, settle }) =>
        withCrowd({ urls: [url], timelineIds: [timelineId] }, async (crowd) => {
          await crowd.enter(20);
          await forgetMost(pid);
          const before = await readMemory(pid);
          await crowd.upload({ timelineId }, 0);
          await settle();
          const after = await readMemory(pid);
          expect(before.now, 'MB').to.be.above(0);
          expect(after.peak - before.now, 'MB').to.be.below(150);
        }),
      );
    });
  });
