import { expect } from 'chai';
import fc from 'fast-check';
import { lastPlace, moveTo, type Placed } from '../../shared/order.ts';

const at = (...positions: number[]): Placed[] =>
  positions.map((position, i) => ({ id: `${i}`, position }));

function moved(all: Placed[], id: string, wanted: number): Placed[] {
  const now = all.find((one) => one.id === id)?.position;
  const others = all.filter((one) => one.id !== id);
  const { position, renumbered } = moveTo(others, wanted, now);
  const renumberedById = new Map(renumbered.map((one) => [one.id, one]));
  return [...others.map((one) => renumberedById.get(one.id) ?? one), { id, position }].sort(
    (a, b) => a.position - b.position,
  );
}
const ids = (all: Placed[]) => all.map(({ id }) => id).join('');

describe('a manual order', () => {
  it('moves an item before the one at the position, to the top, or to the bottom', () => {
    const all = at(1, 2, 3);
    expect(ids(moved(all, '2', 2))).to.equal('021');
    expect(ids(moved(all, '2', 1))).to.equal('201');
    expect(ids(moved(all, '0', 3))).to.equal('102');
    expect(ids(moved(all, '0', 4))).to.equal('120');
    expect(ids(moved(all, '0', 1e9))).to.equal('120');
    expect(ids(moved(all, '2', -1e9))).to.equal('201');
    expect(lastPlace([])).to.equal(1);
    expect(lastPlace(all)).to.equal(4);
  });

  it('leaves an item unchanged that is already in place', () => {
    for (const wanted of [2, 1.5, 2.25])
      expect(moveTo(at(1, 3), wanted, 2)).to.deep.equal({ position: 2, renumbered: [] });
    const once = moveTo(at(1, 2), 2, 9);
    expect(moveTo(at(1, 2), 2, once.position)).to.deep.equal(once);
  });

  it('always has room between two items, by renumbering when there is none', () => {
    let all = at(1, 2, 3);
    for (let round = 0; round < 300; round += 1) {
      const [first, second, third] = all.map(({ id }) => id);
      all = moved(all, third!, all[1]!.position);
      expect(ids(all)).to.equal(`${first}${third}${second}`);
    }
    // No floating-point number lies between these two.
    expect(moveTo(at(1, 1 + 2 ** -52, 3), 1 + 2 ** -52)).to.deep.equal({
      position: 1.5,
      renumbered: [{ id: '1', position: 2 }],
    });
  });

  it('equals a list with the same removals and insertions, after any moves', () => {
    const moves = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 200 });
    fc.assert(
      fc.property(moves, (made) => {
        let all = at(1, 2, 3, 4, 5, 6);
        let list = ids(all).split('');
        for (const [which, to] of made) {
          const id = `${which}`;
          const target = all[to]!;
          all = moved(all, id, target.position);
          if (target.id !== id) {
            list = list.filter((one) => one !== id);
            list.splice(list.indexOf(target.id), 0, id);
          }
          expect(ids(all)).to.equal(list.join(''));
          expect(new Set(all.map(({ position }) => position)).size).to.equal(6);
        }
      }),
    );
  });
});
