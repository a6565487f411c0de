import { expect } from 'chai';
import { clock, fullTime } from '../../client/ui/dates.ts';

describe('times of day', () => {
  it('are told alike in a row and in its tooltip, as the locale has it', () => {
    for (const hour of [0, 8, 12, 20]) {
      const at = new Date(2026, 10, 22, hour, 5);
      expect(fullTime(at)).to.include(clock(at));
    }
  });
});
