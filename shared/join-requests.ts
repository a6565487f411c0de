/** Requests to join servers that approve new members. */
import { z } from 'zod';
import { command, Id, Ids, Nothing, PersonId, Time } from './contract.ts';
import { InviteCode } from './invites.ts';
import { limits } from './limits.ts';
import { People } from './people.ts';
import { quotas } from './quotas.ts';

export const JoinRequest = z.strictObject({
  userId: PersonId,
  /** The creator of the invite. Null if their account was deleted, or if a new account asks to join the lobby. */
  invitedBy: PersonId.nullable(),
  createdAt: Time,
});
export type JoinRequest = z.infer<typeof JoinRequest>;

/** A request in the list of its sender. */
export const OwnJoinRequest = z.strictObject({
  serverId: Id,
  serverName: z.string(),
  createdAt: Time,
});
export type OwnJoinRequest = z.infer<typeof OwnJoinRequest>;

const Which = z.strictObject({ serverId: Id });

export const joinRequestCommands = {
  'joinRequest:create': command({
    summary: `Asks to join the server that an invite leads to. Counts as one use of the invite. Joins right away if the server doesn’t approve new members. Changes nothing for members and people who already asked. A server can have up to ${quotas.joinRequests} requests, at most half of them from guests. A person can have up to ${quotas.joinRequestsPerPerson}.`,
    input: z.strictObject({ code: InviteCode }),
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'ask',
    who: 'people',
  }),
  'joinRequest:mine': command({
    summary: 'Lists your own requests to join servers.',
    input: Nothing,
    output: z.strictObject({ requests: z.array(OwnJoinRequest) }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
  'joinRequest:cancel': command({
    summary: 'Cancels your request to join a server.',
    input: Which,
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
  'joinRequest:list': command({
    summary:
      'Lists the people who asked to join a server, oldest request first. For moderators, the owner and custom roles with `manage members`.',
    input: Which,
    output: z.strictObject({ requests: z.array(JoinRequest), people: People }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
    cost: () => 4,
  }),
  'joinRequest:accept': command({
    summary: 'Accepts a request to join a server. The person becomes a member.',
    input: z.strictObject({ serverId: Id, userId: Id }),
    output: Nothing,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'joinRequest:decline': command({
    summary:
      'Declines requests to join a server. Skips people without a request. Declined people aren’t notified and can ask again unless they’re banned.',
    input: z.strictObject({ serverId: Id, userIds: Ids(limits.page, 1) }),
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
};
