import { expect } from 'chai';
import { mutes } from '../../client/notifications/mutes.ts';
import { clock, fullTime } from '../../client/ui/dates.ts';

describe('times of day', () => {
  it('are formatted alike in a row and in its tooltip, by the locale', () => {
    for (const hour of [0, 8, 12, 20]) {
      const at = new Date(2026, 10, 22, hour, 5);
      expect(fullTime(at)).to.include(clock(at));
    }
  });
});

describe('a mute until tomorrow', () => {
  const { TZ } = process.env;
  afterEach(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  it('ends at 8:00 local time, even if the clocks change during the night', () => {
    const until = mutes.find(({ label }) => label === 'Until tomorrow')?.until;
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo'])
      for (let day = 1; day <= 366; day += 1)
        for (const hour of [0, 7, 8, 23]) {
          process.env.TZ = zone;
          const end = until?.(new Date(2026, 0, day, hour, 59));
          const expected = new Date(2026, 0, day + 1, 8);
          expect(end?.toISOString(), `${zone}, day ${day}`).to.equal(expected.toISOString());
          expect(`${end?.getHours()}:${end?.getMinutes()}`).to.equal('8:0');
        }
  });
});
