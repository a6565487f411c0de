/** Folding text for a search makes it little longer, so that a message costs the index no more than another. */
import { expect } from 'chai';
import { contentOf } from '../server/search/content.ts';
import { foldText } from '../shared/folding.ts';
import { limits } from '../shared/limits.ts';

describe('folded text', () => {
  it('is at most six times as long as the longest message, whatever character repeats', () => {
    for (let code = 0x20; code < 0x30_000; code += 1) {
      const character = String.fromCodePoint(code);
      const length = foldText(character.repeat(100)).length;
      expect(length, code.toString(16)).to.be.at.most(600);
    }
  });

  it('keeps the phrases that are one character, a few of them in each text', () => {
    expect(foldText('محمد ﷺ')).to.equal('محمد صلي الله عليه وسلم');
    expect(foldText('ﷺ'.repeat(limits.body)).length).to.be.below(limits.body * 2);
  });

  it('is cut off where it would be much longer than any message', () => {
    const { folded } = contentOf('㌖'.repeat(limits.body), null);
    expect(folded.length).to.equal(2 * limits.body);
    expect(folded.startsWith('キロメートル')).to.equal(true);
  });
});
