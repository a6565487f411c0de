import { expect } from 'chai';
import { openRenewal } from '../../server/database/renewal.ts';

describe('the connections of a pool', () => {
  const begin = () => {
    let [now, tried] = [0, 0];
    const renewal = openRenewal(
      () => (tried += 1),
      () => now,
    );
    return { renewal, after: (ms: number) => (now += ms), tried: () => tried };
  };

  it('are not used until one opens', () => {
    expect(begin().renewal.canUse()).to.equal(false);
  });

  it('stay usable if a new one opens every few seconds', () => {
    const { renewal, after, tried } = begin();
    renewal.made();
    for (let asked = 0; asked < 600; asked += 1) {
      after(100);
      const before = tried();
      expect(renewal.canUse()).to.equal(true);
      if (tried() > before) renewal.made();
    }
    expect(tried()).to.be.within(10, 15);
  });

  it('are unusable after ten seconds without a new one', () => {
    const { renewal, after, tried } = begin();
    renewal.made();
    after(9_999);
    expect([renewal.canUse(), renewal.canUse(), tried()]).to.deep.equal([true, true, 1]);
    after(2);
    expect([renewal.canUse(), renewal.canUse()]).to.deep.equal([false, false]);
    renewal.made();
    expect(renewal.canUse()).to.equal(true);
  });
});
