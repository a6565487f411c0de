/** The security audit log: who did what, when and from where. Never contains message texts or secrets. */
import { z } from 'zod';
import { command, Id, InputTime, List, PageSize, PersonId, Position, Time } from './contract.ts';
import { People } from './people.ts';

export const AuditAction = z.enum([
  'account:created',
  /** A guest registered. */
  'account:claimed',
  'session:created',
  /** A wrong password, or a username that does not exist. The person who tried is unknown. */
  'session:refused',
  'session:revoked',
  'password:changed',
  /** A signed-in person gave a wrong current password. */
  'password:refused',
  /** Set with an administrator’s link. */
  'password:reset',
  'reset:created',
  'account:signedOut',
  'account:suspended',
  'account:restored',
  'administrator:added',
  'administrator:removed',
  'instance:renamed',
  /** Changes of the signup policies and of server creation. `detail` is the new value. */
  'instance:registrationSet',
  'instance:guestsSet',
  'instance:serverCreationSet',
  'bot:created',
  'bot:added',
  'bot:rotated',
  'bot:revoked',
  'bot:deleted',
  'server:claimed',
  'server:offered',
  /** The actor accepted the offer and is the new owner; `userId` is the former owner. */
  'server:transferred',
  /** On: members need a request to write to each other for the first time. Off: they need none. */
  'server:requestsOn',
  'server:requestsOff',
  'server:closedToGuests',
  'server:openedToGuests',
  'server:approvalOn',
  'server:approvalOff',
  'joinRequest:accepted',
  'joinRequest:declined',
  'server:previewsOff',
  'server:previewsOn',
  /** `detail` is the number of entries. */
  'wordFilter:changed',
  'server:deleted',
  'category:deleted',
  'emoji:deleted',
  'role:created',
  'role:changed',
  'role:deleted',
  'role:given',
  'role:taken',
  'channel:closed',
  'channel:opened',
  /** On: only moderators, the owner and some custom roles can send messages in the channel. Off: all who can see it can. */
  'channel:announcementsOn',
  'channel:announcementsOff',
  'channel:slowModeSet',
  /** The custom roles that can send messages or mention everyone in the channel. */
  'channel:rolesSet',
  'channel:memberAdded',
  'channel:memberRemoved',
  'channel:deleted',
  /** Deleted by a person other than its author. */
  'message:deleted',
  /** One entry for all messages of a person that were deleted with their ban. */
  'messages:deleted',
  /** A report of the message; `userId` is its author. */
  'report:handled',
  'report:dismissed',
  'member:roleChanged',
  'member:removed',
  'member:timedOut',
  /** By a person, or because its time was over. */
  'member:timeoutEnded',
  'ban:created',
  'ban:deleted',
  /** The ban’s time was over. */
  'ban:ended',
  'invite:created',
  'invite:deleted',
  'invite:paused',
  /** Someone ended the pause. Its expiry is not recorded. */
  'invite:resumed',
]);
export type AuditAction = z.infer<typeof AuditAction>;

/**
 * One action, or several alike: the sign-ins of an hour from one address share an entry, and so do frequent actions of
 * one person within a day. `userId`, `subjectId` and `detail` are those of the first.
 */
export const AuditEntry = z.strictObject({
  id: Position,
  action: AuditAction,
  /** Null: a person who was not signed in, `npm run admin`, or the server itself. */
  actorId: PersonId.nullable(),
  serverId: Id.nullable(),
  userId: PersonId.nullable(),
  /** The channel, category, message or session that it was done to. */
  subjectId: Id.nullable(),
  /**
   * By action: the name of the deleted thing or of a role, the new built-in role, the beginning of an invite code, the reason of a ban or a
   * time-out, the seconds of slow mode, or the end of a pause of invites.
   * For many messages: the time since which they were written.
   */
  detail: z.string().nullable(),
  at: Time,
  count: z.int().min(1),
  lastAt: Time,
  /** Sent only to the owner of the instance. For IPv6, the network. */
  address: z.string().nullable().optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The field that names a person in an entry: `actorId` (actor) or `userId` (target). */
export const AuditPersonField = z.enum(['actor', 'target']);
export type AuditPersonField = z.infer<typeof AuditPersonField>;

/** Entries that one request with a filter reads. */
export const maxAuditSearched = 5_000;

export const auditCommands = {
  'audit:list': command({
    summary: `Lists the audit log of a server, newest entries first, for its owner. Without a server, lists all entries, including sign-ins, for the owner of the instance, who owns Lobby. With \`actions\`, \`personId\`, \`since\` or \`until\`, one request reads at most ${maxAuditSearched} entries, so an answer can have few or no entries even if older ones match. Continue with \`more\`.`,
    input: z.strictObject({
      serverId: Id.optional(),
      /** The id of an entry, or `more` of an answer. Returns older ones. */
      before: Position.optional(),
      limit: PageSize.optional(),
      /** Returns only these actions. */
      actions: List(AuditAction, AuditAction.options.length, 1).optional(),
      /** Returns only entries by this person, or about them. `as` limits this to one of the two, and has no effect without `personId`. */
      personId: PersonId.optional(),
      as: AuditPersonField.optional(),
      /** Returns only entries with an action at this time or later. */
      since: InputTime.optional(),
      /** Returns only entries with an action before this time. */
      until: InputTime.optional(),
    }),
    output: z.strictObject({
      entries: z.array(AuditEntry),
      people: People,
      /** The `before` of the next request. Null if there are no older entries. */
      more: Position.nullable(),
      /** The names of the servers in the entries that still exist. Empty in the log of one server. */
      serverNames: z.record(Id, z.string()),
      /** How many days entries are kept. */
      keptDays: z.int(),
    }),
    errors: ['forbidden', 'not_found'],
    rate: 'read',
    // A filter reads more than it returns.
    cost: ({ actions, personId, since, until }) =>
      (actions ?? personId ?? since ?? until) ? 4 : 1,
    who: 'people',
  }),
};
