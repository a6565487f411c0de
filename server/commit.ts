/** How rooms change: lock (see locks.ts), number the changes, commit, then publish. Messages: messages/writer.ts. */
import type { Change } from '../shared/changes.ts';
import { notFound } from '../shared/failure.ts';
import { personIdsInChange } from '../shared/person-ids.ts';
import type { Room } from '../shared/rooms.ts';
import { transaction, type Db } from './database/database.ts';
import { withRetry } from './database/retry.ts';
import { lockRights, type RightLocks } from './database/locks.ts';
import { jsonBytes } from './realtime/json-bytes.ts';
import type { Grant, Revocation } from './realtime/node-messages.ts';
import type { Context, Node } from './caller.ts';
import {
  createRoom,
  envelopesOf,
  idOf,
  openDrafts,
  writeDrafts,
  type RoomDraft,
  type RoomsToLock,
} from './room-drafts.ts';

export interface Locks extends RightLocks {
  rooms: RoomsToLock;
}

export interface RoomTransaction {
  db: Db;
  /** Creates a room, which then counts as locked. Throws conflict if the id is taken. */
  create(room: Room): Promise<void>;
  /** Increments and returns the version of the room, for the row that changes. */
  nextVersion(room: Room): number;
  node: Node;
  /** After the commit, publishes a change with the people that it names, or only with those who are new to the room. */
  change(room: Room, change: Change, newPersonIds?: string[]): void;
  /** After the commit, makes subscribers fetch a snapshot: for what cannot be expressed as changes. */
  resetRoom(room: Room): void;
  /** After the commit, removes people's sockets from rooms on all nodes. */
  revoke(ended: EndedAccess): void;
  /** After the commit, notifies all nodes that a person can access one more server, conversation or channel. */
  grant(grant: Grant): void;
}

/** Without a `userId`, access ends for everyone except `keepUserIds`. */
interface EndedAccess {
  /** The server or the conversation, which must be locked. */
  room: Room;
  /** The affected rooms of the server; all of them if undefined. */
  rooms?: Room[];
  userId?: string;
  keepUserIds?: string[];
  /** True if not everyone in the server knew of these rooms. Their end is then not announced to the server. */
  silent?: boolean;
}

/** Runs `work` in a transaction, again after a clash, and publishes its changes after the commit. */
export const commit = <T>(
  context: Context,
  locks: Locks,
  work: (work: RoomTransaction) => Promise<T>,
): Promise<T> => withRetry(() => attemptOnce(context, locks, work));

/**
 * Like `commit`, by a right, which `accessIn` requires. It is checked twice: before, so that strangers lock nothing and
 * the locks are known, and again under the locks, because it can have ended meanwhile.
 */
export async function withAccess<Access, T>(
  context: Context,
  accessIn: (db: Db) => Promise<Access>,
  locksFor: (access: Access) => Locks | Promise<Locks>,
  work: (work: RoomTransaction, access: Access) => Promise<T>,
): Promise<T> {
  const locks = await locksFor(await accessIn(context.db));
  return commit(context, locks, async (under) => work(under, await accessIn(under.db)));
}

/** Above it, rooms are reset. Fits the largest private channel, whose changes send each member the ids of all. */
const maxChangesBytes = 12_582_912;

interface Effects {
  rooms: Map<Room, RoomDraft>;
  revocations: Revocation[];
  grants: Grant[];
}

async function attemptOnce<T>(
  context: Context,
  locks: Locks,
  work: (work: RoomTransaction) => Promise<T>,
): Promise<T> {
  const { node } = context;
  const revocations: Revocation[] = [];
  const grants: Grant[] = [];
  const { result, envelopes } = await transaction(context.db, async (db) => {
    // One connection runs both in this order, in one round trip, so the rooms are read under the locks.
    const [, rooms] = await Promise.all([lockRights(db, locks), openDrafts(db, locks.rooms)]);
    const result = await work(transactionOn(node, db, { rooms, revocations, grants }));
    const [, envelopes] = await Promise.all([
      writeDrafts(db, rooms, revocations),
      envelopesOf(db, rooms),
    ]);
    return { result, envelopes };
  });
  node.fanout.publish({ envelopes, revocations, grants });
  return result;
}

function transactionOn(
  node: Node,
  db: Db,
  { rooms, revocations, grants }: Effects,
): RoomTransaction {
  let leftBytes = maxChangesBytes;
  /** @throws ChatError not_found, for a room that was deleted */
  const open = (room: Room): RoomDraft => {
    const draft = rooms.get(room);
    if (draft === undefined) throw notFound();
    return draft;
  };
  return {
    db,
    node,
    async create(room) {
      rooms.set(room, await createRoom(db, room));
    },
    nextVersion: (room) => (open(room).version += 1),
    change(room, change, personIds = personIdsInChange(change)) {
      const draft = open(room);
      // Rooms are published in the order of their first change, so that nobody misses the change that lets them in.
      if (draft.changes.length === 0 && rooms.delete(room)) rooms.set(room, draft);
      if (leftBytes > 0) leftBytes -= jsonBytes(change);
      if (leftBytes <= 0) draft.reset = true;
      if (draft.reset) return;
      draft.changes.push(change);
      for (const id of personIds) draft.personIds.add(id);
    },
    resetRoom: (room) => void (open(room).reset = true),
    revoke({ room, rooms: ended, userId, keepUserIds: stay, silent: quiet }) {
      const version = (open(room).accessVersion += 1);
      revocations.push({ scope: idOf(room), version, userId, rooms: ended, stay, quiet });
    },
    grant: (grant) => void grants.push(grant),
  };
}
