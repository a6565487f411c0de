import { createHmac } from 'node:crypto';
import bcrypt from 'bcrypt';
import type { App } from '../app.ts';
import { guessThread, passwordThreads, type BcryptThreads } from './bcrypt-threads.ts';
import { tooManyPasswords, type Guess } from './guess-line.ts';

/** Who is served first: a device that signed in before, then a network that has been quiet, then the others. */
export type Turn = 'known' | 'quiet' | 'busy';

type Hashing = Pick<App, 'config' | 'hashing' | 'guesses'>;

// Separates our digests from everybody else's, so that hashes leaked elsewhere cannot be tried here. It need
// not be secret, and is not: a pepper beside the hashes in the database would leak with them, and one
// outside would have to move with every backup.
const domain = 'parley password v1';

/** bcrypt reads 72 bytes and stops at a NUL. This is 64 characters without one, from all of the password. */
const digest = (password: string) => createHmac('sha384', domain).update(password).digest('base64');

/**
 * Hashes a new password.
 * @throws ChatError busy, when too many wait to have one hashed
 */
export const hashPassword = (app: Hashing, password: string, turn: Turn): Promise<string> =>
  whenFree(app, turn, () =>
    passwordThreads.hash(digest(password), app.config.PARLEY_PASSWORD_COST),
  );

/**
 * Whether this is the password. Without a hash (unknown name, guest, bot) the answer is no after the same
 * work, so that the time reveals neither which accounts exist nor which hashes have a lower cost. A guess waits in the
 * line of guesses instead of for a turn.
 * @throws ChatError busy, when too many wait to have one hashed
 */
export async function passwordFits(
  app: Hashing,
  password: string,
  hash: string | null | undefined,
  when: Exclude<Turn, 'busy'> | Guess,
): Promise<boolean> {
  const { PARLEY_PASSWORD_COST: cost } = app.config;
  const compared = hash ?? nobodys(cost);
  const compare = async (threads: BcryptThreads) => {
    const fits = await threads.compare(digest(password), compared);
    // Each cost doubles the work, so these add up to what is missing.
    if (!fits)
      for (let missing = bcrypt.getRounds(compared); missing < cost; missing += 1)
        await threads.compare(digest(password), nobodys(missing));
    return fits && compared === hash;
  };
  return typeof when === 'object'
    ? app.guesses.run(() => compare(guessThread), when)
    : whenFree(app, when, () => compare(passwordThreads));
}

/** Whether a hash was made when PARLEY_PASSWORD_COST was lower. */
export const isCheap = ({ config }: Hashing, hash: string): boolean =>
  bcrypt.getRounds(hash) < config.PARLEY_PASSWORD_COST;

/** A hash that nobody has the password of. The cost in it decides the work. */
const nobodys = (cost: number) =>
  `$2b$${String(cost).padStart(2, '0')}$Zb0xfK7ZLJvUsCYrL1d2meL1vCtG0TGcXW4JVdMVUuhNyCxzA8Yfi`;

const priorities: Record<Turn, number> = { known: 2, quiet: 1, busy: 0 };
const maxWaiting: Record<Turn, number> = { known: 100, quiet: 100, busy: 50 };

async function whenFree<T>(app: Hashing, turn: Turn, work: () => Promise<T>): Promise<T> {
  const priority = priorities[turn];
  if (app.hashing.sizeBy({ priority }) >= maxWaiting[turn]) throw tooManyPasswords();
  return app.hashing.add(work, { priority });
}
