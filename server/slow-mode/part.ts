/** Slow mode: members wait between two messages in a channel. A part of messages: see messages/part.ts. */
import { ChatError } from '../../shared/failure.ts';
import type { Context } from '../caller.ts';
import type { Claim } from '../messages/claim.ts';
import type { MessagePart, Wording } from '../messages/part.ts';
import { deleteOldSends, findWaits, recordSends } from './store.ts';

const isSlow = ({ isNew, rights }: Wording) =>
  isNew && rights.has('send') && !rights.has('send at once');

const keyOf = ({ timelineId, userId }: { timelineId: string; userId: string }) =>
  `${timelineId} ${userId}`;

export const slowPart: MessagePart = {
  async prepare(db, wordings) {
    const slow = wordings.filter(isSlow).map(senderOf);
    if (slow.length === 0) return [];
    const found = await findWaits(db, slow);
    const waits = new Map(found.map((one) => [keyOf(one), one]));
    /** By sender, the message of this batch after which they wait. */
    const sent = new Map<string, string>();
    return wordings.map((wording) => {
      const key = keyOf(senderOf(wording));
      const wait = waits.get(key);
      if (!isSlow(wording) || wait === undefined) return {};
      if (wait.waitMs > 0) return refusal(wait.slowSeconds, wait.waitMs);
      const first = sent.get(key) ?? wording.id;
      sent.set(key, first);
      return first === wording.id ? {} : refusal(wait.slowSeconds, wait.slowSeconds * 1_000);
    });
  },
  async stored(db, { slowed }) {
    const senders = new Map(slowed.map(senderOf).map((sender) => [keyOf(sender), sender]));
    if (senders.size > 0) await recordSends(db, [...senders.values()]);
  },
};

const senderOf = ({ timelineId, user }: Claim) => ({
  timelineId,
  userId: user.id,
});

/** Retryable, so that clients keep the message and send it when its time has come. */
const refusal = (slowSeconds: number, retryAfterMs: number) =>
  new ChatError('rate_limited', `Slow mode: one message every ${slowSeconds} s.`, { retryAfterMs });

export const sweepSlowSends = ({ db }: Pick<Context, 'db'>): Promise<void> => deleteOldSends(db);
