/** Reads a room's state or changes in one transaction. Identical requests at the same time share one read. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Change } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { People } from '../../shared/people.ts';
import { personIdsInChange } from '../../shared/person-ids.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { Clock } from '../node/clock.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { readAccessVersion } from './access-version.ts';
import type { AccessVersion } from './node-messages.ts';
import { readPart } from './snapshot-parts.ts';
import { openMissed, type MissedChanges } from './missed.ts';
import { readRooms, readVersion, type RoomVersion } from './read-versions.ts';
import { writeOnce } from './written-once.ts';
import type { RoomFeatures } from './room-features.ts';
import type { RoomVersions } from './room-versions.ts';

/** The state that a client holds of a room: at version `since`, or in part, up to the row `after`. */
export interface HeldRead {
  since?: number | undefined;
  after?: string | undefined;
}

export type ExistingEntry = Exclude<Entry, { status: 'gone' }>;

export interface RoomRead {
  entry: ExistingEntry;
  /** Read in the same transaction. */
  accessVersion: AccessVersion | undefined;
}

interface Needs {
  db: Db;
  clock: Clock;
  versions: RoomVersions;
  features: Pick<RoomFeatures, 'loadSlice' | 'changesSince' | 'people'>;
}

export class RoomReader {
  readonly #needs: Needs;
  readonly #missed: MissedChanges;
  readonly #underWay = new Map<string, Promise<RoomRead>>();
  /** Reads the versions of rooms, with one query for all calls in the same turn of the event loop. */
  readonly readRooms: (ids: string[]) => Promise<Map<string, RoomVersion>>;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#missed = openMissed(needs);
    this.readRooms = roomsByTurn(needs.db);
  }

  /** Reads a room's state, or the changes since the held version. `db` is a read transaction. */
  async read(db: Db, room: Room, { since, after }: HeldRead): Promise<ExistingEntry> {
    const { kind, id } = splitRoom(room);
    const part = (after?: string) => readPart(db, this.#needs.features, { kind, id, after });
    if (since === undefined || after !== undefined) {
      const [version, found] = await Promise.all([readVersion(db, room), part(after)]);
      return { status: 'snapshot', room, version, ...(after !== undefined && { after }), ...found };
    }
    const version = await readVersion(db, room);
    if (since === version) return { status: 'current', room, version };
    const missed = since < version ? await this.readChanges(db, room, since) : undefined;
    if (missed) return { status: 'changes', room, version, from: since, ...missed };
    return { status: 'snapshot', room, version, ...(await part()) };
  }

  /** Returns the changes in a room since a version; undefined if the client needs the whole state. */
  async readChanges(
    db: Db,
    room: Room,
    since: number,
  ): Promise<{ changes: Change[]; people: People } | undefined> {
    const { changesSince, people } = this.#needs.features;
    const { kind, id } = splitRoom(room);
    const changes = (await changesSince[kind]?.(db, id, since)) ?? 'too many';
    if (changes === 'too many') return undefined;
    return { changes, people: await people.mentioned(db, changes, personIdsInChange) };
  }

  /**
   * Shares one read among identical requests, such as a thousand clients after a restart, but only if no change was
   * delivered here since it began. Later changes reach their sockets, which have joined.
   */
  readShared(db: Db, room: Room, held: HeldRead, scope: string | undefined): Promise<RoomRead> {
    const published = this.#needs.versions.of(room);
    // Reads of busy accounts wait longer for a connection, so others do not share them.
    const key = `${room} ${held.since} ${held.after} ${published} ${db.share?.isBusy()}`;
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const reading = readTransaction(db, async (db) => {
      const [entry, accessVersion] = await Promise.all([
        this.#readForMany(db, room, held),
        scope === undefined ? undefined : readAccessVersion(db, scope),
      ]);
      return { entry, accessVersion };
    }).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, reading);
    return reading;
  }

  async #readForMany(db: Db, room: Room, held: HeldRead): Promise<ExistingEntry> {
    const { since, after } = held;
    const hasChanges = this.#needs.features.changesSince[splitRoom(room).kind] !== undefined;
    if (since === undefined || after !== undefined || !hasChanges)
      return writtenOnce(await this.read(db, room, held));
    const { version, missed } = await this.#missed.since(db, room, since);
    if (version === since) return { status: 'current', room, version };
    if (missed !== undefined) return { status: 'changes', room, version, from: since, ...missed };
    return writtenOnce(await this.read(db, room, {}));
  }

  reset(): void {
    this.#underWay.clear();
    this.#missed.reset();
  }
}

const writtenOnce = (entry: ExistingEntry): ExistingEntry =>
  entry.status === 'snapshot'
    ? { ...entry, people: writeOnce(entry.people), state: writeOnce(entry.state) }
    : entry;

function roomsByTurn(db: Db): (ids: string[]) => Promise<Map<string, RoomVersion>> {
  let wanted: string[] | undefined;
  let answer = Promise.resolve(new Map<string, RoomVersion>());
  return (ids) => {
    if (wanted === undefined) {
      const all: string[] = [];
      wanted = all;
      answer = turn().then(() => {
        wanted = undefined;
        return readRooms(db, all);
      });
    }
    wanted.push(...ids);
    return answer;
  };
}
