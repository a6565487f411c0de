/** Pins as a part of messages: see messages/part.ts. A pin also adds a line to the timeline. */
import { conflict, type ChatError } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { quoteOf } from '../../shared/quotes.ts';
import { personBytes } from '../people/people.ts';
import type { MessagePart, PartFields, PartRequest, PartWriter } from '../messages/part.ts';
import { findPinned, type Pinned } from './store.ts';

export const pinPart: MessagePart = {
  columns: {
    pinned: { column: 'pinned', type: 'jsonb', moreBytes: personBytes },
    kind: { column: 'kind', type: 'text' },
  },
};

interface PinAsk {
  on: boolean;
}

export const pinWriter: PartWriter<PinAsk> = {
  merges: false,
  permissionFor: () => 'pin messages',
  async write(db, asked) {
    const timelines = await findPinned(
      db,
      asked.map(({ message }) => message.timelineId),
    );
    const refusals = new Map<number, ChatError>();
    const fields = new Map<string, PartFields>();
    const lines = new Map<number, PartFields>();
    for (const [i, one] of asked.entries()) {
      const { message, user, ask } = one;
      if (ask.on === (message.pinned !== undefined)) continue;
      const there = timelines.get(message.timelineId) ?? { count: 0, last: '' };
      const refusal = refuse(one, there);
      if (refusal !== undefined) {
        refusals.set(i, refusal);
        continue;
      }
      const at = ask.on ? timeAfter(there.last) : there.last;
      timelines.set(message.timelineId, { count: there.count + (ask.on ? 1 : -1), last: at });
      fields.set(message.id, { pinned: ask.on ? { by: user.id, at } : undefined });
      if (ask.on) lines.set(i, { kind: 'pin', replyTo: { ...quoteOf(message), silent: true } });
    }
    return { refusals, fields, lines };
  },
};

function refuse({ ask, message }: PartRequest<PinAsk>, { count }: Pinned): ChatError | undefined {
  if (!ask.on) return undefined;
  if (message.kind !== undefined) return conflict('This can’t be pinned.');
  return count < quotas.pins
    ? undefined
    : conflict(`Up to ${quotas.pins} messages can be pinned. Unpin one first.`);
}

/** Pages use it as their cursor, so no two pins of a timeline have the same, even if the clocks of nodes differ. */
const timeAfter = (last: string) =>
  new Date(Math.max(Date.now(), last === '' ? 0 : Date.parse(last) + 1)).toISOString();
