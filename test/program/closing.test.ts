import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Node } from '../../server/caller.ts';
import { startApp } from '../support/app.ts';
import { freshDatabase } from '../support/database.ts';
import { atLength } from '../support/length.ts';

/** Node.js itself keeps references to the last closed nodes. */
const few = 3;

describe('a node that is closed', () => {
  it('leaves nothing behind in its process, however many are closed', async () => {
    const where = await freshDatabase();
    const closed: WeakRef<Node>[] = [];
    for (let count = 0; count < atLength(25, 100); count += 1) {
      const app = await startApp({}, where);
      await app.person();
      await app.close();
      closed.push(new WeakRef(app.node));
    }
    // The last closed node can need some turns of the event loop until it is unreferenced.
    for (let turns = 0; turns < 50 && left(closed) > few; turns += 1) {
      await turn();
      collectGarbage();
    }
    expect(left(closed)).to.be.at.most(few);
  });
});

const left = (nodes: WeakRef<Node>[]) => nodes.filter((node) => node.deref() !== undefined).length;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
