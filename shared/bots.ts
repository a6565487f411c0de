import { z } from 'zod';
import { command, Id, NewId, Nothing, Time } from './contract.ts';
import { quotas } from './quotas.ts';
import { DisplayName } from './people.ts';

/** The most that a bot’s token allows; its role can allow less. Reading where it was added is always allowed. */
export const BotScope = z.enum(['send', 'manage messages', 'manage channels', 'manage members']);
export type BotScope = z.infer<typeof BotScope>;

/** A bot, as its owner sees it. Everyone sees a person of kind `bot` with an `ownerId`. */
export const Bot = z.strictObject({
  id: Id,
  name: z.string(),
  avatar: Id.optional(),
  scopes: z.array(BotScope),
  createdAt: Time,
  tokenAt: Time,
});
export type Bot = z.infer<typeof Bot>;

/** Shown only now, because the server stores only its hash. */
const Token = z.string();
const Scopes = z
  .array(BotScope)
  .refine((scopes) => new Set(scopes).size === scopes.length, 'List each scope only once.')
  .meta({ uniqueItems: true });
const BotTarget = z.strictObject({ botId: Id });

export const botCommands = {
  'bot:create': command({
    summary: `Creates a bot of yours, up to ${quotas.botsPerPerson}, and its token, which is shown only now. Everyone who sees the bot sees that it’s yours.`,
    input: z.strictObject({
      name: DisplayName,
      /** Default: `send`. */
      scopes: Scopes.optional(),
      id: NewId.optional(),
    }),
    output: z.strictObject({ bot: Bot, token: Token }),
    errors: ['forbidden', 'conflict'],
    rate: 'create',
    who: 'people',
  }),
  'bot:list': command({
    summary: 'Lists your bots.',
    input: Nothing,
    output: z.strictObject({ bots: z.array(Bot) }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
  'bot:update': command({
    summary: 'Renames your bot or gives it a picture, as `user:update` does.',
    input: BotTarget.extend({ name: DisplayName.optional(), avatar: Id.nullable().optional() }),
    output: z.strictObject({ bot: Bot }),
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
  'bot:rotate': command({
    summary:
      'Creates a new token for your bot, with these scopes or the ones it had. The old token stops working, and its sockets are closed.',
    input: BotTarget.extend({ scopes: Scopes.optional() }),
    output: z.strictObject({ bot: Bot, token: Token }),
    errors: ['not_found'],
    rate: 'create',
    who: 'people',
  }),
  'bot:delete': command({
    summary:
      'Deletes your bot: it leaves all servers and its token stops working. Its messages stay.',
    input: BotTarget,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
  'bot:add': command({
    summary:
      'Adds a bot to a server. Returns `conflict` if the bot’s owner isn’t in the server. For the server’s owner.',
    input: BotTarget.extend({ serverId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
};
