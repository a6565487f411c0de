import type { Conversation } from '../../shared/conversations.ts';
import { notFound } from '../../shared/failure.ts';
import { permissionsAmong, type Permission } from '../../shared/permissions.ts';
import { blockedPairs } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import { pairLock } from '../database/locks.ts';
import type { Claim } from '../messages/claim.ts';
import type { Caller } from '../caller.ts';
import { needNoRequest } from './messaging-rights.ts';
import { findParticipations, findPartners, findPartnersAmong } from './participation-store.ts';
import * as store from './store.ts';

/** The only way to a conversation, as the caller's own list has it. @throws ChatError not_found to everyone outside */
export async function conversationFor(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  id: string,
): Promise<Conversation> {
  const conversation = await store.findConversation(db, id, user.id);
  if (conversation === undefined) throw notFound();
  return conversation;
}

/** The lock of each conversation that exists: the id of a group, or the lock of the two people of a pair. */
export async function locksOfConversations(db: Db, ids: string[]): Promise<Map<string, string>> {
  const found = await store.findKinds(db, ids);
  return new Map(
    found.map(({ id, lowId, highId }) => [
      id,
      lowId === null || highId === null ? id : pairLock(lowId, highId),
    ]),
  );
}

export interface RightsAmong {
  rightsOf: (claim: Claim) => ReadonlySet<Permission>;
  /** True when the person has not answered the request. */
  isRequest: (claim: Claim) => boolean;
}

/**
 * The rights of many people, each in one conversation. They stay valid under the conversation's lock. Exception: the
 * first message of a pair can be stored at the instant in which its sender leaves the shared server.
 */
export async function rightsAmong(db: Db, claims: Claim[]): Promise<RightsAmong> {
  if (claims.length === 0) return { rightsOf: () => new Set(), isRequest: () => false };
  const found = await findParticipations(
    db,
    claims.map(({ user, timelineId }) => ({ userId: user.id, conversationId: timelineId })),
  );
  const known = new Map(found.map((one) => [`${one.userId} ${one.conversationId}`, one]));
  const of = ({ user, timelineId }: Claim) => known.get(`${user.id} ${timelineId}`);
  const apart = await blockedPairs(
    db,
    found.flatMap(({ userId, otherId }) => (otherId === null ? [] : [[userId, otherId] as const])),
  );
  const startable = await startableAmong(
    db,
    claims.flatMap((claim) => {
      const { isUnused, otherId = null } = of(claim) ?? {};
      return isUnused && otherId !== null ? [{ claim, otherId }] : [];
    }),
  );
  return {
    isRequest: (claim) => of(claim)?.isRequest === true,
    rightsOf: (claim) => {
      const found = of(claim);
      if (found === undefined) return new Set();
      const { user } = claim;
      const { otherId, isOver } = found;
      const isApart =
        isOver ||
        (otherId !== null && apart(user.id, otherId)) ||
        (found.isUnused && !startable.has(claim));
      return permissionsAmong(user, { isBlocked: isApart });
    },
  };
}

/**
 * The claims whose user needs no request for the other person now. A pair without messages gives no right by itself:
 * otherwise a member could open pairs with a whole server, be banned, and still write to everyone.
 */
async function startableAmong(
  db: Db,
  unused: { claim: Claim; otherId: string }[],
): Promise<ReadonlySet<Claim>> {
  const needsNone = await needNoRequest(
    db,
    unused.map(({ claim: { user }, otherId }) => ({ user, otherId })),
  );
  return new Set(
    unused
      .filter(({ claim, otherId }) => needsNone(claim.user.id, otherId))
      .map(({ claim }) => claim),
  );
}

export const participantsOf = (db: Db, conversationId: string): Promise<string[]> =>
  store.participantIds(db, conversationId);

/** The conversations of a person, without ignored ones. */
export const conversationIdsOf = (db: Db, userId: string): Promise<string[]> =>
  store.findIdsOf(db, userId);

export const partnersOf = (db: Db, userId: string): Promise<string[]> => findPartners(db, userId);

/** Maps each of `userIds` to those of `otherIds` whose presence they see because of a conversation. */
export async function partnersAmong(
  db: Db,
  userIds: string[],
  otherIds: string[],
): Promise<Map<string, string[]>> {
  const partners = await findPartnersAmong(db, userIds, otherIds);
  const apart = await blockedPairs(
    db,
    partners.flatMap(({ userId, otherId, isPair }) => (isPair ? [[userId, otherId] as const] : [])),
  );
  const among = new Map<string, string[]>();
  for (const { userId, otherId, isPair } of partners)
    if (!isPair || !apart(userId, otherId))
      among.set(userId, [...(among.get(userId) ?? []), otherId]);
  return among;
}
