import { expect } from 'chai';
import { fileStores } from '../support/file-stores.ts';
import { runKilled } from './run.ts';

for (const { name: where, open } of fileStores)
  describe(`files in ${where}, with nodes and a database killed`, () => {
    it('are complete if a message has them, and deleted if none does', async () => {
      const store = await open();
      try {
        const { findings, wentOn } = await runKilled({
          store,
          uploaders: 4,
          faults: [
            ...(['a node', 'database', 'the other node', 'database and a node'] as const),
            ...(['both nodes', 'database at a finish'] as const),
            ...(where === 'S3' ? (['both nodes at a move'] as const) : []),
          ],
          more: 20,
          timeoutS: 60,
        });
        expect(findings).to.deep.equal([]);
        expect(wentOn, 'went on elsewhere').to.be.above(0);
      } finally {
        await store.close();
      }
    });
  });
