import { expect } from 'chai';
import { inWords, termsOf } from '../../client/servers/terms.ts';
import { errorText } from '../../client/ui/error-text.ts';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError, failures, type FailureCode } from '../../shared/failure.ts';
import type { Invite } from '../../shared/invites.ts';

describe('error texts', () => {
  const said = 'Only the owner may do this. Ask them.';

  for (const code of Object.keys(failures) as FailureCode[])
    it(`UX-65 say what happened and what to do: ${code}`, () => {
      const text = errorText(new ChatError(code, said, { retryAfterMs: 4_000, requestId: 'r-17' }));
      expect(text).to.match(/^[A-Z].+\.$/);
      expect(text).to.match(/Try again|Ask them/);
      if (code === 'internal') expect(text).to.include('Reference r-17');
      if (code === 'rate_limited') expect(text).to.include('in 4 s');
    });

  it('UX-65 are the server’s if waiting does not help', () => {
    expect(errorText(new ChatError('rate_limited', said, { retryAfterMs: 80_000_000 }))).to.equal(
      said,
    );
  });

  it('UX-65 cover a lost answer and a fault of the page, too', () => {
    expect(errorText(new NoResponse('lost'))).to.equal('No connection to the server. Try again.');
    expect(errorText(new NoResponse('late'))).to.equal('No answer from the server. Try again.');
    expect(errorText(new TypeError('x is undefined'))).to.match(/Reload and try again\.$/);
  });
});

describe('invite texts', () => {
  const now = Date.parse('2026-11-23T12:00:00.000Z');
  const invite = (hours: number | null, maxUses: number | null, uses = 0): Invite => ({
    ...{ code: 'InviteCode1', serverId: 's1', createdBy: 'ann', maxUses, uses, guests: true },
    createdAt: new Date(now).toISOString(),
    expiresAt: hours === null ? null : new Date(now + hours * 3_600_000).toISOString(),
  });

  it('say how long and how often one can be used', () => {
    expect(inWords(invite(7 * 24, null), now)).to.equal('Expires in 7 days');
    expect(inWords(invite(6 * 24 + 1, null), now)).to.equal('Expires in 6 days');
    expect(inWords(invite(24, 1), now)).to.equal('Expires in 1 day, 1 use');
    expect(inWords(invite(null, 10), now)).to.equal('Never expires, 10 uses');
    const closed = { ...invite(null, null), guests: false };
    expect(inWords(closed, now)).to.equal('Never expires, no guests');
    expect(termsOf(closed, now)).to.equal('No guests · not used yet · never expires');
  });

  it('say how often one was used, in natural wording', () => {
    const used = (...of: Parameters<typeof invite>) => termsOf(invite(...of), now);
    expect(used(null, null)).to.equal('Not used yet · never expires');
    expect(used(24, null, 1)).to.equal('Used once · 24 h left');
    expect(used(72, null, 2)).to.equal('Used 2 times · 3 days left');
    expect(used(0, 1)).to.equal('0 of 1 use · expired');
  });
});
