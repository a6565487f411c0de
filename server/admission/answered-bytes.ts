/**
 * Charges a person for the bytes of all answers, also to the person's bots, because a page of long messages costs as
 * much as a hundred short ones.
 *
 * Attack: a guest reads full pages as fast as its limits allow. Test: work.test.ts, “stop reading by bytes”.
 */
import type { CommandRate } from '../../shared/limits.ts';
import type { RateLimits } from '../cluster/limits.ts';
import { attempt } from '../node/attempt.ts';
import type { Logger } from '../node/log.ts';
import type { EngineConnection } from './connection-slots.ts';

/** The rates of commands that read. Other commands have answers of a few bytes, and are not refused. */
const reading: ReadonlySet<CommandRate> = new Set(['read', 'search', 'find']);
export const isReading = (rate: CommandRate): boolean => reading.has(rate);

/** Takes one KiB, and `countAnswer` the rest of the answer. @throws ChatError rate_limited, after too many bytes */
export async function takeAnswer(
  { limits }: { limits: RateLimits },
  userId: string,
  rate: CommandRate,
): Promise<void> {
  if (isReading(rate)) await limits.take('answered', userId);
}

export async function countAnswer(
  { limits }: { limits: RateLimits },
  userId: string,
  bytes: number,
): Promise<void> {
  const more = Math.ceil(bytes / 1_024) - 1;
  if (more > 0) await limits.tryTake('answered', userId, more);
}

/** Counts the answers and `ready` on a connection, but not other packets, because other people cause them. */
export function countAnswers(
  node: { limits: RateLimits; log: Logger },
  connection: EngineConnection,
  userId: string,
): void {
  connection.on('packetCreate', ({ data }: { data?: unknown }) => {
    if (typeof data === 'string' && (data.startsWith(ack) || data.startsWith(ready)))
      void attempt(node, 'answered', () => countAnswer(node, userId, Buffer.byteLength(data)));
  });
}

/** The packet type of a Socket.IO acknowledgement. */
const ack = '3';
const ready = '2["ready",';
