/** An answer to one message of the same timeline. */
import { z } from 'zod';
import { Id, PersonId, Time, Version } from './contract.ts';
import { limits } from './limits.ts';

/** The message that is replied to, as it is when the reply is read. */
export const Quote = z.strictObject({
  id: Id,
  authorId: PersonId,
  /** The version of what is quoted: a newer one is told by the changes of the timeline. */
  version: Version,
  /** Its beginning, up to 200 characters; empty once it is deleted. */
  excerpt: z.string(),
  deletedAt: Time.optional(),
  /** Its author was not notified of this reply. */
  silent: z.literal(true).optional(),
});
export type Quote = z.infer<typeof Quote>;

/** A message, as it is quoted. */
export const quoteOf = ({
  id,
  authorId,
  version,
  body,
  deletedAt,
}: {
  id: string;
  authorId: string;
  version: number;
  body: string;
  deletedAt?: string | undefined;
}): Quote => ({
  ...{ id, authorId, version },
  excerpt: excerptOf(body),
  ...(deletedAt !== undefined && { deletedAt }),
});

/** A mention that is cut through would be none. */
const excerptOf = (body: string) =>
  body.length <= limits.excerpt
    ? body
    : [...body.slice(0, 2 * limits.excerpt)]
        .slice(0, limits.excerpt)
        .join('')
        .replace(/<[@#][0-9a-f-]*$/i, '');

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
