import { expect } from 'chai';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { mentionOf } from '../../shared/mentions.ts';
import { spell, spellingOf, toBody, toText } from '../../client/mentions/spelling.ts';
import { soughtAt, suggest } from '../../client/mentions/suggest.ts';
import { atLength } from '../support/length.ts';

const person = (name: string) => ({ userId: v7(), name });
const [ann, annLee, ben, twin, otherTwin] = ['Ann', 'Ann Lee', 'Ben', 'Sam', 'Sam'].map(person) as [
  Person,
  Person,
  Person,
  Person,
  Person,
];
type Person = ReturnType<typeof person>;
const spelling = spellingOf([ann, annLee, ben, twin, otherTwin]);
const id = ({ userId }: Person) => mentionOf(userId);

describe('the spelling of mentions', () => {
  it('is a name behind an @, the longest that fits, and as a word of its own', () => {
    const bodies: [text: string, body: string][] = [
      ['@Ben', id(ben)],
      ['(@Ben, @Ann!)', `(${id(ben)}, ${id(ann)}!)`],
      ['@Ann Lee and @Ann Leeward', `${id(annLee)} and ${id(ann)} Leeward`],
      ['@Benjamin, @ben, ann@Ben.org', '@Benjamin, @ben, ann@Ben.org'],
      ['@@Ben', `@${id(ben)}`],
    ];
    for (const [text, body] of bodies) expect(toBody(text, spelling)).to.equal(body);
  });

  it('is no name in code', () => {
    for (const text of ['`@Ben`', '```\n@Ben\n```', '``` @Ben'])
      expect(toBody(text, spelling)).to.equal(text);
    expect(toBody('`@Ben` @Ben', spelling)).to.equal(`\`@Ben\` ${id(ben)}`);
  });

  it('is an id where two have the same name, and where nobody is known', () => {
    expect(toBody('@Sam', spelling)).to.equal('@Sam');
    expect(spell(spelling, twin)).to.equal(id(twin));
    expect(spell(spelling, ben)).to.equal('@Ben');
    const body = `${id(twin)} ${mentionOf(v7())}`;
    expect(toText(body, spelling)).to.equal(body);
  });

  it('asks nobody for their name again with each @', () => {
    let asked = 0;
    const crowd = Array.from({ length: 1_000 }, (_, i) => ({
      userId: v7(),
      get name() {
        asked++;
        return `Nobody ${i}`;
      },
    }));
    const many = spellingOf(crowd);
    const mentions = crowd.map(id).join(' ');
    asked = 0;
    for (const text of ['@'.repeat(4_000), '@Nobody 4_000'.repeat(300)]) toBody(text, many);
    expect(toText(mentions, many)).to.include('@Nobody 999');
    expect(asked).to.be.at.most(2 * crowd.length);
  });

  it('leads back to the same body, whatever that is', () => {
    const word = fc.constantFrom(
      ...[ann, annLee, ben, twin].map(id),
      ...['@Ann', '@Sam', ' Lee', 'Lee', ' ', '`', '```', '\n', '@', '<', 'x'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const body = words.join('');
        const text = toText(body, spelling);
        expect(text === body || toBody(text, spelling) === body).to.equal(true);
      }),
      { numRuns: atLength(300, 3_000) },
    );
    expect(toText(`Hi ${id(annLee)}!`, spelling)).to.equal('Hi @Ann Lee!');
  });
});

describe('whom one may mean', () => {
  it('is sought behind an @ at the caret, which begins a word', () => {
    expect(soughtAt('Hi @be', 6)).to.deep.equal({ at: 3, letters: 'be' });
    expect(soughtAt('@', 1)).to.deep.equal({ at: 0, letters: '' });
    expect(soughtAt('Hi @be there', 6)).to.deep.equal({ at: 3, letters: 'be' });
    for (const [text, caret] of [
      ['a@b', 3],
      ['@ben ', 5],
      ['Hi', 2],
      ['<@ben', 5],
    ] as const)
      expect(soughtAt(text, caret)).to.equal(undefined);
  });

  it('is whose name begins so, then whose other names do; accents and case aside', () => {
    const called = (name: string, also = name) => ({ ...person(name), also, handle: '@x.bo' });
    const everyone = [
      called('Zoë Benn'),
      called('Bénédicte'),
      called('Red', 'Benny'),
      called('Al'),
    ];
    const names = (letters: string) => suggest(everyone, letters).map(({ name }) => name);
    expect(names('BEN')).to.deep.equal(['Bénédicte', 'Zoë Benn', 'Red']);
    expect(names('zoe')).to.deep.equal(['Zoë Benn']);
    expect(names('')).to.have.length(4);
    expect(names('bo')).to.have.length(4);
    expect(names('y')).to.deep.equal([]);
  });
});
