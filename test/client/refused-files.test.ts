import { expect } from 'chai';
import { sortOut } from '../../client/files/refused.ts';

const file = (name: string, size = 1) => ({ name, size });
const sort = (...files: { name: string; size: number }[]) =>
  sortOut(files, { maxBytes: 25_000_000, room: 10 });
const megabytes = (count: number) => count * 1_000_000;

describe('chosen files that cannot be attached', () => {
  it('are each named with the reason, in one notice', () => {
    const files = [file('empty.txt', 0), file('film.mov', megabytes(30)), file('plan.png')];
    expect(sort(...files)).to.deep.equal({
      fitting: [file('plan.png')],
      refused: '“empty.txt” is empty. “film.mov” is larger than 25 MB.',
    });
  });

  it('are counted where they are many', () => {
    const large = Array.from({ length: 5 }, (_, i) => file(`${i}.mov`, megabytes(30)));
    expect(sort(...large).refused).to.equal(
      '“0.mov”, “1.mov”, “2.mov”, and 2 more are larger than 25 MB.',
    );
    const many = Array.from({ length: 12 }, (_, i) => file(`${i}.txt`));
    const { fitting, refused } = sort(...many);
    expect(fitting).to.have.length(10);
    expect(refused).to.equal(
      'A message can have up to 10 files, so “10.txt” and “11.txt” didn’t fit.',
    );
  });

  it('are none if all fit, and all if uploads are off', () => {
    expect(sort(file('a'), file('b', megabytes(25))).refused).to.equal(undefined);
    const { fitting, refused } = sortOut([file('a')], { maxBytes: 0, room: 10 });
    expect([fitting.length, refused]).to.deep.equal([0, 'Uploads are turned off on this server.']);
  });
});
