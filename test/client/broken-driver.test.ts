/** Checks that the broken drivers of `npm run prove` can still be made. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { breakages, breakFile } from './broken-driver.ts';

const client = fileURLToPath(new URL('../../client', import.meta.url));

describe('the driver of every client', () => {
  for (const breakage of breakages)
    it(`can be left without rule ${breakage.rule}`, async () => {
      const { whole, broken } = await breakFile(client, breakage);
      expect(broken).not.to.equal(whole);
    });
});
