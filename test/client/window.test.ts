import { expect } from 'chai';
import fc from 'fast-check';
import * as windows from '../../client/messages/window.ts';

interface Row {
  id: string;
  position: number;
  version: number;
}
type Window = windows.TimelineWindow<Row>;

const row = (position: number, version = position): Row => ({
  id: `m${position}`,
  position,
  version,
});
const run = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index));
const positions = ({ rows }: Window) => rows.map(({ position }) => position);
const page = (from: number, to: number, more = { before: true, after: true }) => ({
  messages: run(from, to),
  more,
});
const inHistory = (from: number, to: number): Window => ({
  rows: run(from, to),
  reachesNewest: false,
});

describe('the window of a timeline', () => {
  it('is extended by the message just past its newest end', () => {
    const window = windows.merge(windows.newest(run(3, 5)), [row(6)]);
    expect(positions(window)).to.deep.equal([3, 4, 5, 6]);
  });

  it('starts with the first message of an empty timeline', () => {
    expect(positions(windows.merge(windows.newest<Row>([]), [row(1)]))).to.deep.equal([1]);
  });

  it('takes only a newer version of a row inside it', () => {
    const held = windows.newest(run(3, 5));
    expect(windows.merge(held, [row(4, 9)]).rows[1]).to.deep.equal(row(4, 9));
    expect(windows.merge(held, [row(4, 2)]).rows[1]).to.deep.equal(row(4));
  });

  it('drops what lies outside of it', () => {
    expect(positions(windows.merge(windows.newest(run(3, 5)), [row(2, 9)]))).to.deep.equal([
      3, 4, 5,
    ]);
    expect(positions(windows.merge(inHistory(3, 5), [row(6)]))).to.deep.equal([3, 4, 5]);
  });

  it('stays the same object if no row changes, so that nothing is rendered', () => {
    const held = windows.newest(run(3, 5));
    expect(windows.merge(held, [row(2, 9), row(4)])).to.equal(held);
    expect(windows.merge(held, [row(4, 9)])).to.not.equal(held);
    const past = inHistory(3, 5);
    expect(windows.merge(past, [row(6), row(9)])).to.equal(past);
  });

  it('no longer reaches the newest once a hole opens', () => {
    const window = windows.merge(windows.newest(run(3, 5)), [row(7), row(6)]);
    expect(positions(window)).to.deep.equal([3, 4, 5]);
    expect(window.reachesNewest).to.be.false;
    expect(windows.leavesHole(windows.newest(run(3, 5)), row(7))).to.be.true;
    expect(windows.leavesHole(windows.newest(run(3, 5)), row(6))).to.be.false;
  });

  it('grows by a page of older messages', () => {
    const window = windows.addPage(
      windows.newest(run(6, 8)),
      page(1, 5, { before: false, after: true }),
    );
    expect(positions(window)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(window.reachesNewest).to.be.true;
    expect(windows.reachesStart(window)).to.be.true;
  });

  it('grows by a page of newer messages, up to the newest', () => {
    const window = windows.addPage(inHistory(1, 3), page(4, 6, { before: true, after: false }));
    expect(positions(window)).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(window.reachesNewest).to.be.true;
  });

  it('reaches the newest end on an empty page', () => {
    const nothing = { messages: [], more: { before: true, after: false } };
    expect(windows.addPage(inHistory(1, 3), nothing).reachesNewest).to.be.true;
  });

  it('jumps to a page that does not touch it', () => {
    const window = windows.addPage(windows.newest(run(50, 60)), page(10, 20));
    expect(positions(window)).to.deep.equal(positions(inHistory(10, 20)));
    expect(window.reachesNewest).to.be.false;
  });

  it('merges changes that arrived during a request into its page', () => {
    const received = [row(7, 12), row(3, 11), row(6, 10)];
    const window = windows.addPage(
      inHistory(4, 4),
      page(1, 5, { before: false, after: false }),
      received,
    );
    expect(positions(window)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(window.rows[2]).to.deep.equal(row(3, 11));
  });

  it('drops rows far from the reading position', () => {
    const window = windows.newest(run(1, 9));
    expect(positions(windows.keepNear(window, Infinity, 3))).to.deep.equal([7, 8, 9]);
    expect(windows.keepNear(window, Infinity, 3).reachesNewest).to.be.true;
    expect(positions(windows.keepNear(window, 0, 3))).to.deep.equal([1, 2, 3]);
    expect(windows.keepNear(window, 0, 3).reachesNewest).to.be.false;
    expect(positions(windows.keepNear(window, 5, 3))).to.deep.equal([4, 5, 6]);
    expect(windows.keepNear(window, 5, 9)).to.equal(window);
  });

  it('drops nothing because of uncounted rows, and keeps them beside counted ones', () => {
    const window = windows.newest(run(1, 9));
    const counts = ({ position }: Row) => position < 3 || position > 7;
    const near = (position: number, count: number) =>
      positions(windows.keepNear(window, position, count, counts));
    expect(near(0, 4)).to.deep.equal(positions(window));
    expect(near(0, 2)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    expect(near(Infinity, 2)).to.deep.equal([8, 9]);
    expect(near(5, 2)).to.deep.equal([2, 3, 4, 5, 6, 7, 8]);
  });

  it('never has a hole and never goes back, after any changes and pages', () => {
    const received = fc.record({
      position: fc.integer({ min: 1, max: 30 }),
      version: fc.integer({ min: 1, max: 60 }),
    });
    const step = fc.oneof(
      fc.record({ rows: fc.array(received, { maxLength: 4 }) }),
      fc.record({ from: fc.integer({ min: 1, max: 30 }), length: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ keep: fc.integer({ min: 1, max: 12 }), near: fc.integer({ max: 40 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let window: Window = windows.newest(run(10, 12));
        for (const next of steps) {
          const before = window;
          if ('rows' in next) {
            window = windows.merge(
              window,
              next.rows.map((at) => row(at.position, at.version)),
            );
          } else if ('from' in next) {
            const messages = run(next.from, next.from + next.length - 1);
            window = windows.addPage(window, { messages, more: { before: true, after: true } });
          } else {
            window = windows.keepNear(window, next.near, next.keep);
          }
          const first = windows.firstPosition(window);
          expect(positions(window)).to.deep.equal(window.rows.map((_, index) => first + index));
          if ('rows' in next)
            for (const [index, held] of before.rows.entries())
              expect(window.rows[index]?.version).to.be.at.least(held.version);
        }
      }),
    );
  });
});
