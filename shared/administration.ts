import { z } from 'zod';
import { command, Id, Line, More, Nothing, pageAfter, Text, Time } from './contract.ts';
import { limits } from './limits.ts';
import { Person } from './people.ts';

/** The owner of Lobby owns the instance and appoints administrators. */
export const InstanceRole = z.enum(['owner', 'administrator']);
export type InstanceRole = z.infer<typeof InstanceRole>;

export const ManagedAccount = Person.extend({
  /** Absent for guests. */
  username: z.string().optional(),
  administers: InstanceRole.optional(),
  suspended: z.boolean(),
  createdAt: Time,
  /** The last use of any live session, accurate to five minutes. Absent when there is none. */
  lastSeenAt: Time.optional(),
});
export type ManagedAccount = z.infer<typeof ManagedAccount>;

/** Filters of `account:list`. `administrators` includes the owner. */
export const accountGroups = ['guests', 'administrators', 'suspended'] as const;
export type AccountGroup = (typeof accountGroups)[number];

export const SignupPolicy = z.enum(['open', 'invite', 'closed']);
export type SignupPolicy = z.infer<typeof SignupPolicy>;

export const InstanceSettings = z.strictObject({
  /** Shown on the sign-in page. Empty if the instance has no name. */
  name: Line(limits.serverName),
  registration: SignupPolicy,
  guests: SignupPolicy,
  /** Either everyone with an account or only administrators can create servers. */
  serverCreation: z.enum(['everyone', 'administrators']),
});
export type InstanceSettings = z.infer<typeof InstanceSettings>;

const Instance = z.strictObject({
  settings: InstanceSettings.extend({ name: z.string() }),
  /** The environment variable of each setting that one sets. Such a setting can’t be changed. */
  locked: z.record(z.string(), z.string()),
  /** The running nodes: the one that answers, then the others by start time. */
  nodes: z.array(z.strictObject({ id: Id, version: z.string(), startedAt: Time })),
});

const UserTarget = z.strictObject({ userId: Id });
const Managed = z.strictObject({ account: ManagedAccount });

export const administrationCommands = {
  'instance:get': command({
    summary: 'Reads the settings of the instance, for its administrators.',
    input: Nothing,
    output: Instance,
    errors: ['forbidden'],
    rate: 'read',
    who: 'people',
  }),
  'instance:update': command({
    summary:
      'Changes settings of the instance, for its administrators. Returns `conflict` for a setting that an environment variable sets.',
    input: InstanceSettings.partial(),
    output: Instance,
    errors: ['forbidden', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
  'account:list': command({
    summary:
      'Lists the registered accounts and guests by id, or one `group` of them, a page at a time. Like all account:… commands, for administrators of the instance.',
    input: z.strictObject({
      ...pageAfter,
      /** Text in a name or username, ignoring case and accents. One or two letters must begin a word. */
      query: Text(limits.displayName).optional(),
      group: z.enum(accountGroups).optional(),
    }),
    output: z.strictObject({ accounts: z.array(ManagedAccount), more: More }),
    errors: ['forbidden'],
    rate: 'read',
    // A search reads many names.
    cost: ({ query }) => (query === undefined ? 1 : 4),
    who: 'people',
  }),
  'account:reset': command({
    summary: `Creates a one-time link for a forgotten password, \`/reset#secret\`, valid for an hour. An older link of the account stops working. Only the owner can reset administrators. Returns \`conflict\` for a suspended account or a guest.`,
    input: UserTarget,
    output: z.strictObject({
      /** Shown only now, because the server stores only its hash. */
      secret: z.string(),
      expiresAt: Time,
    }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
    who: 'people',
  }),
  'account:signOut': command({
    summary: 'Ends all sessions of an account. Only the owner can do this to an administrator.',
    input: UserTarget,
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
    who: 'people',
  }),
  'account:update': command({
    summary:
      'Suspends or restores an account, or, for the owner, makes it an administrator. A suspended account can’t sign in; its sessions and its bots’ tokens end, and its messages stay. Only the owner can change an administrator. You can’t suspend yourself or the owner, and a guest can’t be an administrator.',
    input: UserTarget.extend({
      suspended: z.boolean().optional(),
      administrator: z.boolean().optional(),
    }),
    output: Managed,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
    who: 'people',
  }),
};
