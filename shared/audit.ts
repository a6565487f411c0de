/** Traces of what concerns security: who did what, to whom, from where and when. Never what was said, never a secret. */
import { z } from 'zod';
import { command, Id, PageSize, PersonId, Position, Time } from './contract.ts';
import { quotas } from './quotas.ts';
import { People } from './people.ts';

export const AuditAction = z.enum([
  'account:created',
  /** A guest registered. */
  'account:claimed',
  'session:created',
  /** A wrong password, or a username that nobody has. Who tried is not known. */
  'session:refused',
  'session:revoked',
  'password:changed',
  /** Somebody who is signed in named a wrong current password. */
  'password:refused',
  /** A new one was set by a link that an administrator made. */
  'password:reset',
  'reset:created',
  'account:signedOut',
  'account:suspended',
  'account:restored',
  'administrator:added',
  'administrator:removed',
  'bot:created',
  'bot:added',
  'bot:rotated',
  'bot:revoked',
  'bot:deleted',
  'server:claimed',
  'server:offered',
  /** By whom it was offered to, who owns it now; `userId` is who did. */
  'server:transferred',
  'server:deleted',
  'category:deleted',
  'emoji:deleted',
  'channel:closed',
  'channel:opened',
  'channel:memberAdded',
  'channel:memberRemoved',
  'channel:deleted',
  /** By somebody other than its author. */
  'message:deleted',
  /** All that somebody wrote in a server over some time, with their ban: one entry for all of them. */
  'messages:deleted',
  'member:roleChanged',
  'member:removed',
  'ban:created',
  'ban:deleted',
  /** By itself: its time was over. */
  'ban:ended',
  'invite:created',
  'invite:deleted',
]);
export type AuditAction = z.infer<typeof AuditAction>;

/**
 * One deed, or many alike: sign-ins of an hour from one address are one entry, and so is what one person does
 * too often in a day. `userId`, `subjectId` and `detail` are those of the first.
 */
export const AuditEntry = z.strictObject({
  id: Position,
  action: AuditAction,
  /** Null: nobody who was signed in, `npm run admin`, or the server by itself. */
  actorId: PersonId.nullable(),
  serverId: Id.nullable(),
  /** To whom it was done. */
  userId: PersonId.nullable(),
  /** To what it was done: a channel, a category, a message, a session. */
  subjectId: Id.nullable(),
  /**
   * The name of what was deleted, the role that was given, how an invite’s code begins, the reason of a ban; of many
   * messages, since when they were written.
   */
  detail: z.string().nullable(),
  at: Time,
  count: z.int().min(1),
  lastAt: Time,
  /** Told to the owner of the instance alone. Of IPv6, the network. */
  address: z.string().nullable().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const auditCommands = {
  'audit:list': command({
    summary: `Lists what was done in a server, newest first, for its owner. Without a server it lists everything, sign-ins too, for the owner of the instance, who owns Lobby. Kept for ${quotas.auditDays} days.`,
    input: z.strictObject({
      serverId: Id.optional(),
      /** The id of an entry: what is older. */
      before: Position.optional(),
      limit: PageSize.optional(),
    }),
    output: z.strictObject({
      entries: z.array(AuditEntry),
      people: People,
      more: z.strictObject({ before: z.boolean() }),
    }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
    who: 'people',
  }),
};
