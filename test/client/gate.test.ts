import { expect } from 'chai';
import fc from 'fast-check';
import { Gate, type Stretch } from '../../client/sync/version-gate.ts';

const stretch = (from: number, to: number): Stretch => ({
  from,
  to,
  changes: Array.from({ length: to - from }, (_, i) => ({ version: from + 1 + i })),
});

describe('the version gate', () => {
  it('applies what follows, and of what overlaps that which is new', () => {
    const gate = new Gate();
    gate.enter(4);
    expect(gate.hear(stretch(4, 5))).to.deep.equal([stretch(4, 5)]);
    expect(gate.hear(stretch(3, 7))).to.deep.equal([stretch(5, 7)]);
    expect(gate.version).to.equal(7);
  });

  it('ignores what is known', () => {
    const gate = new Gate();
    gate.enter(4);
    expect(gate.hear(stretch(2, 4))).to.be.empty;
    expect(gate.waits).to.be.false;
  });

  it('holds what is early until its predecessor comes', () => {
    const gate = new Gate();
    gate.enter(4);
    expect(gate.hear(stretch(6, 7))).to.be.empty;
    expect(gate.hear(stretch(5, 6))).to.be.empty;
    expect(gate.waits).to.be.true;
    expect(gate.hear(stretch(4, 5))).to.deep.equal([stretch(4, 5), stretch(5, 6), stretch(6, 7)]);
    expect(gate.waits).to.be.false;
  });

  it('keeps what comes before the room was entered, and then drops what the snapshot has', () => {
    const gate = new Gate();
    gate.hear(stretch(3, 4));
    gate.hear(stretch(4, 5));
    expect(gate.enter(4)).to.deep.equal([stretch(4, 5)]);
    expect(gate.version).to.equal(5);
  });

  it('once closed, waits for a new entry, also into an older life of the room', () => {
    const gate = new Gate();
    gate.enter(9);
    gate.close();
    expect(gate.hear(stretch(2, 3))).to.be.empty;
    expect(gate.enter(2)).to.deep.equal([stretch(2, 3)]);
  });

  it('applies every version once and in order, however the stretches arrive and overlap', () => {
    const history = 30;
    const overlapping = fc
      .tuple(fc.nat(history - 1), fc.integer({ min: 1, max: 6 }))
      .map(([from, length]) => stretch(from, Math.min(from + length, history)));
    const single = Array.from({ length: history }, (_, from) => stretch(from, from + 1));
    const arrivals = fc.array(overlapping, { maxLength: history }).chain((some) => {
      const all = [...some, ...single];
      return fc.shuffledSubarray(all, { minLength: all.length });
    });
    fc.assert(
      fc.property(arrivals, (order) => {
        const gate = new Gate();
        gate.enter(0);
        const applied = order.flatMap((heard) => gate.hear(heard));
        const versions = applied.flatMap(({ changes }) => changes.map(({ version }) => version));
        expect(versions).to.deep.equal(single.map(({ to }) => to));
        expect(applied.map(({ from }) => from)).to.deep.equal([
          0,
          ...applied.slice(0, -1).map(({ to }) => to),
        ]);
        expect(gate.waits).to.be.false;
      }),
    );
  });
});
