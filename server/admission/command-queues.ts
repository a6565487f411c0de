/**
 * Runs few commands of one socket and of one account at a time. The others wait in order, up to a limit, so that the
 * memory for one account is bounded. Fair queues order the accounts; a person's bots count as that person. Reads have
 * one queue and all other commands another, so that a message does not wait for pages.
 *
 * Attack: a client sends a thousand commands at once, or asks for much and reads nothing. Test: command-queues.test.ts.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import { personIdOf, type Account } from '../../shared/accounts.ts';
import { ChatError } from '../../shared/failure.ts';
import type { CommandRate } from '../../shared/limits.ts';
import { isReading } from './answered-bytes.ts';
import type { FairQueue } from './fair-queue.ts';

/** The account that sends a command, and its socket; HTTP has none. */
interface Asker<Socket> {
  user: Account;
  socket?: Socket;
}

/** How many commands run at a time: of a socket, of an account on all its sockets here; and how many it may have asked. */
const most = { socket: 3, account: 4, asked: 250 };

export interface CommandQueues<Socket> {
  /** @throws ChatError busy, when too many wait already */
  run<T>(asker: Asker<Socket>, rate: CommandRate, work: () => Promise<T>): Promise<T>;
}

export const newSocketQueue = (): LimitFunction => pLimit(most.socket);

/** @param untilRead resolves when a client has read most of what was sent to it */
export function openCommandQueues<Socket extends { data: { queue: LimitFunction } }>(
  queues: Record<'reading' | 'doing', FairQueue>,
  untilRead: (socket: Socket) => Promise<void>,
): CommandQueues<Socket> {
  const accounts = new Map<string, { limit: LimitFunction; asked: number }>();
  return {
    async run({ user, socket }, rate, work) {
      const account = accounts.get(user.id) ?? { limit: pLimit(most.account), asked: 0 };
      if (account.asked >= most.asked) throw tooMany();
      accounts.set(user.id, account);
      account.asked += 1;
      const queue = isReading(rate) ? queues.reading : queues.doing;
      const turn = () => account.limit(() => queue.run(personIdOf(user), work));
      const whenRead = async (socket: Socket) => {
        await untilRead(socket);
        return turn();
      };
      const asked = socket === undefined ? turn() : socket.data.queue(whenRead, socket);
      return asked.finally(() => {
        account.asked -= 1;
        if (account.asked === 0) accounts.delete(user.id);
      });
    },
  };
}

const tooMany = () =>
  new ChatError('busy', 'You’re doing too much at the same time. Try again in a moment.', {
    retryAfterMs: 1_000,
  });
