/** The kinds of callers, by their relation to a server, a group and a person, and the outcomes of commands. */
import type { FailureCode } from '../../shared/failure.ts';

export const kinds = [
  // Related to a server only. Callers without an account are tested separately.
  'guest',
  'non-member',
  'member',
  'ex-member',
  // With a role of the server that grants everything that roles can grant.
  'member with a role',
  'moderator',
  'owner',
  'owner of another server',
  // In no server: a friend of the other.
  'friend',
  // In the server and in the group: a person blocked by the other, and a person who blocks the other.
  'blocked',
  'blocker',
  // In no server, but in a group started by another person or by themselves.
  'participant',
  'ex-participant',
  'founder of a group',
  // Administers the instance, and is in no server of the tests.
  'administrator',
] as const;
export type CallerKind = (typeof kinds)[number];

export type Cell = 'allowed' | Extract<FailureCode, 'forbidden' | 'not_found' | 'conflict'>;
export type Cells = Record<CallerKind, Cell>;

const both = (one: Cell, among: readonly CallerKind[], other: Cell): Cells =>
  Object.fromEntries(
    kinds.map((kind) => [kind, among.includes(kind) ? one : other]),
  ) as unknown as Cells;

/** Kinds with access to the server. */
export const serverKinds = [
  'guest',
  'member',
  'member with a role',
  'moderator',
  'owner',
  'blocked',
  'blocker',
] as const satisfies CallerKind[];
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
/** Forbidden to all kinds, though it is known to exist. */
export const nobody = both('forbidden', kinds, 'forbidden');
export const administrators: Cells = { ...nobody, administrator: 'allowed' };
export const registered: Cells = { ...everyone, guest: 'forbidden' };

export const serverMembers = both('allowed', serverKinds, 'not_found');
/** Visible in the server, but forbidden. */
export const forbiddenMembers = both('forbidden', serverKinds, 'not_found');
export const moderators: Cells = { ...forbiddenMembers, moderator: 'allowed', owner: 'allowed' };
/** Permissions that roles can grant. */
export const granted: Cells = { ...moderators, 'member with a role': 'allowed' };
export const ownerOnly: Cells = { ...forbiddenMembers, owner: 'allowed' };
/** A private channel of the other and the owner: roles in the server do not matter. */
export const hidden: Cells = { ...noOne, owner: 'allowed' };

export const groupMembers = both('allowed', grouped, 'not_found');
/** Permitted, but impossible. */
export const conflictInGroup = both('conflict', grouped, 'not_found');
/** Forbidden to everyone in a group. */
export const forbiddenInGroup = both('forbidden', grouped, 'not_found');

/** After a block, both can still read their messages. */
export const readers = both('allowed', paired, 'not_found');
export const writers: Cells = { ...readers, blocked: 'forbidden', blocker: 'forbidden' };
