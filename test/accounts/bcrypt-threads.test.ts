/** Hashing occupies a processor for long: messages take priority over it, and guesses come last. */
import { readdirSync, readFileSync } from 'node:fs';
import bcrypt from 'bcrypt';
import { expect } from 'chai';
import {
  guessThread,
  hashedAtOnce,
  passwordThreads,
} from '../../server/accounts/bcrypt-threads.ts';

describe('the threads of bcrypt', () => {
  const digest = 'the digest of a password';

  for (const [name, threads] of Object.entries({ passwordThreads, guessThread }))
    it(`hash and compare as bcrypt does: ${name}`, async () => {
      const hash = await threads.hash(digest, 4);
      expect(bcrypt.getRounds(hash)).to.equal(4);
      expect(bcrypt.compareSync(digest, hash)).to.equal(true);
      expect(await threads.compare(digest, hash)).to.equal(true);
      expect(await threads.compare('another', hash)).to.equal(false);
    });

  it('return each result to its caller when many ask at once', async () => {
    const hash = bcrypt.hashSync(digest, 4);
    const asked = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? digest : `not ${i}`));
    const answers = await Promise.all(asked.map((one) => passwordThreads.compare(one, hash)));
    expect(answers).to.deep.equal(asked.map((one) => one === digest));
  });

  it('continue after an input that bcrypt refuses', async () => {
    const refusal = await passwordThreads.hash(digest, Number.NaN).catch((error: unknown) => error);
    expect(refusal).to.be.an('error');
    expect(await passwordThreads.compare(digest, bcrypt.hashSync(digest, 4))).to.equal(true);
  });

  it('have lower priorities than the main thread', async function () {
    // Only Linux has a priority for each thread.
    if (process.platform !== 'linux') this.skip();
    const hash = bcrypt.hashSync(digest, 4);
    await Promise.all(Array.from({ length: 20 }, () => passwordThreads.compare(digest, hash)));
    await guessThread.compare(digest, hash);
    const own = niceOf('self');
    const all = readdirSync('/proc/self/task').map((id) => niceOf(`self/task/${id}`));
    const countOf = (nice: number) => all.filter((one) => one === nice).length;
    // At least, because a thread inherits the priority of the one that starts it.
    expect(countOf(Math.max(own, 10))).to.be.at.least(hashedAtOnce);
    expect(countOf(19)).to.be.at.least(1);
    expect(niceOf('self')).to.equal(own);
  });
});

/** The 19th field. The second one can contain blanks, and ends at the last parenthesis. */
function niceOf(what: string): number {
  const stat = readFileSync(`/proc/${what}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}
