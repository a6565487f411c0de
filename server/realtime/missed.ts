/**
 * Caches the changes in a room that returning clients missed, because clients that were cut off together hold the same
 * version: the changes since that version are read for the first one, and only later changes for the others.
 */
import type { Change } from '../../shared/changes.ts';
import type { People } from '../../shared/people.ts';
import { personIdsInChange } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../node/clock.ts';
import { jsonBytes } from './json-bytes.ts';
import { readVersion } from './read-versions.ts';
import type { RoomFeatures } from './room-features.ts';
import { writeOnce } from './written-once.ts';

/** The changes up to `version`; absent if there are none, or if the client needs the room's whole state. */
export interface Missed {
  version: number;
  missed?: { changes: Change[]; people: People };
}

export interface MissedChanges {
  /** `db` must be a read transaction. */
  since(db: Db, room: Room, since: number): Promise<Missed>;
  reset(): void;
}

interface CachedChanges {
  version: number;
  changes: Change[];
  people: People;
  until: number;
}

interface Needs {
  clock: Clock;
  features: Pick<RoomFeatures, 'changesSince' | 'people'>;
}

/** How long changes are cached: clients that were cut off return within seconds. */
const goodForMs = 10_000;
const max = { entries: 50, changes: 500, bytes: limits.answerBytes / 2 };

export function openMissed({ clock, features }: Needs): MissedChanges {
  /** By room and version; the most recently stored comes last. */
  const cache = new Map<string, CachedChanges>();

  const find = (key: string): CachedChanges | undefined => {
    const now = clock.now();
    for (const [one, { until }] of cache) if (until < now) cache.delete(one);
    return cache.get(key);
  };
  const addToCache = (key: string, { version, changes, people }: Omit<CachedChanges, 'until'>) => {
    const known = cache.get(key);
    // Another read may have finished in the meantime with a later version.
    if (known !== undefined && known.version > version) return;
    cache.delete(key);
    cache.set(key, { version, changes, people, until: clock.now() + goodForMs });
    const [oldest] = cache.keys();
    if (cache.size > max.entries && oldest !== undefined) cache.delete(oldest);
  };

  async function read(db: Db, room: Room, since: number, known?: CachedChanges): Promise<Missed> {
    const { kind, id } = splitRoom(room);
    const changesSince = features.changesSince[kind];
    const [version, fresh = 'too many', before] = await Promise.all([
      readVersion(db, room),
      changesSince?.(db, id, known?.version ?? since),
      features.people.find(db, Object.keys(known?.people ?? {})),
    ]);
    if (since >= version || fresh === 'too many') return { version };
    if (known !== undefined && !continues(known, version, fresh)) return read(db, room, since);
    const named = { ...before, ...(await features.people.mentioned(db, fresh, personIdsInChange)) };
    const people = Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
    const changes = [...withoutThose(known?.changes ?? [], fresh), ...fresh.map(writeOnce)];
    const bytes = jsonBytes(changes) + jsonBytes(people);
    if (changes.length <= max.changes && bytes <= max.bytes)
      addToCache(`${room} ${since}`, { version, changes, people });
    // Too large together with the cached ones. Read from the start, the query itself bounds the size.
    else if (known !== undefined) return read(db, room, since);
    return { version, missed: { changes, people } };
  }

  return {
    since: (db, room, since) => read(db, room, since, find(`${room} ${since}`)),
    reset: () => cache.clear(),
  };
}

/** True if no cached change quotes a message that has changed since. */
function continues(known: CachedChanges, version: number, fresh: Change[]): boolean {
  const ids = new Set(fresh.map(messageId));
  const isAmong = (id: string | undefined) => id !== undefined && ids.has(id);
  const quotes = (change: Change) => ('message' in change ? change.message.replyTo?.id : undefined);
  return known.version <= version && !known.changes.some((change) => isAmong(quotes(change)));
}

/** Drops cached changes of messages that changed again: the later row replaces the earlier one. */
function withoutThose(known: Change[], fresh: Change[]): Change[] {
  const ids = new Set(fresh.map(messageId));
  return known.filter((change) => !ids.has(messageId(change)));
}

const messageId = (change: Change) => ('message' in change ? change.message.id : undefined);
