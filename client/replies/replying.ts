/** The message that a draft replies to. Saved with the draft by timeline, and with unsent messages. */
import type { Message } from '../../shared/messages.ts';
import type { Quote } from '../../shared/replies.ts';
import { SavedMap } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';

export interface Reply {
  id: string;
  authorId: string;
  excerpt: string;
  /** Whether the reply notifies the author of the quoted message. */
  notify: boolean;
}

/** The known part of a quoted message. */
export type Quoted = Pick<Quote, 'id' | 'authorId' | 'excerpt'> &
  Partial<Pick<Quote, 'position' | 'deletedAt'>>;

interface Said {
  message?: Pick<Message, 'replyTo'>;
  entry?: { extras: { reply?: Reply } };
}

export const repliedTo = ({ message, entry }: Said): Quoted | undefined =>
  message?.replyTo ?? entry?.extras.reply;

export function readReply(found: unknown): Reply | undefined {
  const { id, authorId, excerpt, notify } = asRecord(found);
  return typeof id === 'string' && typeof authorId === 'string' && typeof excerpt === 'string'
    ? { id, authorId, excerpt, notify: notify !== false }
    : undefined;
}

export const replying = new SavedMap('reply', readReply);
