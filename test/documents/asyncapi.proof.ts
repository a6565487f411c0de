/** Apart from reference.test.ts, because the parser of the standard takes a minute on a slow machine. */
import { Parser } from '@asyncapi/parser';
import { expect } from 'chai';
import { freshAsyncApi } from '../../scripts/docs/asyncapi.ts';

describe('the reference', () => {
  it('asyncapi.json is AsyncAPI 3', async () => {
    const { diagnostics } = await new Parser().parse(freshAsyncApi());
    expect(diagnostics.map(({ message, path }) => `${message}: ${path.join('.')}`)).to.deep.equal(
      [],
    );
  });
});
