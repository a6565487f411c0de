/**
 * The state of one room in a client (rules 1, 3 and 5 of the client, docs/architecture.md): which changes can be
 * applied, which cursor to send, and how an answer is handled. Pure: it uses no sockets and no row stores.
 */
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { PresenceMap, Status } from '../../shared/presence.ts';
import type { RoomChanges, ServerToClientEvents } from '../../shared/protocol.ts';
import { Gate } from './version-gate.ts';

/** A client's state of a room, as sent to the server: a version, and the epoch of the database that counted it. */
export interface SyncCursor {
  epoch: string;
  version: number;
  /** The last row received of a snapshot that arrives in parts. */
  after?: string;
}

export type RoomSnapshot = Extract<Entry, { status: 'snapshot' }>;

/** An update of the rows: replace them by the snapshot, if there is one, then apply the changes in order. */
export interface Update {
  snapshot?: RoomSnapshot;
  changes: RoomChanges[];
  presence?: PresenceMap | undefined;
}

type PresenceNews = Pick<Parameters<ServerToClientEvents['presence']>[0], 'users' | 'version'>;

/** A snapshot that has arrived in part, and all changes received since its first part was requested. */
interface Part {
  epoch: string;
  snapshot: RoomSnapshot;
  buffered: RoomChanges[];
}

/** No database has this epoch, so the answer is a snapshot. */
const nothing: SyncCursor = { epoch: '', version: 0 };

export class RoomReplica {
  readonly #gate = new Gate<RoomChanges>();
  #epoch: string | undefined;
  #requests = 0;
  /** The highest version that the server is known to have. */
  #head = 0;
  #part: Part | undefined;
  /** True until a snapshot replaces rows that can lack newer names: see `refresh`. */
  #isStale = false;
  /** Changes received since the request, because the snapshot can be older. */
  #buffered: RoomChanges[] = [];
  /** Presence received since the request, for the same reason. */
  readonly #bufferedPresence = new Map<string, { status: Status; version: number }>();

  /** `since` is the saved cursor, from an earlier run of this client. */
  constructor(since?: SyncCursor) {
    if (!since) return;
    this.#epoch = since.epoch;
    this.#gate.reset(since.version);
  }

  /** The version held; `undefined` before the room was entered, and after `invalidate`. */
  get version() {
    return this.#gate.version;
  }

  get isRequested() {
    return this.#requests > 0;
  }

  /** True if a change or a snapshot is known to be missing and no pending answer can bring it. */
  get hasGap() {
    return (this.#gate.hasBuffered || this.#isBehind || this.#isStale) && !this.isRequested;
  }

  get #isBehind() {
    return this.#head > (this.version ?? Infinity);
  }

  /** Takes the server's version of the room. Returns whether it is higher than the version held. */
  receiveHead(version: number): boolean {
    this.#head = Math.max(this.#head, version);
    return this.#isBehind;
  }

  /** The start of the next part of an incomplete snapshot, which `sync` also requests. */
  get rest(): string | undefined {
    return this.#part?.snapshot.more;
  }

  get cursor(): SyncCursor {
    if (this.#part) {
      const { epoch, snapshot } = this.#part;
      return { epoch, version: snapshot.version, ...(snapshot.more && { after: snapshot.more }) };
    }
    if (this.#epoch === undefined || this.#isStale) return nothing;
    return { epoch: this.#epoch, version: this.version ?? 0 };
  }

  /** Must be followed by `requestEnded`, with or without an answer. */
  requestStarted() {
    this.#requests += 1;
  }

  requestEnded() {
    this.#requests -= 1;
    if (this.isRequested) return;
    this.#buffered = [];
    this.#bufferedPresence.clear();
  }

  /** Returns the changes that can be applied now. */
  receive(range: RoomChanges): RoomChanges[] {
    if (this.isRequested) this.#buffered.push(range);
    this.#part?.buffered.push(range);
    return this.#gate.push(range);
  }

  /** Keeps presence while an answer is pending, and merges it into an incomplete snapshot. */
  receivePresence({ users, version }: PresenceNews) {
    if (this.isRequested)
      for (const [id, status] of Object.entries(users))
        this.#bufferedPresence.set(id, { status, version });
    if (this.#part) Object.assign((this.#part.snapshot.presence ??= {}), users);
  }

  /**
   * The presence of an answer, updated by newer events. An answer has the statuses at the time of sending, but only of
   * people who were in the room when it was read. In Node, an event that closely follows an answer is handled before it
   * (test/laws/presence.test.ts).
   */
  #presence({ presence, presenceVersion = 0 }: Exclude<Entry, { status: 'gone' }>) {
    if (!presence) return undefined;
    const newest = { ...presence };
    for (const [id, { status, version }] of this.#bufferedPresence)
      if (id in presence && version < presenceVersion) this.#bufferedPresence.delete(id);
      else newest[id] = status;
    return newest;
  }

  /** Takes an answer of this epoch. A snapshot in parts is applied with its last part. */
  answer(entry: Exclude<Entry, { status: 'gone' }>, epoch: string): Update {
    const presence = this.#presence(entry);
    if (entry.status === 'current') return { changes: [], presence };
    if (entry.status === 'changes')
      return { changes: this.#gate.push({ ...entry, to: entry.version }), presence };
    const snapshot = this.#gather(presence ? { ...entry, presence } : entry, epoch);
    if (!snapshot) return { changes: [] };
    this.#epoch = epoch;
    this.#isStale = false;
    const early = this.#gate.reset(snapshot.version);
    return {
      snapshot,
      presence: snapshot.presence,
      changes: [...early, ...this.#buffered.flatMap((range) => this.#gate.push(range))],
    };
  }

  /**
   * Joins the parts of a snapshot; undefined until all have arrived. The result has the version of the first part. Rows
   * of later parts can be newer; applying the changes that produced them has no effect.
   */
  #gather(entry: RoomSnapshot, epoch: string): RoomSnapshot | undefined {
    const { after, more } = entry;
    const part = after === undefined ? undefined : this.#part;
    // Ignores a part of another snapshot.
    if (after !== part?.snapshot.more) return undefined;
    // Rule 5: state of another epoch is dropped.
    if (!part && epoch !== this.#epoch) this.invalidate();
    const { buffered } = part ?? { buffered: [...this.#buffered] };
    const snapshot = part ? joined(part.snapshot, entry) : entry;
    // A later part can contain changes that were lost with the connection, so its version is recorded.
    this.#head = Math.max(this.#head, entry.version);
    if (more === undefined) {
      this.#part = undefined;
      this.#buffered = buffered;
      return snapshot;
    }
    this.#part = { snapshot, epoch, buffered };
    return undefined;
  }

  /** Requests a snapshot, and applies changes meanwhile. */
  refresh() {
    this.#isStale = true;
    this.#part = undefined;
  }

  invalidate() {
    this.#gate.close();
    this.#part = undefined;
    this.#head = 0;
  }
}

function joined(first: RoomSnapshot, next: RoomSnapshot): RoomSnapshot {
  const rows = first.state as Record<string, Row[]>;
  const state = Object.entries<Row[]>(next.state).map(
    ([name, more]) => [name, [...(rows[name] ?? []), ...more]] as const,
  );
  const { after: _, ...rest } = next;
  return {
    ...rest,
    version: first.version,
    state: Object.fromEntries(state) as unknown as RoomSnapshot['state'],
    people: { ...first.people, ...next.people },
    ...(next.presence && { presence: { ...first.presence, ...next.presence } }),
  };
}
