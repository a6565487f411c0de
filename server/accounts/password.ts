import { createHmac } from 'node:crypto';
import bcrypt from 'bcrypt';
import { ChatError } from '../../shared/failure.ts';
import type { App } from '../app.ts';

type Hashing = Pick<App, 'config' | 'hashing'>;

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
export const hashPassword = (app: Hashing, password: string): Promise<string> =>
  inTurn(app, () => bcrypt.hash(digest(password), app.config.PARLEY_PASSWORD_COST));

/**
 * Whether this is the password. Without a hash (unknown name, guest, bot) the answer is no after the same
 * work, so that time does not tell who exists.
 * @throws ChatError busy, when too many wait to have one hashed
 */
export async function passwordFits(
  app: Hashing,
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const compared = hash ?? nobodys(app.config.PARLEY_PASSWORD_COST);
  const fits = await inTurn(app, () => bcrypt.compare(digest(password), compared));
  return fits && compared === hash;
}

/** A hash that nobody has the password of. The cost in it decides the work. */
const nobodys = (cost: number) =>
  `$2b$${String(cost).padStart(2, '0')}$Zb0xfK7ZLJvUsCYrL1d2meL1vCtG0TGcXW4JVdMVUuhNyCxzA8Yfi`;

const mostWaiting = 100;

async function inTurn<T>(app: Hashing, work: () => Promise<T>): Promise<T> {
  if (app.hashing.pendingCount >= mostWaiting)
    throw new ChatError('busy', 'Many people are signing in right now. Try again in a moment.', {
      retryAfterMs: 3_000,
    });
  return app.hashing(work);
}
