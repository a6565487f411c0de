import { z } from 'zod';
import { Bounded, command, Id, Ids, More, pageAfter, PersonId, Version } from './contract.ts';
import { isUnicodeEmoji, notOneEmoji } from './emoji.ts';
import { limits } from './limits.ts';
import { People } from './people.ts';

const custom = /^:[a-z0-9_]{2,32}:$/;

/** One standard or custom emoji. The longest, families and flags, take far fewer than 64 units. */
export const Emoji = Bounded(64, notOneEmoji)
  .refine((text) => isUnicodeEmoji(text) || custom.test(text), notOneEmoji)
  .meta({
    description: 'One Unicode emoji, or a custom emoji of the server as `:name:`.',
    examples: ['👍', '❤️', '👩‍👩‍👧‍👦', ':party:'],
  });

const Reaction = z.strictObject({
  emoji: z.string(),
  count: z.int().min(1),
  /** The first people to react. They are not in `people`, because they can be many: see `reaction:list`. */
  userIds: z.array(Id),
});
export type Reaction = z.infer<typeof Reaction>;

/** In the order of first use. */
export const reactionFields = { reactions: z.array(Reaction).min(1).optional() };

export const reactionCommands = {
  'message:react': command({
    summary:
      'Adds your reaction to a message, or removes it. If that is already the case, nothing changes. Returns the resulting version of the message.',
    input: z.strictObject({ messageId: Id, emoji: Emoji, on: z.boolean() }),
    output: z.strictObject({ version: Version }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
    queued: false,
  }),
  'reaction:list': command({
    summary: 'Lists the people who reacted to a message with an emoji, by id, a page at a time.',
    input: z.strictObject({ messageId: Id, emoji: Emoji, ...pageAfter }),
    output: z.strictObject({ userIds: z.array(PersonId), people: People, more: More }),
    errors: ['not_found'],
    rate: 'read',
  }),
  'reaction:mine': command({
    summary:
      'Lists your own reactions to some messages of a timeline, by message. The rows of messages contain only the first people of each reaction.',
    input: z.strictObject({ timelineId: Id, messageIds: Ids(limits.page) }),
    output: z.strictObject({ reactions: z.record(Id, z.array(z.string())) }),
    errors: ['not_found'],
    rate: 'read',
  }),
};
