import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Node } from '../../server/caller.ts';
import { query } from '../../server/database/database.ts';
import { every } from '../../server/node/timer.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/database.ts';
import { atLength } from '../support/length.ts';
import { openPlace } from '../support/place.ts';
import { withTableLock } from '../support/table-lock.ts';

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

  it('waits until statuses are sent and background work has finished', async () => {
    const app = await startPatientApp();
    const [ann, ben] = [await app.person(), await app.person()];
    await openPlace(ann, ben);
    for (const [table, stop] of [
      ['participants', () => app.node.presence.stop()],
      ['rooms', every(app.node, 1_000, 'test', () => readRooms(app))],
    ] as const) {
      const stopped: string[] = [];
      const { stopping } = await withTableLock(
        app.where,
        table,
        'access exclusive',
        async (blocked) => {
          ben.close();
          app.pass(10_000);
          await blocked();
          const stopping = stop().then(() => void stopped.push(table));
          await turn();
          expect(stopped).to.deep.equal([]);
          return { stopping };
        },
      );
      await stopping;
      expect(stopped).to.deep.equal([table]);
    }
    await app.close();
  });
});

const readRooms = async ({ node }: TestApp) =>
  void (await query(node.ownDb, 'select from rooms limit 1'));

const left = (nodes: WeakRef<Node>[]) => nodes.filter((node) => node.deref() !== undefined).length;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
