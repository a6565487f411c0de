import { expect } from 'chai';
import { current, documents } from '../scripts/docs.ts';
import { unnamed } from '../scripts/docs/specification.ts';

describe('documents', () => {
  for (const [document, fresh] of Object.entries(documents))
    it(`say what the code says; if not, run npm run docs: ${document}`, () => {
      expect(current(document)).to.equal(fresh());
    });

  it('name every command beside what the specification asks for', () => {
    expect(unnamed()).to.deep.equal([]);
  });
});
