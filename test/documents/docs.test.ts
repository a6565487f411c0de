import { expect } from 'chai';
import { current, freshDocuments } from '../../scripts/docs.ts';

describe('documents', () => {
  for (const [document, fresh] of Object.entries(freshDocuments))
    it(`match the code; if not, run npm run docs: ${document}`, () => {
      expect(current(document)).to.equal(fresh());
    });
});
