import { expect } from 'chai';
import { currentReadme, freshReadme } from '../scripts/docs.ts';

describe('documents', () => {
  it('say what the code says; if not, run npm run docs', () => {
    expect(currentReadme()).to.equal(freshReadme());
  });
});
