import type { Account } from '../../shared/accounts.ts';
import { forbidden } from '../../shared/failure.ts';
import type { Member } from '../../shared/members.ts';
import { outranks, standingOf, type Standing } from '../../shared/permissions.ts';
import type { Db } from '../database/database.ts';
import type { AccessVersion } from '../realtime/node-messages.ts';
import {
  findAccessVersions,
  findStandings,
  findShared,
  type SharedServer,
  type Two,
} from './access-store.ts';
import { findBan, findBanMatch, type BanMatch } from './ban-store.ts';
import { findHolders } from './role-store.ts';
import { findMember, findMemberships, findOwner, findWithGrants } from './store.ts';

export type { Two };

export const memberOf = (db: Db, serverId: string, userId: string): Promise<Member | undefined> =>
  findMember(db, serverId, userId);

/** A member, with their standing now. */
export async function memberStanding(
  db: Db,
  serverId: string,
  userId: string,
): Promise<{ member: Member; standing: Standing } | undefined> {
  const found = await findWithGrants(db, serverId, userId);
  return found && { ...found, standing: standingOf(found.member, found.granted, Date.now()) };
}

export const isBanned = async (db: Db, serverId: string, userId: string): Promise<boolean> =>
  (await findBan(db, { serverId, userId })) !== undefined;

/** Returns what a ban of the server has in common with a person: it is theirs, or of their device or network. */
export const banMatchOf = (
  db: Db,
  serverId: string,
  user: Pick<Account, 'id' | 'kind'>,
): Promise<BanMatch | undefined> => findBanMatch(db, serverId, user);

export const ownerOf = (db: Db, serverId: string): Promise<string | undefined> =>
  findOwner(db, serverId);

/** The ids of a person's servers, each with its version in the person's own room. */
export async function membershipsOf(db: Db, userId: string): Promise<Map<string, number>> {
  const memberships = await findMemberships(db, [userId]);
  return new Map(memberships.map(({ serverId, userVersion }) => [serverId, userVersion]));
}

/**
 * Returns one shared server per two people, if possible one without `messageRequests`. Give the locked servers as
 * `serverIds` if the result has to hold until the commit.
 */
export const sharedServers = (
  db: Db,
  twos: Two[],
  serverIds?: string[],
): Promise<(SharedServer & Two)[]> => findShared(db, twos, serverIds);

export const accessVersionsOfMember = (db: Db, userId: string): Promise<AccessVersion[]> =>
  findAccessVersions(db, userId);

export async function standingsIn(
  db: Db,
  wanted: { userId: string; serverId: string | undefined }[],
): Promise<(userId: string, serverId: string | undefined) => Standing | undefined> {
  // Many channels of a server need its standing only once.
  const pairs = new Map(wanted.map((pair) => [`${pair.userId} ${pair.serverId}`, pair]));
  const found = await findStandings(
    db,
    [...pairs.values()].filter(
      (pair): pair is typeof pair & { serverId: string } => pair.serverId !== undefined,
    ),
  );
  const standings = new Map(
    found.map(({ userId, serverId, ...standing }) => [`${userId} ${serverId}`, standing]),
  );
  return (userId, serverId) => standings.get(`${userId} ${serverId}`);
}

/** The members of a server with one of these roles. */
export const holdersOf = async (db: Db, serverId: string, roleIds: string[]): Promise<string[]> =>
  roleIds.length === 0 ? [] : findHolders(db, serverId, roleIds);

interface Placed {
  member: Member;
  standing: Pick<Standing, 'granted'>;
}

const rankedAs = ({ member: { role }, standing: { granted } }: Placed) => ({ role, granted });

/** @throws ChatError forbidden */
export function requireOutrank(me: Placed, target: Placed): void {
  if (!outranks(rankedAs(me), rankedAs(target)))
    throw forbidden('You can only do this to members with a lower role than yours.');
}

/** Returns the ids of the members that `me` outranks. Reads the database only if one of them has a custom role. */
export async function outrankedAmong(
  db: Db,
  serverId: string,
  me: Placed,
  members: readonly Member[],
): Promise<Set<string>> {
  const holders = members.filter(({ roleIds }) => roleIds !== undefined);
  const wanted = holders.map(({ userId }) => ({ userId, serverId }));
  const standingIn = wanted.length > 0 ? await standingsIn(db, wanted) : () => undefined;
  const below = members.filter(({ userId, role }) =>
    outranks(rankedAs(me), { role, granted: standingIn(userId, serverId)?.granted ?? [] }),
  );
  return new Set(below.map(({ userId }) => userId));
}
