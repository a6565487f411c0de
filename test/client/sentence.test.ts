import { expect } from 'chai';
import { sentence } from '../../client/typing/sentence.ts';

const said = (...names: string[]) =>
  sentence(names)
    .map(({ text }) => text)
    .join('');

describe('who is typing, in a sentence', () => {
  it('names one to four', () => {
    expect(said()).to.equal('');
    expect(said('Ann')).to.equal('Ann is typing…');
    expect(said('Ann', 'Ben')).to.equal('Ann and Ben are typing…');
    expect(said('Ann', 'Ben', 'Cem', 'Dana')).to.equal('Ann, Ben, Cem and Dana are typing…');
  });

  it('names nobody from five on', () => {
    expect(said('Ann', 'Ben', 'Cem', 'Dana', 'Eve')).to.equal('Several people are typing…');
  });

  it('keeps names apart from what stands between', () => {
    expect(sentence(['A and B', 'C']).filter(({ isName }) => isName)).to.have.length(2);
  });
});
