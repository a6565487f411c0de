/** Rights in a timeline, of a channel or of a conversation. Callers do not have to distinguish the two. */
import { notFound } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import { permissionsIn, type Permission } from '../../shared/permissions.ts';
import { channelRules, requireRight, serversOfChannels } from '../channels/access.ts';
import { locksOfConversations, rightsAmong, type RightsAmong } from '../conversations/access.ts';
import type { Db } from '../database/database.ts';
import { standingsIn } from '../members/access.ts';
import type { Caller } from '../caller.ts';
import type { Claim } from './claim.ts';
import { findMessage } from './store.ts';

/** The permissions of a claim's user in its timeline. Empty if the user cannot know of the timeline. */
export type RightsOf = (claim: Claim) => ReadonlySet<Permission>;

export interface TimelineScope {
  /** Absent for a conversation. */
  serverId?: string;
  /** The id of the server, or of the conversation itself. Access versions and revocations are counted by it. */
  scope: string;
  /** The lock that a transaction holds while it relies on a right. */
  lock: string;
}

export type TimelineScopes = ReadonlyMap<string, TimelineScope>;

/** @throws ChatError not_found if the caller cannot know of the timeline, forbidden if they lack the permission */
export async function timelineFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  timelineId: string,
  permission: Permission,
): Promise<Pick<TimelineScope, 'scope'>> {
  const { rights, scope } = await readTimelineRights(db, caller, timelineId);
  requireRight(rights, permission);
  return { scope };
}

/** Reads the user’s rights in a timeline. They are empty if the user cannot know of it. */
export async function readTimelineRights(
  db: Db,
  { user }: Pick<Claim, 'user'>,
  timelineId: string,
): Promise<Pick<TimelineScope, 'scope'> & { rights: ReadonlySet<Permission> }> {
  const claim = { user, timelineId };
  const scopes = await scopesOf(db, [timelineId]);
  const { rightsOf } = await readRights(db, [claim], scopes);
  return { rights: rightsOf(claim), scope: scopes.get(timelineId)?.scope ?? timelineId };
}

/** Finds tombstones, too. @throws ChatError not_found if the caller cannot know of the message */
export async function messageFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  id: string,
): Promise<Message> {
  const message = await findMessage(db, id);
  if (message === undefined) throw notFound();
  await timelineFor(db, caller, message.timelineId, 'see');
  return message;
}

/** Checks no rights: the write that follows does, under the locks. @throws ChatError not_found */
export async function timelineOfMessage(db: Db, id: string): Promise<string> {
  const message = await findMessage(db, id);
  if (message === undefined) throw notFound();
  return message.timelineId;
}

/** Returns the timelines that the user can see, each with its scope. Takes a fixed number of statements. */
export async function timelinesSeenBy(
  db: Db,
  { user }: Pick<Claim, 'user'>,
  timelineIds: string[],
): Promise<Map<string, string>> {
  const scopes = await scopesOf(db, timelineIds);
  const claims = [...scopes.keys()].map((timelineId) => ({ user, timelineId }));
  const { rightsOf } = await readRights(db, claims, scopes);
  const seen = claims.filter((claim) => rightsOf(claim).has('see'));
  return new Map(
    seen.map(({ timelineId }) => [timelineId, scopes.get(timelineId)?.scope ?? timelineId]),
  );
}

/** Returns the scope of each timeline that exists. A scope hardly ever changes, so it is read before the locks. */
export async function scopesOf(db: Db, timelineIds: string[]): Promise<TimelineScopes> {
  const scopes = new Map<string, TimelineScope>();
  for (const [id, serverId] of await serversOfChannels(db, timelineIds))
    scopes.set(id, { serverId, scope: serverId, lock: serverId });
  const others = timelineIds.filter((id) => !scopes.has(id));
  for (const [id, lock] of await locksOfConversations(db, others))
    scopes.set(id, { scope: id, lock });
  return scopes;
}

export interface ClaimRights extends Pick<RightsAmong, 'isRequest'> {
  rightsOf: RightsOf;
  isPrivate: (timelineId: string) => boolean;
}

/** Reads the rights of all claims at once. Under the locks of their scopes the rights do not change. */
export async function readRights(
  db: Db,
  claims: Claim[],
  scopes: TimelineScopes,
): Promise<ClaimRights> {
  const isConversation = (timelineId: string) => scopes.get(timelineId)?.scope === timelineId;
  const among = claims.filter(({ timelineId }) => isConversation(timelineId));
  const inChannels = claims.filter(({ timelineId }) => !isConversation(timelineId));
  const [rightsInChannels, inConversations] = await Promise.all([
    readChannelRights(db, inChannels, scopes),
    rightsAmong(db, among),
  ]);
  return {
    rightsOf: (claim) =>
      isConversation(claim.timelineId)
        ? inConversations.rightsOf(claim)
        : rightsInChannels.rightsOf(claim),
    isRequest: inConversations.isRequest,
    isPrivate: (timelineId) => isConversation(timelineId) || rightsInChannels.isPrivate(timelineId),
  };
}

async function readChannelRights(
  db: Db,
  claims: Claim[],
  scopes: TimelineScopes,
): Promise<Pick<ClaimRights, 'rightsOf' | 'isPrivate'>> {
  if (claims.length === 0) return { rightsOf: () => new Set(), isPrivate: () => false };
  const serverOf = (timelineId: string) => scopes.get(timelineId)?.serverId;
  const [rulesOf, standingIn] = await Promise.all([
    channelRules(
      db,
      [...new Set(claims.map(({ timelineId }) => timelineId))],
      claims.map(({ user }) => user.id),
    ),
    standingsIn(
      db,
      claims.map(({ user, timelineId }) => ({ userId: user.id, serverId: serverOf(timelineId) })),
    ),
  ]);
  return {
    rightsOf: ({ user, timelineId }: Claim): ReadonlySet<Permission> => {
      const standing = standingIn(user.id, serverOf(timelineId));
      return standing === undefined
        ? new Set()
        : permissionsIn(rulesOf(timelineId), standing, user);
    },
    isPrivate: (timelineId: string) => rulesOf(timelineId).private,
  };
}
