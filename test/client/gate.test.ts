import { expect } from 'chai';
import fc from 'fast-check';
import { Gate, type VersionRange } from '../../client/sync/version-gate.ts';

const stretch = (from: number, to: number): VersionRange => ({
  from,
  to,
  changes: Array.from({ length: to - from }, (_, i) => ({ version: from + 1 + i })),
});

describe('the version gate', () => {
  it('applies changes that follow, and the new part of overlapping ones', () => {
    const gate = new Gate();
    gate.reset(4);
    expect(gate.push(stretch(4, 5))).to.deep.equal([stretch(4, 5)]);
    expect(gate.push(stretch(3, 7))).to.deep.equal([stretch(5, 7)]);
    expect(gate.version).to.equal(7);
  });

  it('ignores known changes', () => {
    const gate = new Gate();
    gate.reset(4);
    expect(gate.push(stretch(2, 4))).to.be.empty;
    expect(gate.hasBuffered).to.be.false;
  });

  it('holds early changes until their predecessor arrives', () => {
    const gate = new Gate();
    gate.reset(4);
    expect(gate.push(stretch(6, 7))).to.be.empty;
    expect(gate.push(stretch(5, 6))).to.be.empty;
    expect(gate.hasBuffered).to.be.true;
    expect(gate.push(stretch(4, 5))).to.deep.equal([stretch(4, 5), stretch(5, 6), stretch(6, 7)]);
    expect(gate.hasBuffered).to.be.false;
  });

  it('keeps changes that arrive before the snapshot, and drops those that it contains', () => {
    const gate = new Gate();
    gate.push(stretch(3, 4));
    gate.push(stretch(4, 5));
    expect(gate.reset(4)).to.deep.equal([stretch(4, 5)]);
    expect(gate.version).to.equal(5);
  });

  it('waits for a new entry once closed, also at a lower version', () => {
    const gate = new Gate();
    gate.reset(9);
    gate.close();
    expect(gate.push(stretch(2, 3))).to.be.empty;
    expect(gate.reset(2)).to.deep.equal([stretch(2, 3)]);
  });

  it('applies every version once and in order, however the ranges arrive and overlap', () => {
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
        gate.reset(0);
        const applied = order.flatMap((changes) => gate.push(changes));
        const versions = applied.flatMap(({ changes }) => changes.map(({ version }) => version));
        expect(versions).to.deep.equal(single.map(({ to }) => to));
        expect(applied.map(({ from }) => from)).to.deep.equal([
          0,
          ...applied.slice(0, -1).map(({ to }) => to),
        ]);
        expect(gate.hasBuffered).to.be.false;
      }),
    );
  });
});
