/** Beside reference.test.ts: the standard's own parser takes a minute of a slow machine. */
import { Parser } from '@asyncapi/parser';
import { expect } from 'chai';
import { current } from '../scripts/docs.ts';

describe('the reference', () => {
  it('asyncapi.json is AsyncAPI 3', async function () {
    this.timeout(300_000);
    const { diagnostics } = await new Parser().parse(current('docs/reference/asyncapi.json'));
    expect(diagnostics.map(({ message, path }) => `${message}: ${path.join('.')}`)).to.deep.equal(
      [],
    );
  });
});
