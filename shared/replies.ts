/** Replies to a message of the same timeline. */
import { z } from 'zod';
import { Id, PersonId, Position, Time, Version } from './contract.ts';

/** The quoted message, as it is when the reply is read. */
export const Quote = z.strictObject({
  id: Id,
  authorId: PersonId,
  position: Position,
  /** The version of the quoted message. Changes of the timeline bring newer ones. */
  version: Version,
  /** Its beginning, up to 200 characters; empty after deletion. */
  excerpt: z.string(),
  deletedAt: Time.optional(),
  /** The quoted author was not notified of this reply. */
  silent: z.literal(true).optional(),
});
export type Quote = z.infer<typeof Quote>;

export const replyFields = { replyTo: Quote.optional() };

export const replyInput = {
  replyTo: Id.optional().meta({
    description: 'The message that this one replies to, in the same timeline.',
  }),
  notify: z.boolean().optional().meta({
    description: 'Whether the author of the quoted message is mentioned; by default true.',
  }),
};
