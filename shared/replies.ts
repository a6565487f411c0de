/** An answer to one message of the same timeline. */
import { z } from 'zod';
import { Id, PersonId, Position, Time, Version } from './contract.ts';

/** The message that is replied to, as it is when the reply is read. */
export const Quote = z.strictObject({
  id: Id,
  authorId: PersonId,
  position: Position,
  /** The version of what is quoted: a newer one is told by the changes of the timeline. */
  version: Version,
  /** Its beginning, up to 200 characters; empty once it is deleted. */
  excerpt: z.string(),
  deletedAt: Time.optional(),
  /** Its author was not notified of this reply. */
  silent: z.literal(true).optional(),
});
export type Quote = z.infer<typeof Quote>;

/** What a message carries of it. */
export const replyFields = { replyTo: Quote.optional() };

/** What `message:send` takes for it. */
export const replyInput = {
  replyTo: Id.optional().meta({ description: 'A message of the same timeline, to reply to.' }),
  notify: z
    .boolean()
    .optional()
    .meta({ description: 'Whether its author is mentioned. They are, unless this is false.' }),
};
