/**
 * One room as a client holds it (rules 1, 3 and 5 of the client, docs/architecture.md): which changes may be applied,
 * what to ask the server, and what its answer does. Pure: it knows neither sockets nor what is done with rows.
 */
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { Gate } from './version-gate.ts';

/** What a client says it holds of a room: a version, and the life of the database in which it was heard. */
export interface SyncCursor {
  epoch: string;
  version: number;
  /** Of a snapshot that is held in part, the last row. */
  after?: string;
}

export type Snapshot = Extract<Entry, { status: 'snapshot' }>;

/** What to do with the rows held: replace them by the snapshot, if there is one, then apply the changes in order. */
export interface Update {
  snapshot?: Snapshot;
  changes: RoomChanges[];
}

/** A snapshot that has come in part, and all that was heard since its first part was requested. */
interface Part {
  epoch: string;
  snapshot: Snapshot;
  buffered: RoomChanges[];
  presence: PresenceMap;
}

/** No database has this epoch: such a room is answered by a snapshot. */
const nothing: SyncCursor = { epoch: '', version: 0 };

export class RoomReplica {
  readonly #gate = new Gate<RoomChanges>();
  #epoch: string | undefined;
  #requests = 0;
  /** The highest version that the server is known to have. */
  #head = 0;
  #part: Part | undefined;
  /** What was heard since the server was asked; a snapshot may be older than that. */
  #buffered: RoomChanges[] = [];
  /** Presence heard since then: the answer may be older than that, too. */
  #presence: PresenceMap = {};

  /** `since` is what an earlier run of this client held. */
  constructor(since?: SyncCursor) {
    if (!since) return;
    this.#epoch = since.epoch;
    this.#gate.reset(since.version);
  }

  /** The version held; `undefined` until the room was entered, and while it cannot be trusted. */
  get version() {
    return this.#gate.version;
  }

  /** Whether an answer is on its way. */
  get isRequested() {
    return this.#requests > 0;
  }

  /** Whether a change is missing that happened for certain, and no answer that could bring it is on its way. */
  get hasGap() {
    return (this.#gate.hasBuffered || this.#isBehind) && !this.isRequested;
  }

  get #isBehind() {
    return this.#head > (this.version ?? Infinity);
  }

  /** Takes the server's version of the room. Answers whether that is further than what is held. */
  receiveHead(version: number): boolean {
    this.#head = Math.max(this.#head, version);
    return this.#isBehind;
  }

  /** Where the rest begins of a snapshot that has come in part. It is requested like everything else. */
  get rest(): string | undefined {
    return this.#part?.snapshot.more;
  }

  /** What to send with `sync`. */
  get cursor(): SyncCursor {
    if (this.#part) {
      const { epoch, snapshot } = this.#part;
      return { epoch, version: snapshot.version, ...(snapshot.more && { after: snapshot.more }) };
    }
    return this.#epoch === undefined ? nothing : { epoch: this.#epoch, version: this.version ?? 0 };
  }

  /** `requestEnded` follows, with an answer or without. */
  requestStarted() {
    this.#requests += 1;
  }

  requestEnded() {
    this.#requests -= 1;
    if (this.isRequested) return;
    this.#buffered = [];
    this.#presence = {};
  }

  /** Answers with what may be applied now. */
  receive(range: RoomChanges): RoomChanges[] {
    if (this.isRequested) this.#buffered.push(range);
    this.#part?.buffered.push(range);
    return this.#gate.push(range);
  }

  receivePresence(users: PresenceMap) {
    if (this.isRequested) Object.assign(this.#presence, users);
    if (this.#part) Object.assign(this.#part.presence, users);
  }

  /** Presence by an answer, and by what was heard while it was on its way. */
  mergePresence = (answered: PresenceMap): PresenceMap => ({ ...answered, ...this.#presence });

  /** Takes an answer of this epoch. Of a snapshot in parts only the last does anything. */
  answer(entry: Exclude<Entry, { status: 'gone' }>, epoch: string): Update {
    if (entry.status === 'current') return { changes: [] };
    if (entry.status === 'changes')
      return { changes: this.#gate.push({ ...entry, to: entry.version }) };
    const snapshot = this.#gather(entry, epoch);
    if (!snapshot) return { changes: [] };
    this.#epoch = epoch;
    const early = this.#gate.reset(snapshot.version);
    return {
      snapshot,
      changes: [...early, ...this.#buffered.flatMap((range) => this.#gate.push(range))],
    };
  }

  /**
   * Puts the parts of a snapshot together: undefined until all are there. The whole has the version of the first
   * part, and some rows are newer: the changes that made them so have no effect.
   */
  #gather(entry: Snapshot, epoch: string): Snapshot | undefined {
    const { after, more } = entry;
    const part = after === undefined ? undefined : this.#part;
    // The rest of another snapshot.
    if (after !== part?.snapshot.more) return undefined;
    // Rule 5: what was held of another life of the database is worth nothing.
    if (!part && epoch !== this.#epoch) this.invalidate();
    const { buffered, presence } = part ?? {
      buffered: [...this.#buffered],
      presence: { ...this.#presence },
    };
    const snapshot = part ? joined(part.snapshot, entry) : entry;
    // The changes that made a later part newer may have been lost, with the connection.
    this.#head = Math.max(this.#head, entry.version);
    if (more === undefined) {
      this.#part = undefined;
      this.#buffered = buffered;
      this.#presence = presence;
      return snapshot;
    }
    this.#part = { snapshot, epoch, buffered, presence };
    return undefined;
  }

  invalidate() {
    this.#gate.close();
    this.#part = undefined;
    this.#head = 0;
  }
}

function joined(first: Snapshot, next: Snapshot): Snapshot {
  const rows = first.state as Record<string, Row[]>;
  const state = Object.entries<Row[]>(next.state).map(
    ([name, more]) => [name, [...(rows[name] ?? []), ...more]] as const,
  );
  const { after: _, ...rest } = next;
  return {
    ...rest,
    version: first.version,
    state: Object.fromEntries(state) as unknown as Snapshot['state'],
    people: { ...first.people, ...next.people },
    ...(next.presence && { presence: { ...first.presence, ...next.presence } }),
  };
}
