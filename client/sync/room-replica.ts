/**
 * One room as a client holds it (protocol, the client's rules 1, 3 and 5): which changes may be applied, what
 * to ask the server, and what its answer does. Pure: it knows neither sockets nor what is done with rows.
 */
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { Gate } from './version-gate.ts';

/** What a client says it holds: a version, and the life of the database in which it was heard. */
export interface Question {
  epoch: string;
  version: number;
  /** Of what is held in part, the last row. */
  after?: string;
}

export type Snapshot = Extract<Entry, { status: 'snapshot' }>;

/** What to do with what is held: replace it by the snapshot, if there is one, then apply the changes in order. */
export interface Doing {
  snapshot?: Snapshot;
  changes: RoomChanges[];
}

/** A snapshot that has come in part, and all that was heard since its first part was asked for. */
interface Part {
  epoch: string;
  snapshot: Snapshot;
  heard: RoomChanges[];
  seen: PresenceMap;
}

export class RoomHeld {
  readonly #gate = new Gate<RoomChanges>();
  #epoch: string | undefined;
  #answersDue = 0;
  /** How far the room is for certain, as far as that was heard. */
  #reached = 0;
  /** A snapshot of which the rest is yet to come. */
  #part: Part | undefined;
  /** What was heard since the server was asked; a snapshot may be older than that. */
  #meanwhile: RoomChanges[] = [];
  /** Who was said to be here or not since then: the answer may be older than that, too. */
  #seen: PresenceMap = {};

  /** `since` is what was held of it in an earlier life of this client. */
  constructor(since?: Question) {
    if (!since) return;
    this.#epoch = since.epoch;
    this.#gate.enter(since.version);
  }

  /** The version held; `undefined` until the room was entered, and while it cannot be trusted. */
  get version() {
    return this.#gate.version;
  }

  /** Whether an answer is on its way. */
  get isAsked() {
    return this.#answersDue > 0;
  }

  /** Whether a change is missing that happened for certain, and no answer that could bring it is on its way. */
  get lacks() {
    return (this.#gate.waits || this.#isBehind) && !this.isAsked;
  }

  get #isBehind() {
    return this.#reached > (this.version ?? Infinity);
  }

  /** The server says how far the room is. Answers whether that is further than what is held. */
  hearHead(version: number): boolean {
    this.#reached = Math.max(this.#reached, version);
    return this.#isBehind;
  }

  /** Where the rest begins of a snapshot that has come in part. It is asked for like everything else. */
  get rest(): string | undefined {
    return this.#part?.snapshot.more;
  }

  /** What `sync` may be asked; nothing for a room that was never entered, which needs to be opened. */
  get question(): Question | undefined {
    if (this.#part) {
      const { epoch, snapshot } = this.#part;
      return { epoch, version: snapshot.version, ...(snapshot.more && { after: snapshot.more }) };
    }
    return this.#epoch === undefined
      ? undefined
      : { epoch: this.#epoch, version: this.version ?? 0 };
  }

  /** The server is being asked. `settle` follows, with an answer or without. */
  ask() {
    this.#answersDue += 1;
  }

  settle() {
    this.#answersDue -= 1;
    if (this.isAsked) return;
    this.#meanwhile = [];
    this.#seen = {};
  }

  hear(stretch: RoomChanges): RoomChanges[] {
    if (this.isAsked) this.#meanwhile.push(stretch);
    this.#part?.heard.push(stretch);
    return this.#gate.hear(stretch);
  }

  see(users: PresenceMap) {
    if (this.isAsked) Object.assign(this.#seen, users);
    if (this.#part) Object.assign(this.#part.seen, users);
  }

  /** Who is here by an answer, and by what was said while it was on its way. */
  present = (answered: PresenceMap): PresenceMap => ({ ...answered, ...this.#seen });

  /** Takes the answer, which comes from this life of the database. Of a snapshot in parts only the last does anything. */
  answer(entry: Exclude<Entry, { status: 'gone' }>, epoch: string): Doing {
    if (entry.status === 'current') return { changes: [] };
    if (entry.status === 'changes')
      return { changes: this.#gate.hear({ ...entry, to: entry.version }) };
    const snapshot = this.#gather(entry, epoch);
    if (!snapshot) return { changes: [] };
    this.#epoch = epoch;
    const early = this.#gate.enter(snapshot.version);
    return {
      snapshot,
      changes: [...early, ...this.#meanwhile.flatMap((stretch) => this.#gate.hear(stretch))],
    };
  }

  /**
   * Puts the parts of a snapshot together: undefined until all are there. What is held then is of the version of
   * the first, and some rows are newer: of those, the changes that made them so do nothing.
   */
  #gather(entry: Snapshot, epoch: string): Snapshot | undefined {
    const { after, more } = entry;
    const part = after === undefined ? undefined : this.#part;
    // The rest of something else.
    if (after !== part?.snapshot.more) return undefined;
    if (!part && epoch !== this.#epoch) this.distrust();
    const { heard, seen } = part ?? { heard: [...this.#meanwhile], seen: { ...this.#seen } };
    const snapshot = part ? joined(part.snapshot, entry) : entry;
    // What made a later part newer may have been lost, with the connection.
    this.#reached = Math.max(this.#reached, entry.version);
    if (more === undefined) {
      this.#part = undefined;
      this.#meanwhile = heard;
      this.#seen = seen;
      return snapshot;
    }
    this.#part = { snapshot, epoch, heard, seen };
    return undefined;
  }

  /** The answer of this life of the database comes later: until then no change of it meets what is held of another. */
  postpone(epoch: string) {
    if (epoch !== (this.#part?.epoch ?? this.#epoch)) this.distrust();
  }

  /** The database has begun another life: all waits for a snapshot, and until then we say what we held of. */
  distrust() {
    this.#gate.close();
    this.#part = undefined;
    this.#reached = 0;
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
