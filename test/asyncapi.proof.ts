/** Beside reference.test.ts: the standard's own parser takes a minute of a slow machine. */
import { Parser } from '@asyncapi/parser';
import { expect } from 'chai';
import { freshAsyncApi } from '../scripts/docs/asyncapi.ts';

describe('the reference', () => {
  it('asyncapi.json is AsyncAPI 3', async () => {
    const { diagnostics } = await new Parser().parse(freshAsyncApi());
    expect(diagnostics.map(({ message, path }) => `${message}: ${path.join('.')}`)).to.deep.equal(
      [],
    );
  });
});
