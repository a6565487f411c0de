/** The length of folded text is bounded, so that no message costs the search index much more than another. */
import { expect } from 'chai';
import { contentOf } from '../../server/search/content.ts';
import { foldText } from '../../shared/folding.ts';
import { limits } from '../../shared/limits.ts';

describe('folded text', () => {
  it('is at most six times as long as the text, for every repeated character', () => {
    for (let code = 0x20; code < 0x30_000; code += 1) {
      const character = String.fromCodePoint(code);
      const length = foldText(character.repeat(100)).length;
      expect(length, code.toString(16)).to.be.at.most(600);
    }
  });

  it('keeps only the first single-character phrases of a text', () => {
    expect(foldText('محمد ﷺ')).to.equal('محمد صلي الله عليه وسلم');
    expect(foldText('ﷺ'.repeat(limits.body)).length).to.be.below(limits.body * 2);
  });

  it('is cut off at twice the longest message', () => {
    const { folded } = contentOf('㌖'.repeat(limits.body), null);
    expect(folded.length).to.equal(2 * limits.body);
    expect(folded.startsWith('キロメートル')).to.equal(true);
  });
});
