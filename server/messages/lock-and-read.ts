/**
 * Locks the timelines of a batch and reads the state that decides its writes. The reads are pipelined behind the locks
 * on one connection, because under load most of a send's time is its four round trips to PostgreSQL.
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

/** Valid while the locks are held. */
export interface Seen {
  rooms: Map<string, LockedRoom>;
  accessVersionOf: (timelineId: string) => AccessVersion | undefined;
  stored: Map<string, Message>;
  rights: ClaimRights;
}

interface ToLock {
  timelineIds: string[];
  scopes: TimelineScopes;
  known: KnownScopes;
  locking: Locking;
}

/** `held`: timelines that another transaction has locked, or whose rights or scope change. They are left out. */
export async function lockAndRead(
  db: Db,
  batch: Write[],
  { timelineIds, scopes, known, locking }: ToLock,
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

/** Skips locked timelines, so that they do not delay the others. */
async function lockAtOnce(db: Db, timelineIds: string[], scopes: TimelineScopes) {
  const [had, { rooms, held }] = await Promise.all([
    tryLockRights(db, locksOf(scopes)),
    tryLockRooms(db, timelineIds),
  ]);
  const isEnding = (id: string) => scopes.has(id) && !had.has(scopes.get(id)?.lock ?? '');
  return { rooms, held: new Set([...held, ...timelineIds.filter(isEnding)]) };
}

/** Waits for the locks. The batch has writes of only one timeline. */
async function lockInTurn(db: Db, timelineIds: string[], scopes: TimelineScopes) {
  const [, rooms] = await Promise.all([
    lockRights(db, { shared: locksOf(scopes) }),
    lockRooms(db, timelineIds),
  ]);
  return { rooms, held: new Set<string>() };
}

const locksOf = (scopes: TimelineScopes) => [...scopes.values()].map(({ lock }) => lock);
