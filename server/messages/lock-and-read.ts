/**
 * Locks what a batch of writes concerns, and reads what it is decided by. What is read follows the locks on the same
 * connection, so it goes out with them: a send waits for PostgreSQL four times, which under load is most of its time.
 */
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import {
  lockRights,
  lockRooms,
  tryLockRights,
  tryLockRooms,
  type LockedRoom,
} from '../database/locks.ts';
import { readAccessVersions } from '../realtime/access-version.ts';
import type { AccessVersion } from '../realtime/node-messages.ts';
import { readRights, type ClaimRights, type TimelineScopes } from './access.ts';
import type { KnownScopes } from './known-scopes.ts';
import { findMessages } from './store.ts';
import type { Locking, Write } from './write.ts';

/** What a batch is decided by: true for as long as the locks are held. */
export interface Seen {
  rooms: Map<string, LockedRoom>;
  accessVersionOf: (timelineId: string) => AccessVersion | undefined;
  stored: Map<string, Message>;
  rights: ClaimRights;
}

interface Wanted {
  timelineIds: string[];
  scopes: TimelineScopes;
  known: KnownScopes;
  locking: Locking;
}

/**
 * `held` are timelines that somebody else holds, or whose rights are about to change: they are left out, as are those
 * for which another scope's lock would have been needed.
 */
export async function lockAndRead(
  db: Db,
  batch: Write[],
  { timelineIds, scopes, known, locking }: Wanted,
): Promise<Seen & { held: ReadonlySet<string> }> {
  const scopeIds = [...new Set([...scopes.values()].map(({ scope }) => scope))];
  const lock = locking === 'in turn' ? lockInTurn : lockAtOnce;
  const [{ rooms, held }, elsewhere, versions, stored, rights] = await Promise.all([
    lock(db, timelineIds, scopes),
    known.changed(db, scopes),
    readAccessVersions(db, scopeIds),
    findMessages(
      db,
      batch.map(({ id }) => id),
    ),
    readRights(db, batch, scopes),
  ]);
  const byScope = new Map(versions.map((one) => [one.scope, one]));
  const accessVersionOf = (id: string) => byScope.get(scopes.get(id)?.scope ?? '');
  return { rooms, held: new Set([...held, ...elsewhere]), accessVersionOf, stored, rights };
}

/** What one timeline has to wait for is no business of the others. */
async function lockAtOnce(db: Db, timelineIds: string[], scopes: TimelineScopes) {
  const [had, { rooms, held }] = await Promise.all([
    tryLockRights(db, locksOf(scopes)),
    tryLockRooms(db, timelineIds),
  ]);
  const isEnding = (id: string) => scopes.has(id) && !had.has(scopes.get(id)?.lock ?? '');
  return { rooms, held: new Set([...held, ...timelineIds.filter(isEnding)]) };
}

/** Of one timeline alone. */
async function lockInTurn(db: Db, timelineIds: string[], scopes: TimelineScopes) {
  const [, rooms] = await Promise.all([
    lockRights(db, { shared: locksOf(scopes) }),
    lockRooms(db, timelineIds),
  ]);
  return { rooms, held: new Set<string>() };
}

const locksOf = (scopes: TimelineScopes) => [...scopes.values()].map(({ lock }) => lock);
