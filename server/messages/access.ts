import type { Account } from '../../shared/accounts.ts';
import { forbidden, notFound } from '../../shared/failure.ts';
import { permissionsOf, type Permission } from '../../shared/permissions.ts';
import { serversOfChannels } from '../channels/access.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { rolesIn } from '../members/access.ts';
import { whoMay } from '../servers/access.ts';

/** Somebody who wants something in a timeline. */
export interface Claim {
  user: Account;
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
  const rightsOf = await readRights(db, [claim], serverOf);
  demand(rightsOf(claim), permission);
  return { timelineId, serverId: serverOf.get(timelineId) ?? '' };
}

/**
 * The rights of many at once, by one query, in timelines whose servers are known. Under the locks of those
 * servers they stay true.
 */
export async function readRights(
  db: Db,
  claims: Claim[],
  serverOf: Map<string, string>,
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
    return role === undefined ? new Set() : permissionsOf(role, user);
  };
}

/** @throws ChatError not_found without the right to see, forbidden without this one */
export function demand(rights: ReadonlySet<Permission>, permission: Permission): void {
  if (!rights.has('see')) throw notFound();
  if (!rights.has(permission)) throw forbidden(whoMay(permission));
}
