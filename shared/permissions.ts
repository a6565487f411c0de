/**
 * Who may do what in a server: one pure function, used by both sides. The server refuses by it, the client
 * draws by it. Custom roles would be another source of the same sets.
 */

export type UserKind = 'guest' | 'registered' | 'bot';
export type Role = 'owner' | 'moderator' | 'member';

export type Permission =
  | 'see'
  | 'send'
  | 'invite'
  | 'rename self'
  | 'manage messages'
  | 'pin messages'
  | 'call everyone'
  | 'manage channels'
  | 'manage invites'
  | 'manage members'
  | 'manage server'
  | 'own';

const member: readonly Permission[] = ['see', 'send', 'invite', 'rename self'];
const moderator: readonly Permission[] = [
  ...member,
  'manage messages',
  'pin messages',
  'call everyone',
  'manage channels',
  'manage invites',
  'manage members',
];
const owner: readonly Permission[] = [...moderator, 'manage server', 'own'];

const byRole: Record<Role, ReadonlySet<Permission>> = {
  member: new Set(member),
  moderator: new Set(moderator),
  owner: new Set(owner),
};

/** Guests talk; they do not hold a place in the running of a server. */
const guests: ReadonlySet<Permission> = new Set<Permission>(['see', 'send', 'rename self']);

/** What a bot's token can allow. */
type Scope = 'send' | 'manage messages' | 'manage channels' | 'manage members';

interface Actor {
  kind: UserKind;
  scopes?: readonly Scope[] | undefined;
}

export function permissionsOf(role: Role, { kind, scopes = [] }: Actor): ReadonlySet<Permission> {
  if (kind === 'guest') return guests;
  if (kind === 'registered') return byRole[role];
  const allowed: readonly Permission[] = [
    ...(['see', 'rename self', ...scopes] as const),
    ...(scopes.includes('manage messages') ? (['pin messages', 'call everyone'] as const) : []),
  ];
  return new Set(allowed.filter((permission) => byRole[role].has(permission)));
}

/** Whether exactly some see a channel, and who. */
export type Privacy = { private: false } | { private: true; memberIds: readonly string[] };

const nothing: ReadonlySet<Permission> = new Set();

/** In a channel. A private one is nothing at all to who is not among its members, whatever their role. */
export const permissionsIn = (
  channel: Privacy,
  role: Role,
  user: { id: string; kind: UserKind; scopes?: readonly Scope[] | undefined },
): ReadonlySet<Permission> =>
  channel.private && !channel.memberIds.includes(user.id) ? nothing : permissionsOf(role, user);

const rank: Record<Role, number> = { member: 0, moderator: 1, owner: 2 };

/** A moderator acts on members only, the owner on everyone else. */
export const outranks = (mine: Role, theirs: Role) => rank[mine] > rank[theirs];

const listening: ReadonlySet<Permission> = new Set<Permission>(['see']);
const talking: ReadonlySet<Permission> = new Set<Permission>(['see', 'send', 'pin messages']);
const calling: ReadonlySet<Permission> = new Set<Permission>([...talking, 'call everyone']);

/**
 * What a participant may do in a conversation: each keeps order in their own words only,
 * and anyone pins what is to stay at hand. The two of a pair
 * across a block go on reading what they wrote to each other, and write no more.
 */
export const permissionsAmong = (
  { kind, scopes = [] }: Actor,
  { isBlocked }: Pick<Bond, 'isBlocked'>,
): ReadonlySet<Permission> =>
  isBlocked || (kind === 'bot' && !scopes.includes('send'))
    ? listening
    : kind === 'guest'
      ? talking
      : calling;

/** What there is between two people, as far as it decides whether they may write to each other. */
export interface Bond {
  areFriends: boolean;
  shareServer: boolean;
  /** One of the two blocks the other. */
  isBlocked: boolean;
}

/**
 * Who may start a conversation with whom, and add them to one: friends, and those who share a server; never
 * across a block.
 */
export const canStart = ({ areFriends, shareServer, isBlocked }: Bond): boolean =>
  (areFriends || shareServer) && !isBlocked;

/** Who removes people from a group: its founder; once the founder has left, the person who has been in it longest. */
export const keeperOf = (conversation: {
  creatorId: string;
  participantIds: readonly string[];
}): string | undefined =>
  conversation.participantIds.includes(conversation.creatorId)
    ? conversation.creatorId
    : conversation.participantIds[0];
