/**
 * Access versions: how a node knows, at the moment of delivery, that nobody in a room has lost their right to it. Each
 * server counts its revocations, and so does each conversation; the count travels with everything that is published.
 * A node that delivers something newer than the revocations it knows of reads those first. The truth is in PostgreSQL,
 * so this holds whatever becomes of the connections between nodes.
 */
import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { query, snapshot, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import type { Logger } from '../node/log.ts';
import type { AccessVersion, Revocation } from './node-messages.ts';
import type { RoomFeatures } from './room-features.ts';
import type { Subscribable } from './room-names.ts';
import type { Sockets } from './sockets.ts';

export interface AccessVersions {
  /**
   * Notes that a socket is about to join a room by a right that was read together with this access version. False if
   * this node has applied other revocations than that right knows of: later ones, one of which may be that very
   * person's, or fewer, one of which this person has come back from and would be evicted by again. Then `catchUpTo`
   * it, and read the right again.
   */
  tryJoinAt(room: Subscribable, accessVersion: AccessVersion): boolean;
  /** Resolves when every revocation up to this one has been applied here. Rejects if that cannot be known. */
  catchUpTo(accessVersion: AccessVersion): Promise<void>;
  /** Whether a room was closed after what was committed at this access version. */
  isClosed(accessVersion: AccessVersion, room: Room): boolean;
  /** Applies a revocation at once if it is the next one, else reads those that are missing. */
  applyRevocation(revocation: Revocation): void;
  /** Forgets scopes without a socket here, and rooms that had been closed when this was called before. */
  forgetUnheard(): void;
  /** How many closed rooms of a scope are remembered. */
  closedCount(scope: string): number;
  reset(): void;
}

/** What this node knows of a server or conversation in whose rooms it has sockets. */
interface ScopeState {
  version: number;
  rooms: Set<Subscribable>;
  /** Rooms of it that have ended, or not for everybody, and by which revocation: what was committed before may still be on its way here. */
  closed: Map<Room, number>;
  /** Which of those were known at the last `forgetUnheard`: up to this revocation. */
  closedBefore: number;
  catchingUp?: Promise<void> | undefined;
}

interface Needs {
  db: Db;
  log: Logger;
  sockets: Sockets;
  features: Pick<RoomFeatures, 'authorize'>;
}

interface Part extends Needs {
  scopes: Map<string, ScopeState>;
}

export function openAccessVersions(needs: Needs): AccessVersions {
  const scopes: Part['scopes'] = new Map();
  const part = { ...needs, scopes };
  return {
    tryJoinAt: (room, accessVersion) => tryJoinAt(part, room, accessVersion),
    catchUpTo: (accessVersion) => catchUpTo(part, accessVersion),
    isClosed: ({ scope, version }, room) => version < (scopes.get(scope)?.closed.get(room) ?? 0),
    applyRevocation: (revocation) => applyRevocation(part, revocation),
    forgetUnheard: () => forgetUnheard(part),
    closedCount: (scope) => scopes.get(scope)?.closed.size ?? 0,
    reset: () => scopes.clear(),
  };
}

function tryJoinAt({ scopes }: Part, room: Subscribable, { scope, version }: AccessVersion) {
  const known = scopes.get(scope);
  if (known === undefined) {
    scopes.set(scope, { version, rooms: new Set([room]), closed: new Map(), closedBefore: 0 });
    return true;
  }
  // While this node reads revocations, nobody joins to whom one of them may not have been applied.
  if (known.version !== version || known.catchingUp !== undefined) return false;
  known.rooms.add(room);
  return true;
}

async function catchUpTo(part: Part, { scope, version }: AccessVersion): Promise<void> {
  const known = part.scopes.get(scope);
  if (known === undefined || known.version >= version) return;
  known.catchingUp ??= catchUp(part, scope, known).finally(() => {
    known.catchingUp = undefined;
  });
  await known.catchingUp;
  // What was read may have been of a moment before.
  return catchUpTo(part, { scope, version });
}

async function catchUp(part: Part, scope: string, known: ScopeState): Promise<void> {
  const { db, scopes, sockets } = part;
  const since = known.version;
  const { now, revocations } = await snapshot(db, async (db) => ({
    now: (await readAccessVersions(db, [scope]))[0]?.version,
    revocations: await readRevocations(db, scope, since),
  }));
  if (now === undefined) {
    // The scope is no more, and nobody is in it.
    sockets.evict([...known.rooms]);
    scopes.delete(scope);
    return;
  }
  // Some may be missing because they were long ago: then nobody's right is taken for granted.
  const isComplete = revocations.length === now - since;
  const ofEveryone = isComplete
    ? revocations.filter(({ userId }) => userId === null)
    : [{ rooms: null }];
  for (const { rooms } of ofEveryone) await checkEveryone(part, rooms ?? known.rooms);
  // Those applied while this was being read are over: their people may have come back.
  for (const { version, userId, rooms } of revocations)
    if (userId !== null && version > known.version)
      sockets.evict(rooms ?? [...known.rooms], { userId });
  known.version = Math.max(known.version, now);
}

const readRevocations = (db: Db, scope: string, since: number) =>
  query<{ version: number; userId: string | null; rooms: Room[] | null }>(
    db,
    `select access_version as version, user_id as "userId", rooms from revocations
     where scope = $1 and access_version > $2 order by access_version`,
    [scope, since],
  );

async function checkEveryone(part: Part, rooms: Iterable<Subscribable>): Promise<void> {
  const { db, sockets, features } = part;
  for (const room of rooms) {
    const { kind, id } = splitRoom(room);
    for (const { data } of sockets.in(room)) {
      const right = await attempt(part, 'check', () =>
        features.authorize[kind](db, data.caller, [id]),
      );
      if (right.ok && right.value.has(id)) continue;
      if (!right.ok && right.error.retryable) throw new Error('rights cannot be read now');
      sockets.evict([room], { userId: data.caller.user.id });
    }
  }
}

function applyRevocation(part: Part, revocation: Revocation): void {
  const { scope, version, userId, rooms, stay: keepUserIds } = revocation;
  const known = part.scopes.get(scope);
  if (known === undefined || known.version >= version) return;
  if (known.version === version - 1) {
    known.version = version;
    if (userId === undefined) close(part, known, revocation);
    part.sockets.evict(rooms ?? [...known.rooms], { userId, keepUserIds });
  } else void attempt(part, 'revocation', () => catchUpTo(part, revocation));
}

function close({ sockets }: Part, { closed }: ScopeState, revocation: Revocation): void {
  const { scope, version, rooms = [], stay = [], quiet = false } = revocation;
  for (const room of rooms) closed.set(room, version);
  if (rooms.length > 0 && !quiet) sockets.emitTimelinesClosed(scope, rooms, stay);
}

function forgetUnheard({ scopes, sockets }: Part): void {
  for (const [scope, known] of scopes) {
    const { rooms, closed } = known;
    for (const [room, version] of closed) if (version <= known.closedBefore) closed.delete(room);
    known.closedBefore = known.version;
    for (const room of rooms) if (!sockets.hasAny(room)) rooms.delete(room);
    if (rooms.size === 0) scopes.delete(scope);
  }
}

/** How many revocations a scope has had, at the moment of this snapshot. */
export async function readAccessVersion(db: Db, scope: string): Promise<AccessVersion> {
  const [accessVersion] = await readAccessVersions(db, [scope]);
  if (accessVersion === undefined) throw notFound();
  return accessVersion;
}

export const readAccessVersions = (db: Db, scopes: string[]): Promise<AccessVersion[]> =>
  query(db, 'select id as scope, access_version as version from rooms where id = any($1::uuid[])', [
    scopes,
  ]);
