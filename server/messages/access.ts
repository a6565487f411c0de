import type { Account } from '../../shared/accounts.ts';
import { permissionsIn, type Permission, type Privacy } from '../../shared/permissions.ts';
import { demand, privaciesOf, serversOfChannels } from '../channels/access.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { rolesIn } from '../members/access.ts';

/** Somebody who wants something in a timeline. */
export interface Claim {
  user: Pick<Account, 'id' | 'kind' | 'scopes'>;
  timelineId: string;
}

/** What a claim's user may do in its timeline: nothing at all if they may not know of it. */
export type RightsOf = (claim: Claim) => ReadonlySet<Permission>;

/** Timelines that the caller holds a permission in, each with the server whose rights stand over it. */
export interface TimelineAccess {
  timelineId: string;
  serverId: string;
}

/**
 * The only way to a timeline.
 * @throws ChatError not_found if the caller may not know of it, forbidden if they may see it but not do this
 */
export async function timelineFor(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  timelineId: string,
  permission: Permission,
): Promise<TimelineAccess> {
  const claim = { user, timelineId };
  const serverOf = await serversOfChannels(db, [timelineId]);
  const privacyOf = await privaciesOf(db, [timelineId], [user.id]);
  const rightsOf = await readRights(db, [claim], { serverOf, privacyOf });
  demand(rightsOf(claim), permission);
  return { timelineId, serverId: serverOf.get(timelineId) ?? '' };
}

/**
 * The rights of many at once, by one query, in timelines whose servers and privacies are known. Under the
 * locks of those servers they stay true.
 */
export async function readRights(
  db: Db,
  claims: Claim[],
  {
    serverOf,
    privacyOf,
  }: { serverOf: Map<string, string>; privacyOf: (timelineId: string) => Privacy },
): Promise<RightsOf> {
  const roleIn = await rolesIn(
    db,
    claims.map(({ user, timelineId }) => ({
      userId: user.id,
      serverId: serverOf.get(timelineId),
    })),
  );
  return ({ user, timelineId }) => {
    const role = roleIn(user.id, serverOf.get(timelineId));
    return role === undefined ? new Set() : permissionsIn(privacyOf(timelineId), role, user);
  };
}
