/**
 * Charges a person, bots included, for the bytes of all answers: a page of long messages costs as much as a hundred
 * short ones.
 *
 * Attack: a guest reads full pages as fast as the command limits allow. Test: work.test.ts, “stop reading by the bytes
 * that it takes”.
 */
import type { CommandRate } from '../../shared/limits.ts';
import type { RateLimits } from '../cluster/limits.ts';
import { attempt } from '../node/attempt.ts';
import type { Logger } from '../node/log.ts';
import type { EngineConnection } from './connection-slots.ts';

/** What is asked for to be read. All else is answered in a few bytes, and goes on. */
const reading: ReadonlySet<CommandRate> = new Set(['read', 'search', 'find']);
export const isReading = (rate: CommandRate): boolean => reading.has(rate);

/**
 * A KiB for each that begins; what more its answer takes is counted when it is there, and keeps the next one waiting.
 * @throws ChatError rate_limited, after too many bytes
 */
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

/** Counts what a connection is answered. What it hears beside that, others have said. */
export function countAnswers(
  node: { limits: RateLimits; log: Logger },
  connection: EngineConnection,
  userId: string,
): void {
  connection.on('packetCreate', ({ data }: { data?: unknown }) => {
    if (typeof data === 'string' && data.startsWith(ack))
      void attempt(node, 'answered', () => countAnswer(node, userId, Buffer.byteLength(data)));
  });
}

/** How Socket.IO begins an answer. */
const ack = '3';
