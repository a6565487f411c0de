/**
 * Ensures that a change is never delivered to a socket that has lost access, even when messages between nodes are lost.
 * Each server and conversation counts its revocations, and every published change carries this access version. A node
 * that has applied fewer revocations reads the missing ones from PostgreSQL before it delivers the change.
 */
import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { named, query, readTransaction, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import type { Logger } from '../node/log.ts';
import type { AccessVersion, Revocation } from './node-messages.ts';
import type { RoomFeatures } from './room-features.ts';
import type { Subscribable } from './room-names.ts';
import type { Sockets } from './sockets.ts';

interface ScopeState {
  version: number;
  rooms: Set<Subscribable>;
  /** Rooms that were deleted or made private: earlier changes may still arrive here. */
  closed: Map<Room, Closed>;
  /** The access version at the last `forgetUnused`: rooms closed up to it are removed at the next. */
  closedBefore: number;
  catchingUp?: Promise<void> | undefined;
}

/** The access version at which a room was closed. `isAnnounced`: this node has announced it to the server's sockets. */
interface Closed {
  version: number;
  isAnnounced: boolean;
}

interface Needs {
  db: Db;
  log: Logger;
  sockets: Sockets;
  features: Pick<RoomFeatures, 'authorize'>;
}

export interface Rights {
  joins: (readonly [room: Subscribable, accessVersion: AccessVersion])[];
}

export class AccessVersions {
  readonly #needs: Needs;
  readonly #scopes = new Map<string, ScopeState>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /**
   * Reads rights until this node has applied exactly their revocations, then calls `act`. Nothing else runs on this
   * node between the check and `act`, so every later revocation removes a socket that joins there.
   */
  async join<T extends Rights, R>(
    read: () => Promise<T>,
    act: (rights: T) => R | Promise<R>,
  ): Promise<R> {
    for (;;) {
      const rights = await read();
      const late = rights.joins.filter(([room, version]) => !this.tryJoinAt(room, version));
      if (late.length === 0) return act(rights);
      for (const [, accessVersion] of late) await this.catchUpTo(accessVersion);
    }
  }

  /**
   * Call right before a join, with the access version that was read together with the right. False if this node has
   * applied more revocations, of which one may concern this user; or fewer, which could evict a user who has rejoined.
   */
  tryJoinAt(room: Subscribable, { scope, version }: AccessVersion): boolean {
    const known = this.#scopes.get(scope);
    if (known === undefined) {
      const rooms = new Set([room]);
      this.#scopes.set(scope, { version, rooms, closed: new Map(), closedBefore: 0 });
      return true;
    }
    // No join while revocations are being read: one of them may concern the user.
    if (known.version !== version || known.catchingUp !== undefined) return false;
    known.rooms.add(room);
    return true;
  }

  /** Resolves when every revocation up to this version is applied on this node. Rejects if they cannot be read. */
  async catchUpTo({ scope, version }: AccessVersion): Promise<void> {
    const known = this.#scopes.get(scope);
    if (known === undefined || known.version >= version) return;
    known.catchingUp ??= this.#catchUp(scope, known).finally(() => {
      known.catchingUp = undefined;
    });
    await known.catchingUp;
    // The read may have started before this version was committed: check again.
    return this.catchUpTo({ scope, version });
  }

  async #catchUp(scope: string, known: ScopeState): Promise<void> {
    const { db, sockets } = this.#needs;
    const since = known.version;
    const { now, revocations } = await readTransaction(db, async (db) => ({
      now: (await readAccessVersions(db, [scope]))[0]?.version,
      revocations: await readRevocations(db, scope, since),
    }));
    if (now === undefined) {
      sockets.evict([...known.rooms]);
      this.#scopes.delete(scope);
      return;
    }
    // Marks closed rooms first, so that pending activity from before does not reach the whole server.
    for (const { version, userId, rooms } of revocations)
      if (userId === null && version > known.version)
        for (const room of rooms ?? []) known.closed.set(room, { version, isAnnounced: false });
    // Old revocations are deleted from the table. If some are missing, check every socket's right.
    const isComplete = revocations.length === now - since;
    const ofEveryone = isComplete
      ? revocations.filter(({ userId }) => userId === null)
      : [{ rooms: null }];
    for (const { rooms } of ofEveryone) await this.#checkEveryone(rooms ?? known.rooms);
    // Skips revocations that were applied in the meantime: their users may have come back since.
    for (const { version, userId, rooms } of revocations)
      if (userId !== null && version > known.version)
        sockets.evict(rooms ?? [...known.rooms], { userId });
    known.version = Math.max(known.version, now);
  }

  async #checkEveryone(rooms: Iterable<Subscribable>): Promise<void> {
    const { db, sockets, features } = this.#needs;
    for (const room of rooms) {
      const { kind, id } = splitRoom(room);
      for (const { data } of sockets.in(room)) {
        const right = await attempt(this.#needs, 'check', () =>
          features.authorize[kind](db, data.caller, [id]),
        );
        if (right.ok && right.value.has(id)) continue;
        if (!right.ok && right.error.retryable) throw new Error('failed to read access rights');
        sockets.evict([room], { userId: data.caller.user.id });
      }
    }
  }

  isClosed({ scope, version }: AccessVersion, room: Room): boolean {
    return version < (this.#scopes.get(scope)?.closed.get(room)?.version ?? 0);
  }

  applyRevocation(revocation: Revocation): void {
    const { scope, version, userId, rooms, stay: keepUserIds } = revocation;
    const known = this.#scopes.get(scope);
    if (known === undefined) return;
    if (known.version >= version) this.#announceClosed(known, revocation);
    else if (known.version === version - 1) {
      known.version = version;
      if (userId === undefined)
        for (const room of rooms ?? []) known.closed.set(room, { version, isAnnounced: false });
      this.#announceClosed(known, revocation);
      this.#needs.sockets.evict(rooms ?? [...known.rooms], { userId, keepUserIds });
    } else void attempt(this.#needs, 'revocation', () => this.catchUpTo(revocation));
  }

  /** Announces closed rooms to the server, once: `#catchUp` may have marked them closed without an announcement. */
  #announceClosed(
    { closed }: ScopeState,
    { scope, version, rooms = [], stay = [], quiet }: Revocation,
  ): void {
    const unannounced = rooms.filter((room) => {
      const one = closed.get(room);
      if (one?.version !== version || one.isAnnounced) return false;
      return (one.isAnnounced = true);
    });
    if (unannounced.length > 0 && !quiet)
      this.#needs.sockets.emitTimelinesClosed(scope, unannounced, stay);
  }

  /** Removes scopes without a socket here, and closed rooms that were already closed at the previous call. */
  forgetUnused(): void {
    for (const [scope, known] of this.#scopes) {
      const { rooms, closed } = known;
      for (const [room, { version }] of closed)
        if (version <= known.closedBefore) closed.delete(room);
      known.closedBefore = known.version;
      for (const room of rooms) if (!this.#needs.sockets.hasAny(room)) rooms.delete(room);
      if (rooms.size === 0) this.#scopes.delete(scope);
    }
  }

  closedCount(scope: string): number {
    return this.#scopes.get(scope)?.closed.size ?? 0;
  }

  reset(): void {
    this.#scopes.clear();
  }
}

const readRevocations = (db: Db, scope: string, since: number) =>
  query<{ version: number; userId: string | null; rooms: Room[] | null }>(
    db,
    `select access_version as version, user_id as "userId", rooms from revocations
     where scope = $1 and access_version > $2 order by access_version`,
    [scope, since],
  );

export async function readAccessVersion(db: Db, scope: string): Promise<AccessVersion> {
  const [accessVersion] = await readAccessVersions(db, [scope]);
  if (accessVersion === undefined) throw notFound();
  return accessVersion;
}

const accessVersionsOf = named(
  'select id as scope, access_version as version from rooms where id = any($1::uuid[])',
);

export const readAccessVersions = (db: Db, scopes: string[]): Promise<AccessVersion[]> =>
  query(db, accessVersionsOf, [scopes]);
