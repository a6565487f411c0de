import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { workInSlices } from '../../server/database/turns.ts';

const node = { draining: false, isPressed: () => false };

async function slicesOf(
  app: Parameters<typeof workInSlices>[0],
  limit = Infinity,
): Promise<number> {
  let done = 0;
  await workInSlices(app, { usual: 1, pressed: 9 }, async () => {
    if (done === limit) return false;
    done += 1;
    await sleep(10);
    return true;
  });
  return done;
}

describe('work in slices', () => {
  it('ends when nothing is left or its turn ends', async () => {
    expect(await slicesOf(node, 3)).to.equal(3);
    expect(await slicesOf(node)).to.be.above(3);
  });

  it('rests longer while the machine is under pressure', async () => {
    const [usual, pressed] = [
      await slicesOf(node),
      await slicesOf({ ...node, isPressed: () => true }),
    ];
    expect(pressed).to.be.within(1, usual / 2);
  });

  it('begins no other slice on a node that stops', async () => {
    expect(await slicesOf({ ...node, draining: true })).to.equal(0);
  });
});
