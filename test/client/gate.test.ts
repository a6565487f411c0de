import { expect } from 'chai';
import fc from 'fast-check';
import { Gate, type Stretch } from '../../client/gate.ts';

const stretch = (from: number, to: number): Stretch => ({ from, to });

describe('the version gate', () => {
  it('applies what follows, and what overlaps', () => {
    const gate = new Gate();
    gate.enter(4);
    expect(gate.hear(stretch(4, 5))).to.deep.equal([stretch(4, 5)]);
    expect(gate.hear(stretch(3, 7))).to.deep.equal([stretch(3, 7)]);
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

  it('applies every version once and in order, however the stretches arrive', () => {
    const history = 30;
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: history - 1 }));
    const arrivals = cuts.chain((inner) => {
      const ends = [0, ...inner.sort((a, b) => a - b), history];
      const stretches = ends.slice(1).map((to, index) => stretch(ends[index] ?? 0, to));
      return fc.shuffledSubarray([...stretches, ...stretches], {
        minLength: stretches.length * 2,
      });
    });
    fc.assert(
      fc.property(arrivals, (order) => {
        const gate = new Gate();
        gate.enter(0);
        let version = 0;
        for (const heard of order)
          for (const { from, to } of gate.hear(heard)) {
            expect(from).to.be.at.most(version);
            expect(to).to.be.greaterThan(version);
            version = to;
          }
        expect(version).to.equal(history);
        expect(gate.waits).to.be.false;
      }),
    );
  });
});
