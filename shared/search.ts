/** Search in all messages that the user can see. */
import { z } from 'zod';
import { FoundChannel } from './channels.ts';
import { command, Id, Text } from './contract.ts';
import { limits } from './limits.ts';
import { Message } from './messages.ts';
import { People } from './people.ts';
import { QueryProblem, readQuery } from './search-query.ts';

const Query = Text(limits.searchQuery)
  .superRefine((text, context) => {
    const read = readQuery(text);
    if (read instanceof QueryProblem) context.addIssue({ code: 'custom', message: read.message });
  })
  .meta({
    description:
      'Words, parts of words and "exact phrases". All of them must occur; case and accents are ignored. Filters: `from:` and `mentions:` with a username, a name, `me` or `<@id>`; `in:` with a channel’s name or `<#id>`; `has:` with link, image, file or code; `before:` and `after:` with a UTC date (2026-01-31), which is itself excluded, or a time with its offset from UTC.',
    examples: ['tea from:ann', '"tea at four" in:general after:2026-01-31'],
  });

const Cursor = z
  .string()
  .regex(/^[0-9a-z]{1,12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.\d{1,3})?$/, {
    message: 'This isn’t a valid cursor.',
  });

const Hit = z.strictObject({
  message: Message,
  /** The messages just before and after it, as far as they fit the answer. */
  before: z.array(Message),
  after: z.array(Message),
});
export type Hit = z.infer<typeof Hit>;

export const searchCommands = {
  'message:search': command({
    summary:
      'Finds messages in all timelines that you can see, in those of a server, or in one. Each request searches a limited number of messages, so a page can have few hits or none although `more` is set: pass it as `before` to search the older ones. `atLeast` is the number of hits found so far, from this page on.',
    input: z.strictObject({
      query: Query,
      serverId: Id.optional(),
      timelineId: Id.optional(),
      order: z.enum(['newest', 'best']).optional().meta({
        description:
          '`best` sorts a number of the newest hits by relevance; older hits follow on later pages.',
      }),
      before: Cursor.optional(),
      limit: z.int().min(1).max(limits.searchHits).optional(),
    }),
    output: z.strictObject({
      hits: z.array(Hit),
      people: People,
      channels: z.array(FoundChannel),
      atLeast: z.int().min(0),
      more: Cursor.optional(),
    }),
    errors: ['not_found'],
    rate: 'find',
    cost: ({ order }) => (order === 'best' ? 4 : 1),
    http: 'GET /api/messages',
  }),
};
