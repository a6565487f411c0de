/** Permissions in a server: one pure function, by which the server refuses and the client draws. */

export type UserKind = 'guest' | 'registered' | 'bot';
export type Role = 'owner' | 'moderator' | 'member';

export type Permission =
  | 'see'
  | 'send'
  /** Without a wait after their last message in a channel with slow mode. */
  | 'send at once'
  /** Including words that the server’s word filter refuses. */
  | 'use any words'
  | 'react'
  | 'invite'
  | 'rename self'
  | 'manage messages'
  | 'pin messages'
  | 'call everyone'
  | 'manage channels'
  | 'manage invites'
  | 'manage members'
  | 'give roles'
  | 'manage server'
  | 'own';

/**
 * Permissions that custom roles can grant. Every member has the first three, except in channels whose rules remove
 * them; a role restores them there.
 */
export const grantable = [
  ...(['send', 'send at once', 'use any words', 'manage messages', 'pin messages'] as const),
  ...(['call everyone', 'manage channels', 'manage invites', 'manage members'] as const),
] as const satisfies readonly Permission[];
export type Grantable = (typeof grantable)[number];

/** The roles of a member, as far as they decide about permissions. */
export interface Standing {
  /** An owner is never timed out. */
  role: Role | 'timed out';
  /** By custom roles. */
  granted: readonly Grantable[];
  /** Their custom roles. */
  roleIds: readonly string[];
}

const member: readonly Permission[] = [
  'see',
  'send',
  'send at once',
  'use any words',
  'react',
  'invite',
  'rename self',
];
const moderator: readonly Permission[] = [
  ...member,
  'manage messages',
  'pin messages',
  'call everyone',
  'manage channels',
  'manage invites',
  'manage members',
  'give roles',
];
const owner: readonly Permission[] = [...moderator, 'manage server', 'own'];

/** The permissions of every timed-out member. Compared by identity, to name the time-out in a refusal. */
export const timedOutRights: ReadonlySet<Permission> = new Set<Permission>(['see']);

const byRole: Record<Role, ReadonlySet<Permission>> = {
  member: new Set(member),
  moderator: new Set(moderator),
  owner: new Set(owner),
};

export const standingOf = (
  {
    role,
    timeoutUntil,
    roleIds = [],
  }: { role: Role; timeoutUntil?: string | undefined; roleIds?: readonly string[] | undefined },
  granted: readonly Grantable[],
  now: number,
): Standing => {
  const isTimedOut = timeoutUntil !== undefined && Date.parse(timeoutUntil) > now;
  return { role: isTimedOut && role !== 'owner' ? 'timed out' : role, granted, roleIds };
};

/** Guests can talk, but take no part in running a server. */
const guests: ReadonlySet<Permission> = new Set<Permission>([
  ...(['see', 'send', 'send at once', 'use any words', 'react', 'rename self'] as const),
]);

type Scope = 'send' | 'manage messages' | 'manage channels' | 'manage members';

interface Actor {
  kind: UserKind;
  scopes?: readonly Scope[] | undefined;
}

export function permissionsOf(
  { role, granted }: Pick<Standing, 'role' | 'granted'>,
  { kind, scopes = [] }: Actor,
): ReadonlySet<Permission> {
  if (role === 'timed out') return timedOutRights;
  if (kind === 'guest') return guests;
  const all = granted.length === 0 ? byRole[role] : new Set([...byRole[role], ...granted]);
  if (kind === 'registered') return all;
  const allowed: readonly Permission[] = [
    ...(['see', 'rename self', ...scopes] as const),
    ...(scopes.includes('send') ? (['send at once', 'use any words', 'react'] as const) : []),
    ...(scopes.includes('manage messages') ? (['pin messages', 'call everyone'] as const) : []),
    ...(scopes.includes('manage members') ? (['give roles'] as const) : []),
  ];
  return new Set(allowed.filter((permission) => all.has(permission)));
}

export type Privacy = { private: false } | { private: true; memberIds: readonly string[] };

/**
 * `announcements`: members can’t send messages. `slowSeconds`: they wait this long between two messages. `filtered`: they
 * can’t use the words of the server’s word filter; not sent to clients. A custom role can lift each of the three.
 * Members with a role in `senderRoleIds` can send messages despite `announcements`. Members with a role in
 * `callerRoleIds` can mention everyone.
 */
