/** Calls of many as a part of messages: see messages/part.ts. */
import { callsIn } from '../../shared/mentions.ts';
import type { MessagePart } from '../messages/part.ts';

export const callPart: MessagePart = {
  columns: { calls: { column: 'calls', type: 'text' } },
  words: (body, rights) => ({ calls: rights.has('call everyone') ? callsIn(body) : undefined }),
};
