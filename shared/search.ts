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
      'Words and parts of words, each of which has to be there, and "several exactly so"; whatever the case and the accents. Filters: `from:` and `mentions:` with a username, a name, `me` or `<@id>`; `in:` with a channel’s name or `<#id>`; `has:` with link, image, file or code; `before:` and `after:` with a day of UTC (2026-01-31), which is left out itself, or a moment with its offset.',
    examples: ['tea from:ann', '"tea at four" in:general after:2026-01-31'],
  });

const Cursor = z
  .string()
  .regex(/^[0-9a-z]{1,12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.\d{1,3})?$/, {
    message: 'This isn’t a place in the results.',
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
      'Finds messages in all timelines that you see, or in those of a server, or in one. Looks at so many at a time, so a page may have few hits, or none, though `more` says that there are older ones to look at: ask again with it as `before`. `atLeast` is how many there are from this page on, as far as it has looked.',
    input: z.strictObject({
      query: Query,
      serverId: Id.optional(),
      timelineId: Id.optional(),
      order: z
        .enum(['newest', 'best'])
        .optional()
        .meta({ description: 'Best: of the newest ones, first those that fit best.' }),
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
