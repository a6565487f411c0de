import { expect } from 'chai';
import fc from 'fast-check';
import { emptySlice, removeRow, replaceAll, upsert, type Slice } from '../../client/sync/rows.ts';

interface Row {
  version: number;
  text: string;
}
const row = (version: number, text = `v${version}`): Row => ({ version, text });

describe('merging rows', () => {
  it('takes a newer row and refuses an older or equal one', () => {
    const slice = emptySlice<Row>();
    expect(upsert(slice, 'a', row(2))).to.be.true;
    expect(upsert(slice, 'a', row(1))).to.be.false;
    expect(upsert(slice, 'a', row(2, 'again'))).to.be.false;
    expect(slice.rows.get('a')).to.deep.equal(row(2));
  });

  it('never brings back a row that was removed later', () => {
    const slice = emptySlice<Row>();
    upsert(slice, 'a', row(1));
    removeRow(slice, 'a', 3);
    expect(upsert(slice, 'a', row(2))).to.be.false;
    expect(slice.rows.has('a')).to.be.false;
    expect(upsert(slice, 'a', row(4))).to.be.true;
  });

  it('does not remove a row that came back since', () => {
    const slice = emptySlice<Row>();
    upsert(slice, 'a', row(5));
    expect(removeRow(slice, 'a', 4)).to.be.false;
    expect(slice.rows.has('a')).to.be.true;
  });

  it('is replaced as a whole by a snapshot', () => {
    const slice = emptySlice<Row>();
    upsert(slice, 'a', row(9));
    removeRow(slice, 'b', 9);
    replaceAll(slice, [['b', row(3)]]);
    expect([...slice.rows]).to.deep.equal([['b', row(3)]]);
  });

  it('ends the same, regardless of the order and repetition of changes', () => {
    const kinds = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), gone: fc.boolean() }), {
      maxLength: 20,
    });
    const histories = kinds.chain((changes) => {
      const numbered = changes.map((change, index) => ({ ...change, version: index + 1 }));
      return fc.tuple(
        fc.constant(numbered),
        fc.shuffledSubarray([...numbered, ...numbered], { minLength: numbered.length * 2 }),
      );
    });
    interface Change {
      id: string;
      gone: boolean;
      version: number;
    }
    const play = (slice: Slice<Row>, { id, gone, version }: Change) =>
      gone ? removeRow(slice, id, version) : upsert(slice, id, row(version));
    fc.assert(
      fc.property(histories, ([inOrder, shuffled]) => {
        const expected = emptySlice<Row>();
        const actual = emptySlice<Row>();
        for (const change of inOrder) play(expected, change);
        for (const change of shuffled) play(actual, change);
        expect(new Map([...actual.rows].sort())).to.deep.equal(new Map([...expected.rows].sort()));
      }),
    );
  });
});
