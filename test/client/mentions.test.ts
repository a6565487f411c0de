import { expect } from 'chai';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { mentionedIn, mentionOf } from '../../shared/mentions.ts';
import {
  spellingFor,
  spellingOf,
  toBody,
  toText,
  type Somebody,
} from '../../client/mentions/spelling.ts';
import { soughtAt, suggest, type MentionCandidate } from '../../client/mentions/suggest.ts';
import { atLength } from '../support/length.ts';

const person = (name: string, handle = `@u${v7().slice(-6)}`): Person => ({
  userId: v7(),
  name,
  handle,
});
type Person = Somebody;
const [ann, annLee, ben] = [person('Ann'), person('Ann Lee'), person('Ben')];
const [twin, otherTwin] = [person('Sam', '@sam'), person('Sam', '#1a2b')];
const everyone = [ann, annLee, ben, twin, otherTwin];
const spelling = spellingOf(everyone);
const who = (userId: string): Person => ({
  userId,
  name: 'Someone',
  handle: `#${userId.slice(-4)}`,
});
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

  it('is plain in code', () => {
    for (const text of ['`@Ben`', '```\n@Ben\n```', '``` @Ben'])
      expect(toBody(text, spelling)).to.equal(text);
    expect(toBody('`@Ben` @Ben', spelling)).to.equal(`\`@Ben\` ${id(ben)}`);
  });

  it('adds a handle to a name that two people share, and no id', () => {
    expect(toBody('@Sam', spelling)).to.equal('@Sam');
    expect(spellingFor(everyone, twin, {})).to.equal('Sam (sam)');
    expect(spellingFor(everyone, otherTwin, {})).to.equal('Sam (#1a2b)');
    expect(spellingFor(everyone, ben, {})).to.equal('Ben');
    expect(toBody('@Sam (sam), @Sam (#1a2b)!', spelling)).to.equal(
      `${id(twin)}, ${id(otherTwin)}!`,
    );
    const stranger = v7();
    const written = toText(`${id(twin)} ${mentionOf(stranger)}`, everyone, who);
    expect(written.text).to.equal('@Sam (sam) @Someone');
    expect(written.named).to.deep.equal({ 'Sam (sam)': twin.userId, Someone: stranger });
  });

  it('accepts a username, unless it is a person’s name', () => {
    const [eve, eva] = [person('Eve Novak', '@eve'), person('Eva', '@eva.n')];
    const all = [...everyone, eve, eva];
    const meant = (text: string, people = all) => toBody(text, spellingOf(people));
    expect(meant('@eve, @eva.n! @sam')).to.equal(`${id(eve)}, ${id(eva)}! ${id(twin)}`);
    expect(meant('@evelyn @Eve @1a2b')).to.equal('@evelyn @Eve @1a2b');
    const namesake = person('eve');
    expect(meant('@eve', [...all, namesake])).to.equal(id(namesake));
    expect(meant('@eve', [...all, namesake, person('eve')])).to.equal('@eve');
    const caller = person('everyone', '@here');
    expect(meant('@everyone @here', [...all, caller])).to.equal('@everyone @here');
    expect(spellingFor([caller], caller, {})).to.equal('everyone (here)');
    expect(meant('@everyone (here)', [caller])).to.equal(id(caller));
    const chosen = spellingOf(all, { eve: eva.userId });
    expect(toBody('@eve', chosen)).to.equal(id(eva));
  });

  it('lets nobody pass for another by a name that contains a handle', () => {
    const impostor = person('Sam (sam)', '@evil');
    const all = [...everyone, impostor];
    expect(spellingFor(all, twin, {})).to.equal('Sam (sam)');
    expect(spellingFor(all, impostor, {})).to.equal('Sam (sam) (evil)');
    for (const one of all) {
      const name = spellingFor(all, one, {}) ?? '';
      expect(toBody(`@${name}`, spellingOf(all))).to.equal(id(one));
    }
  });

  it('means the person it was chosen for, regardless of later names', () => {
    const named = { Mara: ann.userId };
    const now = spellingOf([person('Mara'), ben], named);
    expect(toBody('@Mara and @Ben', now)).to.equal(`${id(ann)} and ${id(ben)}`);
    const other = person('Mara', '@mara2');
    expect(spellingFor([other, ben], other, named)).to.equal('Mara (mara2)');
    expect(toBody('@Nobody', now)).to.equal('@Nobody');
  });

  it('becomes a mention only where Markdown renders one', () => {
    const now = spellingOf([ben]);
    for (const code of [
      '``@Ben``',
      '`a\n@Ben`',
      '````\n```\n@Ben\n```\n@Ben\n````',
      '- a\n  ```\n  @Ben\n  ```',
      '> ```js x\n> @Ben',
      '[@Ben](https://a.example)',
      '\\@Ben',
    ]) {
      expect(toBody(code, now), code).to.equal(code);
      const body = code.replaceAll('@Ben', id(ben));
      expect(mentionedIn(body), body).to.deep.equal([]);
      expect(toText(body, [ben], who).text, body).to.equal(body);
    }
    for (const text of ['> `\n@Ben`', '**@Ben**', '- `a\n- @Ben`'])
      expect(mentionedIn(toBody(text, now)), text).to.deep.equal([ben.userId]);
  });

  it('does not read all names again for each @', () => {
    let asked = 0;
    const crowd = Array.from({ length: 1_000 }, (_, i) => ({
      userId: v7(),
      handle: `@nobody${i}`,
      get name() {
        asked++;
        return `Nobody ${i}`;
      },
    }));
    const many = spellingOf(crowd);
    // A message renders only some hundred mentions; the others stay text.
    const mentions = crowd.slice(0, 200).map(id).join(' ');
    asked = 0;
    for (const text of ['@'.repeat(4_000), '@Nobody 4_000'.repeat(300)]) toBody(text, many);
    expect(toText(mentions, crowd, who).text).to.include('@Nobody 199');
    expect(asked).to.be.at.most(4 * crowd.length);
  });

  it('converts to the same body, for any body', () => {
    const word = fc.constantFrom(
      ...[ann, annLee, ben, twin, otherTwin].map(id),
      ...[mentionOf(v7()), '@Ann', '@Sam', '@Sam (sam)', ' (sam)', ' Lee', 'Lee', ' '],
      ...['`', '```', '\n', '@', '<', 'x', '\\', '``', '````', '- ', '\t', '> '],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const body = words.join('');
        const { text, named } = toText(body, everyone, who);
        expect(text === body || toBody(text, spellingOf(everyone, named)) === body).to.equal(true);
      }),
      { numRuns: atLength(300, 3_000) },
    );
    expect(toText(`Hi ${id(annLee)}!`, everyone, who).text).to.equal('Hi @Ann Lee!');
    // In code, nothing is a mention, so the mention beside it is still shown by name.
    const body = `${id(ben)} \`${id(ann)}\``;
    expect(toText(body, everyone, who).text).to.equal(`@Ben \`${id(ann)}\``);
  });
});

