/** That the broken builds of `npm run prove` can still be made: there each would be missed only after long. */
import { fileBreakages } from '../files-killed/broken.ts';
import { breakages, withBroken } from './broken.ts';

describe('a build can be broken so that it', () => {
  for (const breakage of [...breakages, ...fileBreakages])
    it(breakage.rule, () => withBroken(breakage, () => Promise.resolve()));
});
