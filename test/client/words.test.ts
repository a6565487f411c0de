import { expect } from 'chai';
import { NoAnswer, words } from '../../client/words.ts';
import { ChatError, failures, type FailureCode } from '../../shared/failure.ts';

describe('the words for failures', () => {
  const said = 'Only the owner may do this. Ask them.';

  for (const code of Object.keys(failures) as FailureCode[])
    it(`UX-65 say what happened and what to do: ${code}`, () => {
      const text = words(new ChatError(code, said, { retryAfterMs: 4_000, requestId: 'r-17' }));
      expect(text).to.match(/^[A-Z].+\.$/);
      expect(text).to.match(/Try again|Ask them/);
      if (code === 'internal') expect(text).to.include('Reference r-17');
      if (code === 'rate_limited') expect(text).to.include('in 4 s');
    });

  it('UX-65 leave it to the server where waiting is no answer', () => {
    expect(words(new ChatError('rate_limited', said, { retryAfterMs: 80_000_000 }))).to.equal(said);
  });

  it('UX-65 say it of a lost answer and of a fault of the page, too', () => {
    expect(words(new NoAnswer('lost'))).to.equal('No connection to the server. Try again.');
    expect(words(new NoAnswer('late'))).to.equal('No answer from the server. Try again.');
    expect(words(new TypeError('x is undefined'))).to.match(/Reload and try again\.$/);
  });
});
