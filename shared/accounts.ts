import { z } from 'zod';
import { BotScope } from './bots.ts';
import { Bounded, command, Id, Nothing, Text, Time } from './contract.ts';
import { InviteCode } from './invites.ts';
import { limits } from './limits.ts';
import { DisplayName, NewStatusText, Person } from './people.ts';

/** Folds a username, so that all its spellings are one account. */
export const foldUsername = (name: string) => name.normalize('NFKC').toLowerCase();

export const Username = Bounded(limits.username * 4, `Use at most ${limits.username} characters.`)
  .transform(foldUsername)
  .pipe(
    z
      .string()
      .min(limits.usernameMin, `Use at least ${limits.usernameMin} characters.`)
      .max(limits.username, `Use at most ${limits.username} characters.`)
      .regex(/^[a-z0-9._-]+$/, 'Use only lowercase letters, numbers, and .\u00a0_\u00a0-'),
  )
  .meta({ minLength: limits.usernameMin, maxLength: limits.username });

/** Normalized to NFC, so that é typed on two keyboards is one password. Never truncated. */
export const Password = Text(limits.password)
  .transform((text) => text.normalize('NFC'))
  .refine(
    (text) => [...text].length >= limits.passwordMin,
    `Too short: use at least ${limits.passwordMin} characters.`,
  )
  .meta({ minLength: limits.passwordMin });

/** A password to compare. It has no minimum length: one that could not be chosen is just wrong. */
const AnyPassword = Text(limits.password).transform((text) => text.normalize('NFC'));

export const Account = Person.extend({
  username: z.string().nullable(),
  /** For a bot: the most that its token allows. */
  scopes: z.array(BotScope).optional(),
});
export type Account = z.infer<typeof Account>;

/** Returns the owner’s id for a bot, because a bot’s use counts for its owner. */
export const personIdOf = ({ id, ownerId }: Pick<Account, 'id' | 'ownerId'>): string =>
  ownerId ?? id;

export const FoundPerson = Person.extend({ username: z.string() });
export type FoundPerson = z.infer<typeof FoundPerson>;

export const Register = z.strictObject({
  username: Username,
  password: Password,
  displayName: DisplayName.optional(),
  invite: InviteCode.optional(),
});
export const Login = z.strictObject({
  username: Bounded(1_024, 'That isn’t a username.'),
  password: AnyPassword,
  invite: InviteCode.optional(),
});
export const EnterAsGuest = z.strictObject({
  displayName: DisplayName,
  invite: InviteCode.optional(),
});
/** `revoke` also ends bot tokens, which someone who knew the password can have created. Default: `keep`. */
const BotTokens = z.enum(['keep', 'revoke']);
export type BotTokens = z.infer<typeof BotTokens>;
export const ResetPassword = z.strictObject({
  /** The part of the link after `#`. A wrong one does not work, so its format is not checked. */
  secret: Bounded(256, 'This link doesn’t work.'),
  password: Password,
  bots: BotTokens.optional(),
});
export const FreeUsername = z.strictObject({
  username: Username,
  /** Required where registration requires one. */
  invite: InviteCode.optional(),
});
export const SignedIn = z.strictObject({ user: Account });
export const SignedInAgain = SignedIn.extend({
  /** When the password was reset with an administrator’s link. Present for 30 days, or until the user changes it. */
  passwordResetAt: Time.optional(),
});
export const UsernameLook = z.strictObject({
  /** A sentence that suggests two free usernames. Absent if this one is free. */
  taken: z.string().optional(),
});

/** The endpoints under POST /api/auth/. All but `username` sign in. */
export const authEndpoints = {
  register: {
    summary:
      'Creates an account and signs in. If the sender is signed in as a guest, the guest becomes a registered person.',
    input: Register,
    status: 201,
    output: SignedIn,
  },
  login: {
    summary: 'Signs in and starts a new session.',
    input: Login,
    status: 200,
    output: SignedInAgain,
  },
  guest: {
    summary: 'Creates a guest, which lasts as long as its session.',
    input: EnterAsGuest,
    status: 201,
    output: SignedIn,
  },
  reset: {
    summary:
      'Sets a new password with an administrator’s link, ends all sessions of the account, and signs in; on request also revokes its bots’ tokens.',
    input: ResetPassword,
    status: 200,
    output: SignedIn,
  },
  username: {
    summary: 'Checks whether a username is available, for forms that check it while it is typed.',
    input: FreeUsername,
    status: 200,
    output: UsernameLook,
  },
} as const;

/** The public side of a session. Never contains the cookie’s value. */
export const Session = z.strictObject({
  id: Id,
  device: z.string(),
  createdAt: Time,
  lastSeenAt: Time,
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

export const accountCommands = {
  'session:logout': command({
    summary: 'Ends this session and closes its sockets on every node.',
    input: Nothing,
    output: Nothing,
    errors: [],
    rate: 'write',
    who: 'people',
  }),
  'session:list': command({
    summary: 'Lists your sessions, most recently seen first.',
    input: Nothing,
    output: z.strictObject({ sessions: z.array(Session) }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
  'session:revoke': command({
    summary: 'Ends one of your sessions, by its public id.',
    input: z.strictObject({ sessionId: Id }),
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
  'user:search': command({
    summary:
      'Finds registered people whose username or display name starts with or contains the query, ignoring case and accents. Not for guests.',
    input: z.strictObject({
      query: Text(limits.displayName).refine((text) => text.trim() !== '', 'Enter a name.'),
      limit: z.int().min(1).max(limits.searchResults).optional(),
    }),
    output: z.strictObject({ users: z.array(FoundPerson) }),
    errors: ['forbidden'],
    rate: 'search',
    http: 'GET /api/users',
    who: 'people',
  }),
  'user:update': command({
    summary:
      'Changes your display name, picture or status text everywhere. The picture is a file of yours, uploaded with the purpose `avatar`; null removes it. Guests can’t have one. A status text is hidden from `until` on; null removes it. Bots can’t have one.',
    input: z.strictObject({
      displayName: DisplayName.optional(),
      avatar: Id.nullable().optional(),
      statusText: NewStatusText.nullable().optional(),
    }),
    output: SignedIn,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
  'user:changePassword': command({
    summary:
      'Sets a new password and ends all your other sessions; on request also revokes your bots’ tokens.',
    input: z.strictObject({
      current: AnyPassword,
      next: Password,
      bots: BotTokens.optional(),
    }),
    output: Nothing,
    errors: ['forbidden', 'conflict'],
    rate: 'secret',
    who: 'people',
  }),
};
