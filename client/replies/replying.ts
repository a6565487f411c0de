/** What I am replying to: kept with the draft, by timeline, and with what is on its way. */
import { Kept } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';

export interface Reply {
  /** The message that is answered. */
  id: string;
  authorId: string;
  excerpt: string;
  /** Whether its author is mentioned. */
  notify: boolean;
}

export function readReply(found: unknown): Reply | undefined {
  const { id, authorId, excerpt, notify } = asRecord(found);
  return typeof id === 'string' && typeof authorId === 'string' && typeof excerpt === 'string'
    ? { id, authorId, excerpt, notify: notify !== false }
    : undefined;
}

export const replying = new Kept('reply', readReply);
