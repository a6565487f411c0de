import { z } from 'zod';
import { callFields } from './calling.ts';
import {
  command,
  Id,
  InputTime,
  NewId,
  PageSize,
  PersonId,
  Position,
  Text,
  Time,
  Version,
} from './contract.ts';
import { fileFields, fileInput } from './files.ts';
import { limits } from './limits.ts';
import { People } from './people.ts';
import { pinFields } from './pinned.ts';
import { previewFields } from './previews.ts';
import { reactionFields } from './reactions.ts';
import { replyFields, replyInput } from './replies.ts';

/** Stored exactly as sent. Only white space is refused. */
export const Body = Text(limits.body).refine(
  (text) => text.trim() !== '',
  'A message needs some text.',
);

export const partFields = {
  ...replyFields,
  ...reactionFields,
  ...pinFields,
  ...callFields,
  ...fileFields,
  ...previewFields,
};

export const Message = z.strictObject({
  id: Id,
  timelineId: Id,
  authorId: PersonId,
  /** Its place in the timeline: 1, 2, 3 … without a gap, fixed for ever. */
  position: z.int().min(1),
  version: Version,
  /** Empty after deletion: the tombstone keeps its place. */
  body: z.string(),
  createdAt: Time,
  editedAt: Time.optional(),
  deletedAt: Time.optional(),
  /** The person who deleted it, if not its author. */
  deletedBy: PersonId.optional(),
  ...partFields,
});
export type Message = z.infer<typeof Message>;

const One = z.strictObject({ message: Message });

export const messageCommands = {
  'message:send': command({
    summary:
      'Sends a message. Repeated with the same id, returns the stored message and changes nothing, so a retry is safe.',
    input: z
      .strictObject({
        timelineId: Id,
        body: Text(limits.body).optional(),
        id: NewId.optional(),
        ...replyInput,
        ...fileInput,
      })
      .refine(({ body = '', files = [] }) => body.trim() !== '' || files.length > 0, {
        message: 'A message needs some text.',
        path: ['body'],
      }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
    queued: false,
    http: ['POST /api/messages', 'POST /api/conversations/[timelineId]/messages'],
  }),
  'message:edit': command({
    summary:
      'Edits your own message. With `base`, only if it hasn’t changed since that version; reactions, pins and previews are changes, too.',
    input: z.strictObject({ messageId: Id, body: Body, base: Version.optional() }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
    queued: false,
    http: 'PATCH /api/messages/[messageId]',
  }),
  'message:delete': command({
    summary:
      'Deletes a message: your own, or anyone’s as moderator, as owner or with a custom role with `manage messages`. It keeps its position, without its content.',
    input: z.strictObject({ messageId: Id }),
    output: One,
    errors: ['forbidden', 'not_found'],
    rate: 'send',
    queued: false,
    http: 'DELETE /api/messages/[messageId]',
  }),
  'message:list': command({
    summary:
      'Reads a page of a timeline by position, in ascending order: before, after or around a position, from a time on (`since`), or the newest.',
    input: z
      .strictObject({
        timelineId: Id,
        before: Position.optional(),
        after: Position.optional(),
        around: Position.optional(),
        since: InputTime.optional(),
        limit: PageSize.optional(),
      })
      .refine(
        ({ before, after, around, since }) =>
          [before, after, around, since].filter((at) => at !== undefined).length <= 1,
        { message: 'Use at most one of before, after, around and since.', path: ['before'] },
      )
      .meta({
        description: 'At most one of before, after, around and since.',
        not: {
          anyOf: [
            { required: ['before', 'after'] },
            { required: ['before', 'around'] },
            { required: ['before', 'since'] },
            { required: ['after', 'around'] },
            { required: ['after', 'since'] },
            { required: ['around', 'since'] },
          ],
        },
      }),
    output: z.strictObject({
      messages: z.array(Message),
      people: People,
      more: z.strictObject({ before: z.boolean(), after: z.boolean() }),
    }),
    errors: ['not_found'],
    rate: 'read',
    cost: ({ limit = limits.pageDefault }) => Math.ceil(limit / limits.pageDefault),
    http: [
      'GET /api/channels/[timelineId]/messages',
      'GET /api/conversations/[timelineId]/messages',
    ],
  }),
};
