import { expect } from 'chai';
import { handleOf } from '../../client/people/looks.ts';
import { looksOf as look, skeletonOf } from '../../server/people/skeletons.ts';

describe('the look of a name', () => {
  it('is the same for names that can be confused', () => {
    for (const [name, ...others] of [
      // Cyrillic, whole; a capital i; a digit one; other case and spaces.
      ['Alice', 'аӏісе', 'Аӏісе', 'AIice', 'A1ice', 'ALICE', 'a lice', 'Αlice'],
      ['Marnie', 'Mamie', 'MARNlE'],
      ['Bob 🦊', 'B0b🦊', 'Вoᖯ 🦊'],
    ])
      for (const other of others) expect(look(other), other).to.equal(look(name ?? ''));
  });

  it('differs for names that cannot be confused', () => {
    const names = ['Alice', 'Alicia', 'Alex', 'Анна', 'Anna', 'Alicé', '山田', '山口', 'Alice!'];
    expect(new Set(names.map(look)).size).to.equal(names.length);
  });

  it('is given only for names that differ from their look', () => {
    for (const name of ['Alice', 'José', 'Zoë 🦊', '山田 太郎', 'm1I0', null])
      expect(skeletonOf(name), name ?? 'none').to.deep.equal({});
    expect(skeletonOf('аӏісе')).to.deep.equal({ skeleton: 'aiice' });
  });
});

describe('the handle of a person', () => {
  it('is the username, or the end of the id', () => {
    const person = { id: '01a202fe-061f-73b4-beb1-e32ef73c85d6', name: 'Ann', rev: 1 };
    expect(handleOf({ ...person, kind: 'registered', username: 'ann' })).to.equal('@ann');
    expect(handleOf({ ...person, kind: 'guest' })).to.equal('#85d6');
  });
});