describe('suggestions for a mention', () => {
  it('are searched for after an @ at the caret that begins a word', () => {
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

  const called = (name: string, more: Partial<MentionCandidate> = {}): MentionCandidate => ({
    ...person(name),
    ...{ also: name, handle: '@x.bo', isAway: false },
    ...more,
  });

  it('match the beginning of a name or username, then of other names, regardless of accents and case', () => {
    const everyone = [
      called('Zoë Benn'),
      called('Bénédicte'),
      called('Red', { also: 'Benny' }),
      called('Al', { handle: '@ben.dover' }),
    ];
    const names = (letters: string) => suggest(everyone, letters, []).map(({ name }) => name);
    expect(names('BEN')).to.deep.equal(['Al', 'Bénédicte', 'Red', 'Zoë Benn']);
    expect(names('ben.d')).to.deep.equal(['Al']);
    expect(names('zoe')).to.deep.equal(['Zoë Benn']);
    expect(names('')).to.have.length(4);
    expect(names('bo')).to.have.length(3);
    expect(names('y')).to.deep.equal([]);
  });

  it('begin with the people who spoke last, then with those who are here', () => {
    const [away, first, last, quiet] = [
      called('Abe', { isAway: true }),
      called('Bea'),
      called('Cy', { isAway: true }),
      called('Dot'),
    ] as [MentionCandidate, MentionCandidate, MentionCandidate, MentionCandidate];
    const everyone = [away, first, last, quiet];
    const speakers = [last.userId, first.userId];
    expect(suggest(everyone, '', speakers)).to.deep.equal([last, first, quiet, away]);
    expect(suggest(everyone, '', [])).to.deep.equal([first, quiet, away, last]);
  });
});
