import { expect } from 'chai';
import fc from 'fast-check';
import { matcherOf } from '../../server/word-filter/matching.ts';

const find = (entries: string[], text: string) => matcherOf(entries)(text);

describe('the matching of a word filter', () => {
  it('finds whole words, in any case and with any accents', () => {
    for (const text of ['darn', 'Oh DARN!', 'dárn it', '(darn)', 'ｄａｒｎ', 'da\u200brn'])
      expect(find(['darn'], text), text).to.equal('darn');
    for (const text of ['darned', 'undarn', 'dar n', ''])
      expect(find(['darn'], text), text).to.equal(undefined);
    expect(find(['Dárn'], 'darn')).to.equal('Dárn');
  });

  it('finds words with markup inside them, and words joined by underscores', () => {
    for (const text of ['d**ar**n', '||da||rn', 'so_darn_good', '~~darn~~'])
      expect(find(['darn'], text), text).to.equal('darn');
  });

  it('finds phrases as consecutive words', () => {
    const phrase = 'buy now';
    for (const text of ['Buy now!', 'buy – now', 'go\nBUY\nNOW'])
      expect(find([phrase], text), text).to.equal(phrase);
    for (const text of ['buy it now', 'now buy', 'buy nowadays'])
      expect(find([phrase], text), text).to.equal(undefined);
    expect(find(['buy now*'], 'buy nowadays')).to.equal('buy now*');
  });

  it('finds words that begin with an entry ending in *', () => {
    for (const text of ['darn', 'darnation', 'Oh DARNED'])
      expect(find(['darn*'], text), text).to.equal('darn*');
    expect(find(['darn*'], 'undarned')).to.equal(undefined);
  });

  it('finds entries anywhere in scripts without spaces', () => {
    for (const text of ['来赌博吧', '来赌 博吧', '赌.博', '赌🎲博'])
      expect(find(['赌博'], text), text).to.equal('赌博');
    expect(find(['赌博!'], '赌博')).to.equal('赌博!');
    expect(find(['赌博'], '博赌')).to.equal(undefined);
  });

  it('ignores marks on letters, and the ids of people and channels', () => {
    for (const text of ['d\u20ddarn', 'd\u0489arn']) expect(find(['darn'], text)).to.equal('darn');
    const id = '019b8d0e-babe-7000-8000-000000001488';
    const entries = ['babe', '1488', '019*', '70*'];
    expect(find(entries, `Hi <@${id}>, see <#${id}>`)).to.equal(undefined);
    expect(find(entries, `Hi <@${id}> babe`)).to.equal('babe');
  });

  it('finds an entry in any text that contains one, among any other entries', () => {
    const word = fc.stringMatching(/^[a-zäø]{1,8}$/);
    const entry = fc.tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 20 }), fc.nat(), (made, which) => {
        const entries = made.map(([words, isOpen]) => words.join(' ') + (isOpen ? '*' : ''));
        const [words, isOpen] = made[which % made.length]!;
        const text = `so ${words.join(' ').toUpperCase()}${isOpen ? 'xyz' : ''} there`;
        expect(entries).to.include(find(entries, text));
      }),
    );
  });
});
