import { expect } from 'chai';
import { passwordError, registrationErrors, usernameError } from '../../client/accounts/rules.ts';
import { usernameLike } from '../../client/accounts/username-like.ts';
import { waitBefore } from '../../client/sync/backoff.ts';
import { groupByStatus } from '../../client/members/groups.ts';
import { codeIn, pathTo, placeAt } from '../../client/routes/routes.ts';
import { dayAndClockAhead, dayName } from '../../client/ui/dates.ts';
import { initials } from '../../client/ui/initials.ts';
import { errorText } from '../../client/ui/error-text.ts';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError } from '../../shared/failure.ts';

describe('the initials of a name', () => {
  it('are the first characters of one or two words, as a reader counts', () => {
    expect(initials('Sofia Almeida')).to.equal('SA');
    expect(initials('田中 美咲')).to.equal('田');
    expect(initials('ليلى حداد')).to.equal('ل');
    expect(initials('pieter')).to.equal('P');
    expect(initials('👩‍👩‍👧‍👦 Family')).to.equal('F');
    expect(initials('👩‍👩‍👧‍👦')).to.equal('👩‍👩‍👧‍👦');
    expect(initials('')).to.equal('');
  });
});

describe('addresses of places', () => {
  it('convert to a place and back', () => {
    for (const path of ['/', '/join/abc123', '/s/1', '/s/1/2'])
      expect(pathTo(placeAt(path))).to.equal(path);
    expect(placeAt('/x/y')).to.deep.equal({ page: 'nowhere' });
  });

  it('contain the code of an invite', () => {
    expect(codeIn(' abc123 ')).to.equal('abc123');
    expect(codeIn('https://chat.example/join/abc123')).to.equal('abc123');
    expect(codeIn('https://chat.example/s/1')).to.be.undefined;
    expect(codeIn('a b')).to.be.undefined;
  });
});

describe('errors in words', () => {
  it('say when to try again, and include the reference', () => {
    expect(errorText(new ChatError('rate_limited', '', { retryAfterMs: 2_100 }))).to.contain(
      'in 3 s',
    );
    expect(errorText(new ChatError('internal', '', { requestId: '7f3a91' }))).to.contain('7f3a91');
    expect(errorText(new NoResponse('lost'))).to.equal('No connection to the server. Try again.');
    expect(errorText(new TypeError('x'))).not.to.contain('x is');
  });
});

describe('form validation', () => {
  it('report all errors at once', () => {
    const errors = registrationErrors({ username: 'Jo Nas', displayName: '', password: '1234567' });
    expect(errors).to.have.keys('username', 'password');
    expect(errors.password).to.match(/^Too short: use at least 8/);
  });

  it('accept input that the server accepts', () => {
    expect(usernameError('Jonas.L')).to.be.undefined;
    expect(passwordError('🐎🔋🖇️ a staple')).to.be.undefined;
  });
});

describe('a suggested username', () => {
  it('has its letters without accents, and replaces letters such as æ', () => {
    for (const [name, like] of [
      ['Zoë van Dam', 'zoe.van.dam'],
      ['Cem Aydın', 'cem.aydin'],
      ['İlker', 'ilker'],
      ['Søren Æbelø', 'soren.aebelo'],
      ['Łukasz Groß', 'lukasz.gross'],
      ['  A -- B!', 'a.b'],
      ['ليلى', ''],
    ] as const)
      expect(usernameLike(name), name).to.equal(like);
  });
});

describe('the reconnect delay', () => {
  it('is 1 to 3 s at first and never more than 30', () => {
    expect([waitBefore(0, 0), waitBefore(0, 1)]).to.deep.equal([1_000, 3_000]);
    expect(waitBefore(99, 1)).to.equal(30_000);
    expect(waitBefore(99, 0)).to.equal(10_000);
  });
});

describe('the member list', () => {
  it('groups by status and sorts by name', () => {
    const listed = (name: string, status: 'online' | 'idle' | 'dnd' | 'offline') => ({
      userId: name,
      name,
      status,
    });
    const groups = groupByStatus([
      listed('Cy', 'offline'),
      listed('Bo', 'dnd'),
      listed('Al', 'online'),
    ]);
    expect(groups).to.deep.equal([
      { label: 'Online', userIds: ['Al', 'Bo'] },
      { label: 'Offline', userIds: ['Cy'] },
    ]);
  });
});

describe('the name of a day', () => {
  const now = new Date(2026, 10, 20, 0, 5);
  it('is relative to today', () => {
    expect(dayName(new Date(2026, 10, 20), now)).to.equal('Today');
    expect(dayName(new Date(2026, 10, 19, 23, 59), now)).to.equal('Yesterday');
    expect(dayName(new Date(2026, 10, 21), now)).to.equal('Today');
    expect(dayName(new Date(2025, 10, 20), now)).to.contain('2025');
  });

  it('is correct around a change of the clocks, in every time zone', () => {
    const { TZ } = process.env;
    try {
      for (const zone of ['Pacific/Auckland', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'])
        for (let day = 1; day <= 366; day += 1) {
          process.env.TZ = zone;
          for (const hour of [0, 10, 23]) {
            const today = new Date(2026, 0, day, hour, 30);
            const yesterday = new Date(2026, 0, day - 1, 23, 50);
            expect(dayName(yesterday, today), `${zone}, ${today.toISOString()}`).to.equal(
              'Yesterday',
            );
            expect(dayName(new Date(2026, 0, day, 0, 10), today)).to.equal('Today');
            expect(dayAndClockAhead(today, yesterday)).to.match(/^tomorrow/);
          }
        }
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });
});
