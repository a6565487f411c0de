/** The kinds of callers that there are to a server, a group and a person, and what may become of what they ask. */
import type { FailureCode } from '../../shared/failure.ts';

export const kinds = [
  // Of a server and of nothing else. Whoever has no account at all is asked of by itself.
  'guest',
  'non-member',
  'member',
  'ex-member',
  'moderator',
  'owner',
  'owner of another server',
  // In no server: a friend of the other.
  'friend',
  // In the server and in the group: somebody whom the other blocks, and somebody who blocks the other.
  'blocked',
  'blocker',
  // In no server but in a group; of one that somebody else or that they themselves started.
  'participant',
  'ex-participant',
  'founder of a group',
  // Of the instance, and in no server of those that are asked about.
  'administrator',
] as const;
export type CallerKind = (typeof kinds)[number];

export type Cell = 'allowed' | Extract<FailureCode, 'forbidden' | 'not_found' | 'conflict'>;
/** What becomes of it, for each kind: nothing is left out. */
export type Cells = Record<CallerKind, Cell>;

const both = (one: Cell, among: readonly CallerKind[], other: Cell): Cells =>
  Object.fromEntries(
    kinds.map((kind) => [kind, among.includes(kind) ? one : other]),
  ) as unknown as Cells;

/** In a server, one as what one is there. */
export const serverKinds = [
  'guest',
  'member',
  'moderator',
  'owner',
  'blocked',
  'blocker',
] as const satisfies CallerKind[];
/** In the group. */
export const grouped = [
  'blocked',
  'blocker',
  'participant',
  'founder of a group',
] as const satisfies CallerKind[];
/** In a conversation with the other alone. */
export const paired = [
  'friend',
  'blocked',
  'blocker',
  'participant',
] as const satisfies CallerKind[];

export const everyone = both('allowed', kinds, 'allowed');
export const noOne = both('not_found', kinds, 'not_found');
/** What is of no kind listed here, though it is known to be there. */
export const nobody = both('forbidden', kinds, 'forbidden');
export const administrators: Cells = { ...nobody, administrator: 'allowed' };
export const registered: Cells = { ...everyone, guest: 'forbidden' };

export const insiders = both('allowed', serverKinds, 'not_found');
/** They see it, and may not. */
export const bystanders = both('forbidden', serverKinds, 'not_found');
export const keepers: Cells = { ...bystanders, moderator: 'allowed', owner: 'allowed' };
export const ownerOnly: Cells = { ...bystanders, owner: 'allowed' };
/** In a private channel whose members are the other and the owner: a role in the server is worth nothing. */
export const hidden: Cells = { ...noOne, owner: 'allowed' };

export const talkers = both('allowed', grouped, 'not_found');
/** They may, and it can’t be done. */
export const refusedTalkers = both('conflict', grouped, 'not_found');
/** What none of those in a group may. */
export const keptFrom = both('forbidden', grouped, 'not_found');

/** Two across a block go on reading what they wrote to each other. */
export const readers = both('allowed', paired, 'not_found');
export const writers: Cells = { ...readers, blocked: 'forbidden', blocker: 'forbidden' };
