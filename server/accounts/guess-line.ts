import PQueue from 'p-queue';
import { ChatError } from '../../shared/failure.ts';
import { realClock, type Clock } from '../node/clock.ts';

/** After a wrong guess from a busy network the next one waits for so many times as long as a comparison costs. */
const rest = 9;
/** From quiet networks, and from the others. */
const maxWaiting = 10;

/**
 * Where guesses from busy networks wait, and ahead of them those from quiet networks at an account that is guessed at.
 * Guessing goes on for as long as somebody likes: it takes a tenth of one processor, and only while nobody else wants
 * it. It waits for no other hashing, nor does other hashing wait for it.
 */
export interface GuessLine {
  /** How many wait. */
  readonly size: number;
  /** @throws ChatError busy, when too many wait already */
  run(compare: () => Promise<boolean>, from?: { isQuiet: boolean }): Promise<boolean>;
}

export function openGuessLine(clock: Clock = realClock): GuessLine {
  const queue = new PQueue({ concurrency: 1 });
  // The shortest that was seen, in milliseconds: a guess that had to wait for a processor did not cost more.
  let cost = Infinity;
  return {
    get size() {
      return queue.size;
    },
    async run(compare, { isQuiet } = { isQuiet: false }) {
      const priority = isQuiet ? 1 : 0;
      if (queue.sizeBy({ priority }) >= maxWaiting) throw tooManyPasswords();
      return new Promise((resolve, reject) => {
        const guess = async () => {
          const began = clock.now();
          const compared = compare();
          compared.then(resolve, reject);
          if (await compared.catch(() => true)) return;
          cost = Math.min(cost, clock.now() - began);
          await new Promise<void>((over) => clock.after(rest * cost, over));
        };
        queue.add(guess, { priority }).catch(reject);
      });
    },
  };
}

export const tooManyPasswords = () =>
  new ChatError('busy', 'Sign-in is busy. Try again in a moment.', {
    retryAfterMs: 3_000,
  });
