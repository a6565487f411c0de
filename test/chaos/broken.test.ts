/** Checks that the broken builds can still be made: `npm run prove` would notice only after a long time. */
import { fileBreakages } from '../files-killed/broken.ts';
import { breakages, checkBroken } from './broken.ts';

describe('a build can be broken so that it', () => {
  for (const breakage of [...breakages, ...fileBreakages])
    it(breakage.rule, () => checkBroken(breakage));
});