export type ChannelRules = Privacy & {
  announcements?: true | undefined;
  slowSeconds?: number | undefined;
  filtered?: true | undefined;
  senderRoleIds?: readonly string[] | undefined;
  callerRoleIds?: readonly string[] | undefined;
};

/** True if one of a member’s custom roles makes them a member of this private channel. */
export const isMemberByRole = (
  { viewerRoleIds = [] }: { viewerRoleIds?: readonly string[] | undefined },
  { roleIds = [] }: { roleIds?: readonly string[] | undefined },
): boolean => roleIds.some((id) => viewerRoleIds.includes(id));

/** The permissions that a member’s custom roles grant everywhere, and those that they have in this channel. */
const grantedIn = (
  { senderRoleIds, callerRoleIds }: ChannelRules,
  { granted, roleIds }: Standing,
): readonly Grantable[] => [
  ...granted,
  ...(roleIds.some((id) => senderRoleIds?.includes(id)) ? (['send'] as const) : []),
  ...(roleIds.some((id) => callerRoleIds?.includes(id)) ? (['call everyone'] as const) : []),
];

const nothing: ReadonlySet<Permission> = new Set();

/** Permissions in a channel. People who are not members of a private one have none, regardless of their role. */
export function permissionsIn(
  channel: ChannelRules,
  standing: Standing,
  user: { id: string; kind: UserKind; scopes?: readonly Scope[] | undefined },
): ReadonlySet<Permission> {
  if (channel.private && !channel.memberIds.includes(user.id)) return nothing;
  const granted = grantedIn(channel, standing);
  const permissions = permissionsOf({ role: standing.role, granted }, user);
  const { announcements, slowSeconds, filtered } = channel;
  if (standing.role !== 'member' || !(announcements || slowSeconds || filtered)) return permissions;
  const kept: readonly Permission[] = user.kind === 'guest' ? [] : granted;
  return new Set(
    [...permissions].filter(
      (permission) =>
        kept.includes(permission) ||
        (!(permission === 'send' && announcements) &&
          !(permission === 'send at once' && slowSeconds) &&
          !(permission === 'use any words' && filtered)),
    ),
  );
}

interface Ranked {
  role: Role;
  /** By custom roles. */
  granted: readonly Grantable[];
}

/** A member whose custom role grants `manage members` is below moderators, and above other members. */
const rankOf = ({ role, granted }: Ranked): number => {
  if (role === 'member') return granted.includes('manage members') ? 1 : 0;
  return role === 'moderator' ? 2 : 3;
};

/** A member can manage only members that they outrank. */
export const outranks = (mine: Ranked, theirs: Ranked): boolean => rankOf(mine) > rankOf(theirs);

const listening: ReadonlySet<Permission> = new Set<Permission>(['see']);
const talking: ReadonlySet<Permission> = new Set<Permission>([
  ...(['see', 'send', 'send at once', 'use any words', 'react', 'pin messages'] as const),
]);
const calling: ReadonlySet<Permission> = new Set<Permission>([...talking, 'call everyone']);

/**
 * Permissions of a participant in a conversation: they moderate only their own messages, and anyone can pin. Across a
 * block, the two people of a pair can still read, but not write.
 */
export const permissionsAmong = (
  { kind, scopes = [] }: Actor,
  { isBlocked }: Pick<Relation, 'isBlocked'>,
): ReadonlySet<Permission> =>
  isBlocked || (kind === 'bot' && !scopes.includes('send'))
    ? listening
    : kind === 'guest'
      ? talking
      : calling;

/** The relation of two people, as far as it decides whether they can write to each other. */
export interface Relation {
  areFriends: boolean;
  shareServer: boolean;
  /** One of the two blocks the other. */
  isBlocked: boolean;
}

export const canStart = ({ areFriends, shareServer, isBlocked }: Relation): boolean =>
  (areFriends || shareServer) && !isBlocked;

/** The person who can remove people from a group: its founder, or without them the longest participant. */
export const groupManagerOf = (conversation: {
  creatorId: string;
  participantIds: readonly string[];
}): string | undefined =>
  conversation.participantIds.includes(conversation.creatorId)
    ? conversation.creatorId
    : conversation.participantIds[0];
