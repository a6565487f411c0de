/** Custom emoji of a server: pictures with a name, written as `:name:`. */
import { z } from 'zod';
import { Bounded, command, Id, Nothing, Time, Version } from './contract.ts';

/** A RegExp call, because TypeScript allows the flag `v` only from es2024 on. */
const oneEmoji = new RegExp('^\\p{RGI_Emoji}$', 'v');

export const isUnicodeEmoji = (text: string): boolean => oneEmoji.test(text);

export const notOneEmoji = 'This isn’t one emoji.';

/** One standard emoji. The longest, families and flags, take far fewer than 64 units. */
export const UnicodeEmoji = Bounded(64, notOneEmoji)
  .refine(isUnicodeEmoji, notOneEmoji)
  .meta({ description: 'One Unicode emoji.', examples: ['👍', '❤️', '👩‍👩‍👧‍👦'] });

export const EmojiName = z
  .string()
  .regex(/^[a-z0-9_]{2,32}$/, 'Use 2 to 32 lowercase letters, numbers and\u00a0_.');

export const CustomEmoji = z.strictObject({
  /** The id of its picture, which `GET /files/<id>/emoji` returns. */
  id: Id,
  serverId: Id,
  name: EmojiName,
  createdAt: Time,
  version: Version,
});
export type CustomEmoji = z.infer<typeof CustomEmoji>;

export const emojiCommands = {
  'emoji:create': command({
    summary:
      'Adds a custom emoji to a server. Its picture is a file of yours, uploaded with the purpose `emoji`. For moderators, the owner and custom roles with `manage channels`.',
    input: z.strictObject({ serverId: Id, name: EmojiName, fileId: Id }),
    output: z.strictObject({ emoji: CustomEmoji }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
  }),
  'emoji:delete': command({
    summary:
      'Deletes an emoji of a server. Its name stays in messages and reactions. For moderators, the owner and custom roles with `manage channels`.',
    input: z.strictObject({ serverId: Id, emojiId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
};
