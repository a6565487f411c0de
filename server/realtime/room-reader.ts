/** Reads a room: its state or what changed in it, at one moment; once for all who ask the same at the same time. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Change } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { People } from '../../shared/people.ts';
import { personIdsInChange } from '../../shared/person-ids.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { peopleMentioned } from '../accounts/people.ts';
import { snapshot, type Db } from '../database/database.ts';
import { readAccessVersion } from './access-version.ts';
import type { AccessVersion } from './node-messages.ts';
import { readPart } from './parts.ts';
import { readVersion, readVersions } from './read-versions.ts';
import type { RoomFeatures } from './room-features.ts';
import type { RoomVersions } from './room-versions.ts';

/** What the caller holds of a room: its state at a version, or part of it up to a row. */
export interface HeldRead {
  since?: number | undefined;
  after?: string | undefined;
}

export interface RoomRead {
  entry: Entry;
  /** Of the same moment. */
  accessVersion: AccessVersion | undefined;
}

export interface RoomReader {
  /** The state of a room, or what changed in it, in one transaction. */
  read(db: Db, room: Room, held: HeldRead): Promise<Entry>;
  /**
   * Reads a room once for all who ask the same at the same time, as a thousand do when a node comes back. That is
   * right for sockets that have joined when nothing more was told here than when the reading began: what is told from
   * then on, they hear.
   */
  readShared(db: Db, room: Room, held: HeldRead, scope: string | undefined): Promise<RoomRead>;
  /** What changed in a room since a version; undefined if only its whole state can be told. */
  readChanges(
    db: Db,
    room: Room,
    since: number,
  ): Promise<{ changes: Change[]; people: People } | undefined>;
  /** The versions of rooms, by one query for all who ask in the same turn of the event loop. */
  readVersions(ids: string[]): Promise<Map<string, number>>;
  reset(): void;
}

interface Needs {
  db: Db;
  versions: RoomVersions;
  features: Pick<RoomFeatures, 'loadSlice' | 'changesSince'>;
}

export function openRoomReader({ db, versions, features }: Needs): RoomReader {
  const underWay = new Map<string, Promise<RoomRead>>();
  const readChanges: RoomReader['readChanges'] = async (db, room, since) => {
    const { kind, id } = splitRoom(room);
    const changes = (await features.changesSince[kind]?.(db, id, since)) ?? 'too many';
    if (changes === 'too many') return undefined;
    return { changes, people: await peopleMentioned(db, changes, personIdsInChange) };
  };
  const read: RoomReader['read'] = async (db, room, { since, after }) => {
    const { kind, id } = splitRoom(room);
    const part = (after?: string) => readPart(db, features, { kind, id, after });
    if (since === undefined || after !== undefined) {
      const [version, found] = await Promise.all([readVersion(db, room), part(after)]);
      return { status: 'snapshot', room, version, ...(after !== undefined && { after }), ...found };
    }
    const version = await readVersion(db, room);
    if (since === version) return { status: 'current', room, version };
    const missed = since < version ? await readChanges(db, room, since) : undefined;
    if (missed) return { status: 'changes', room, version, from: since, ...missed };
    return { status: 'snapshot', room, version, ...(await part()) };
  };
  return {
    read,
    readChanges,
    readShared(db, room, held, scope) {
      // A caller who has used a lot waits for longer: nobody else waits along.
      const key = `${room} ${held.since} ${held.after} ${versions.of(room)} ${db.share?.isBusy()}`;
      const known = underWay.get(key);
      if (known !== undefined) return known;
      const reading = snapshot(db, async (db) => ({
        entry: await read(db, room, held),
        accessVersion: scope === undefined ? undefined : await readAccessVersion(db, scope),
      })).finally(() => underWay.delete(key));
      underWay.set(key, reading);
      return reading;
    },
    readVersions: versionsByTurn(db),
    reset: () => underWay.clear(),
  };
}

function versionsByTurn(db: Db): RoomReader['readVersions'] {
  let wanted: string[] | undefined;
  let answer = Promise.resolve(new Map<string, number>());
  return (ids) => {
    if (wanted === undefined) {
      const all: string[] = [];
      wanted = all;
      answer = turn().then(() => {
        wanted = undefined;
        return readVersions(db, all);
      });
    }
    wanted.push(...ids);
    return answer;
  };
}
