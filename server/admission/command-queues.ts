/**
 * Runs few commands of one socket and of one account at a time. The others wait in order, up to a limit, so that the
 * memory for one account is bounded. Fair queues order the accounts; a person's bots count as that person. Reads have
 * one queue and all other commands another, so that a message does not wait for pages.
 *
 * Attack: a client sends a thousand commands at once, or asks for much and reads nothing. Test: command-queues.test.ts.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import { personIdOf, type Account } from '../../shared/accounts.ts';
import type { CommandRate } from '../../shared/limits.ts';
import { isReading } from './answered-bytes.ts';
import type { FairQueue } from './fair-queue.ts';
import { Lanes } from './lanes.ts';

interface Asker<Socket> {
  user: Account;
  socket?: Socket;
}

/** Commands that run at a time for a socket and for an account on this node; and an account's unanswered commands. */
const max = { socket: 3, account: 4, asked: 250 };

export const newSocketQueue = (): LimitFunction => pLimit(max.socket);

interface Needs<Socket> {
  queues: Record<'reading' | 'doing', FairQueue>;
  untilRead: (socket: Socket) => Promise<void>;
}

export class CommandQueues<Socket extends { data: { queue: LimitFunction } }> {
  readonly #needs: Needs<Socket>;
  readonly #accounts = new Lanes({
    atOnce: max.account,
    asked: max.asked,
    refusal: ['You’re doing too much at the same time. Try again in a moment.', 1_000],
  });

  constructor(needs: Needs<Socket>) {
    this.#needs = needs;
  }

  /** @throws ChatError busy, when the account has too many unanswered commands */
  run<T>({ user, socket }: Asker<Socket>, rate: CommandRate, work: () => Promise<T>): Promise<T> {
    const { queues, untilRead } = this.#needs;
    const queue = isReading(rate) ? queues.reading : queues.doing;
    const turn = () => this.#accounts.wait(user.id, () => queue.run(personIdOf(user), work));
    return this.#accounts.admit(user.id, () =>
      socket === undefined
        ? turn()
        : socket.data.queue(async () => {
            await untilRead(socket);
            return turn();
          }),
    );
  }
}
