import { z } from 'zod';
import { command, Id, Nothing, PersonId, Time } from './contract.ts';
import { limits } from './limits.ts';
import { quotas } from './quotas.ts';
import { People } from './people.ts';

export const InviteCode = z.string().regex(/^[A-Za-z0-9]{4,64}$/, 'This isn’t an invite code.');

export const Invite = z.strictObject({
  code: InviteCode,
  serverId: Id,
  /** Null after that account is deleted, and for the invite to own the first server. */
  createdBy: PersonId.nullable(),
  createdAt: Time,
  expiresAt: Time.nullable(),
  maxUses: z.int().nullable(),
  uses: z.int(),
  /** Guests can join with it, if the server is open to them. */
  guests: z.boolean(),
});
export type Invite = z.infer<typeof Invite>;

/** The public part of an invite. Its holder can read it before joining or signing in. */
export const InvitePreview = z.strictObject({
  code: InviteCode,
  server: z.strictObject({
    id: Id,
    name: z.string(),
    /** Read with `GET /files/<icon>/icon?invite=<code>`. */
    icon: Id.optional(),
    memberCount: z.int(),
    /** Absent for a server with fewer than ten members. In a large one, both are counted every few seconds. */
    onlineCount: z.int().optional(),
  }),
  /** The inviter’s name in the server. Absent for the one-time invite, and after they left. */
  invitedBy: z.string().optional(),
  /** The one-time invite of a new instance: the person who registers with it owns the server. */
  ownership: z.boolean(),
  /** Guests can join with it. */
  guests: z.boolean(),
  /** The server approves new members: ask to join with `joinRequest:create`. */
  approval: z.boolean(),
  /** You asked to join, and your request wasn’t answered yet. */
  requested: z.boolean(),
  /** The end of the pause. Absent if invites are not paused. */
  pausedUntil: Time.optional(),
  /** You can’t join because of the ban of someone on your device, or of a guest on your network. */
  banned: z.enum(['device', 'network']).optional(),
});
export type InvitePreview = z.infer<typeof InvitePreview>;

export const inviteCommands = {
  'invite:create': command({
    summary:
      'Creates an invite link. If it’s for 7 days with unlimited uses, also by guests, and you created such an invite within the last day, returns that one, unless `another` is true. Not for guests.',
    input: z.strictObject({
      serverId: Id,
      expiresInSeconds: z.int().min(1).max(limits.inviteSeconds).optional(),
      maxUses: z.int().min(1).max(limits.inviteUses).optional(),
      /** False: only people with an account can join with it. */
      guests: z.boolean().optional(),
      another: z.boolean().optional(),
    }),
    output: z.strictObject({ invite: Invite }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
  }),
  'invite:list': command({
    summary:
      'Lists a server’s invites, and the end of their pause. For moderators, the owner and custom roles with `manage invites`.',
    input: z.strictObject({ serverId: Id }),
    output: z.strictObject({
      invites: z.array(Invite),
      people: People,
      pausedUntil: Time.nullable(),
    }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
  }),
  'invite:get': command({
    summary:
      'Returns a preview of the server that an invite leads to. You don’t have to be a member.',
    input: z.strictObject({ code: InviteCode }),
    output: z.strictObject({ invite: InvitePreview }),
    errors: ['not_found'],
    rate: 'read',
    // Counts members.
    cost: () => 4,
  }),
  'invite:delete': command({
    summary: 'Revokes an invite: your own, or any as moderator or owner.',
    input: z.strictObject({ code: InviteCode }),
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
  'invite:pause': command({
    summary:
      'Pauses all invites of a server for this many seconds, so that no one new can join. 0 ends the pause. Members and adding bots aren’t affected. For moderators, the owner and custom roles with `manage invites`.',
    input: z.strictObject({
      serverId: Id,
      seconds: z.int().min(0).max(quotas.invitePauseSeconds),
    }),
    output: z.strictObject({ pausedUntil: Time.nullable() }),
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
};
