import { expect } from 'chai';
import { waitBefore } from '../../client/sync/backoff.ts';

describe('the reconnect delay', () => {
  it('UX-15 grows each time, up to half a minute', () => {
    const longest = [0, 1, 2, 3, 4, 50].map((attempt) => waitBefore(attempt, 1));
    expect(longest).to.deep.equal([3_000, 4_500, 6_750, 10_125, 15_187.5, 30_000]);
  });

  it('UX-15 is random, so that clients spread out, but never zero', () => {
    const first = Array.from({ length: 200 }, () => waitBefore(0));
    expect(Math.min(...first)).to.be.at.least(1_000);
    expect(new Set(first.map((wait) => Math.floor(wait / 250))).size).to.be.above(4);
  });
});
