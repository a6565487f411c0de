import { createHmac } from 'node:crypto';
import bcrypt from 'bcrypt';
import PQueue from 'p-queue';
import { perNode } from '../node/per-node.ts';
import type { Node } from '../caller.ts';
import {
  guessThread,
  hashedAtOnce,
  passwordThreads,
  type BcryptThreads,
} from './bcrypt-threads.ts';
import { openGuessLine, tooManyPasswords, type Guess } from './guess-line.ts';

/** The order of service: a device that signed in before, then a quiet network, then the others. */
export type Turn = 'known' | 'quiet' | 'busy';

/** Bounded, because each hash takes a core for a while. */
export const hashingOn = perNode((_node: Hashing) => new PQueue({ concurrency: hashedAtOnce }));

/** Separate from `hashingOn`, so that guesses and other hashing do not wait for each other. */
export const guessesOn = perNode((_node: Hashing) => openGuessLine());

type Hashing = Pick<Node, 'config'>;

// Separates our digests from those of other sites, so that leaked hashes cannot be tried here. It need not be secret,
// and is not: a pepper beside the hashes in the database would leak with them, and one outside would have to move with
// every backup.
const domain = 'parley password v1';

/** bcrypt reads 72 bytes and stops at a NUL. The digest is 64 characters without one, from all of the password. */
const digest = (password: string) => createHmac('sha384', domain).update(password).digest('base64');

/** @throws ChatError busy, when too many passwords wait to be hashed */
export const hashPassword = (node: Hashing, password: string, turn: Turn): Promise<string> =>
  whenFree(node, turn, () =>
    passwordThreads.hash(digest(password), node.config.PARLEY_PASSWORD_COST),
  );

/**
 * Without a hash (unknown name, guest, bot) the answer is false after the same work, so that the time reveals neither
 * which accounts exist nor which hashes have a lower cost.
 * @throws ChatError busy, when too many passwords wait
 */
export async function passwordFits(
  node: Hashing,
  password: string,
  hash: string | null | undefined,
  when: Exclude<Turn, 'busy'> | Guess,
): Promise<boolean> {
  const { PARLEY_PASSWORD_COST: cost } = node.config;
  const compared = hash ?? nobodys(cost);
  const compare = async (threads: BcryptThreads) => {
    const fits = await threads.compare(digest(password), compared);
    // Each cost doubles the work, so these add up to the missing part.
    if (!fits)
      for (let missing = bcrypt.getRounds(compared); missing < cost; missing += 1)
        await threads.compare(digest(password), nobodys(missing));
    return fits && compared === hash;
  };
  return typeof when === 'object'
    ? guessesOn(node).run(() => compare(guessThread), when)
    : whenFree(node, when, () => compare(passwordThreads));
}

export const isCheap = ({ config }: Hashing, hash: string): boolean =>
  bcrypt.getRounds(hash) < config.PARLEY_PASSWORD_COST;

/** A hash without a known password. Its cost decides the work. */
const nobodys = (cost: number) =>
  `$2b$${String(cost).padStart(2, '0')}$Zb0xfK7ZLJvUsCYrL1d2meL1vCtG0TGcXW4JVdMVUuhNyCxzA8Yfi`;

const priorities: Record<Turn, number> = { known: 2, quiet: 1, busy: 0 };
const maxWaiting: Record<Turn, number> = { known: 100, quiet: 100, busy: 50 };

async function whenFree<T>(node: Hashing, turn: Turn, work: () => Promise<T>): Promise<T> {
  const priority = priorities[turn];
  if (hashingOn(node).sizeBy({ priority }) >= maxWaiting[turn]) throw tooManyPasswords();
  return hashingOn(node).add(work, { priority });
}
