import { z } from 'zod';
import { command, Id, Name, NewId, Nothing, Time, Version } from './contract.ts';
import { entryOf, PartEnd } from './entry.ts';
import { InviteCode } from './invites.ts';
import { limits } from './limits.ts';

export const ServerName = Name(limits.serverName);

export const Server = z.strictObject({
  id: Id,
  name: z.string(),
  /** Where new members arrive. It cannot be deleted. */
  defaultChannelId: Id,
  /** The id of its picture, which `GET /files/<icon>/icon` returns. */
  icon: Id.optional(),
  /** Members need a request to write to each other for the first time, except friends; guests always do. */
  messageRequests: z.literal(true).optional(),
  /** Guests can’t join. Those who are members stay. */
  closedToGuests: z.literal(true).optional(),
  /** Moderators, the owner and custom roles with `manage members` approve new members. */
  approval: z.literal(true).optional(),
  /** New links in its channels don’t get previews. */
  noPreviews: z.literal(true).optional(),
  createdAt: Time,
  version: Version,
});
export type Server = z.infer<typeof Server>;

const One = z.strictObject({ server: Server });
const Which = z.strictObject({ serverId: Id });

export const serverCommands = {
  'server:create': command({
    summary: 'Creates a server with one channel, owned by its creator. Not for guests.',
    input: z.strictObject({ name: ServerName, id: NewId.optional() }),
    output: One,
    errors: ['forbidden', 'conflict'],
    rate: 'create',
    http: 'POST /api/servers',
    who: 'people',
  }),
  'server:list': command({
    summary: 'Lists your servers.',
    input: Nothing,
    output: z.strictObject({ servers: z.array(Server) }),
    errors: [],
    rate: 'read',
    http: 'GET /api/servers',
  }),
  'server:open': command({
    summary:
      'Enters a server: returns the server, its channels and its members with their online status. If the answer has `more`, send the command again with it as `after`. Over HTTP it only reads.',
    input: z.strictObject({
      serverId: Id,
      since: Version.optional(),
      after: PartEnd.optional(),
    }),
    output: entryOf<'server'>(),
    errors: ['not_found'],
    rate: 'read',
    http: 'GET /api/servers/[serverId]',
  }),
  'server:update': command({
    summary:
      'Renames a server, changes its icon or makes another channel its default. The icon is a file of yours, uploaded with the purpose `icon`; null removes it. With `messageRequests`, members need a request to write to each other for the first time. With `closedToGuests`, guests can’t join any more. With `approval`, people ask to join and wait for approval. Turning it off keeps the open requests. With `noPreviews`, new links don’t get previews. Owner only.',
    input: z.strictObject({
      serverId: Id,
      name: ServerName.optional(),
      defaultChannelId: Id.optional(),
      icon: Id.nullable().optional(),
      messageRequests: z.boolean().optional(),
      closedToGuests: z.boolean().optional(),
      approval: z.boolean().optional(),
      noPreviews: z.boolean().optional(),
    }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    http: 'PATCH /api/servers/[serverId]',
  }),
  'server:delete': command({
    summary: 'Deletes a server with all its channels and messages. Owner only.',
    input: Which,
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    http: 'DELETE /api/servers/[serverId]',
  }),
  'server:join': command({
    summary:
      'Joins the server that an invite leads to. Changes nothing for members. Guests are refused if the invite or the server doesn’t admit them. If the server approves new members, people who aren’t members are refused. They can ask with `joinRequest:create`.',
    input: z.strictObject({ code: InviteCode }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
  'server:leave': command({
    summary: 'Leaves a server. Its owner has to transfer or delete it first.',
    input: Which,
    output: Nothing,
    errors: ['not_found', 'conflict'],
    rate: 'write',
  }),
};
