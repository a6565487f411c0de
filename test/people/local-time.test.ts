import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { utcOffsetIn } from '../../server/local-time/local-time.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

describe('local time', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
  });
  after(() => app.close());
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });

  const meet = async () => {
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
  };
  const asked = async (by: Person, of: { id: string }) =>
    (await by.send('localTime:get', { userId: of.id })).utcOffset;
  /** No daylight saving time. */
  const inKolkata = { timeZone: 'Asia/Kolkata' };

  it('is shown to people who share a server; to others it is unknown, as for a missing account', async () => {
    await ann.send('localTime:set', inKolkata);
    expect(await asked(ann, ann)).to.equal(330);
    expect(await asked(ben, ann)).to.equal(null);
    await meet();
    expect(await asked(ben, ann)).to.equal(330);
    expect(await asked(ann, ben), 'who has said nothing').to.equal(null);
    expect(await asked(ben, { id: '019a1b2c-0000-7000-8000-000000000001' })).to.equal(null);
  });

  it('is not shown across a block, in either direction', async () => {
    await meet();
    for (const one of [ann, ben]) await one.send('localTime:set', inKolkata);
    await ann.send('block:create', { userId: ben.id });
    expect([await asked(ben, ann), await asked(ann, ben)]).to.deep.equal([null, null]);
    await ann.send('block:delete', { userId: ben.id });
    expect([await asked(ben, ann), await asked(ann, ben)]).to.deep.equal([330, 330]);
  });

  it('is not stored while sharing is off, even if a device sends it', async () => {
    await meet();
    expect(await ann.send('localTime:set', inKolkata)).to.deep.equal({ shared: true });
    expect(await ann.send('localTime:set', { shared: false })).to.deep.equal({ shared: false });
    expect(await ann.send('localTime:set', inKolkata)).to.deep.equal({ shared: false });
    expect(await asked(ben, ann)).to.equal(null);
    const kept = await query(app.db, 'select time_zone from users where id = $1', [ann.id]);
    expect(kept).to.deep.equal([{ time_zone: null }]);
    await ann.send('localTime:set', { shared: true, ...inKolkata });
    expect(await asked(ben, ann)).to.equal(330);
  });

  it('is accepted only for existing time zones', async () => {
    for (const timeZone of ['Atlantis/Centre', '', ' ', 'Europe/Oslo'.repeat(20)])
      expect((await ann.expectError('localTime:set', { timeZone })).code, timeZone).to.equal(
        'invalid',
      );
  });

  const winter = new Date('2026-01-15T12:00:00Z');
  const summer = new Date('2026-07-15T12:00:00Z');
  for (const [zone, inWinter, inSummer] of [
    ['UTC', 0, 0],
    ['Europe/London', 0, 60],
    ['America/New_York', -300, -240],
    ['America/St_Johns', -210, -150],
    ['Asia/Kathmandu', 345, 345],
    ['Pacific/Auckland', 780, 720],
  ] as const)
    it(`follows the season: ${zone}`, () => {
      expect([utcOffsetIn(zone, winter), utcOffsetIn(zone, summer)]).to.deep.equal([
        inWinter,
        inSummer,
      ]);
    });
});
