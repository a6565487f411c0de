/**
 * One room as a client holds it (protocol, the client's rules 1, 3 and 5): which changes may be applied, what
 * to ask the server, and what its answer does. Pure: it knows neither sockets nor what is done with rows.
 */
import type { Entry } from '../shared/entry.ts';
import type { PresenceMap } from '../shared/presence.ts';
import type { RoomChanges } from '../shared/protocol.ts';
import { Gate } from './gate.ts';

/** What a client says it holds: a version, and the life of the database in which it was heard. */
export interface Question {
  epoch: string;
  version: number;
}

export type Snapshot = Extract<Entry, { status: 'snapshot' }>;

/** What to do with what is held: replace it by the snapshot, if there is one, then apply the changes in order. */
export interface Doing {
  snapshot?: Snapshot;
  changes: RoomChanges[];
}

export class RoomHeld {
  readonly #gate = new Gate<RoomChanges>();
  #epoch: string | undefined;
  #answersDue = 0;
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

  /** Whether something waits for a predecessor, and no answer that could bring it is on its way. */
  get lacks() {
    return this.#gate.waits && !this.isAsked;
  }

  isBehind(version: number) {
    return version > (this.version ?? Infinity);
  }

  /** What `sync` may be asked; nothing for a room that was never entered, which needs to be opened. */
  get question(): Question | undefined {
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
    return this.#gate.hear(stretch);
  }

  see(users: PresenceMap) {
    if (this.isAsked) Object.assign(this.#seen, users);
  }

  /** Who is here by an answer, and by what was said while it was on its way. */
  present = (answered: PresenceMap): PresenceMap => ({ ...answered, ...this.#seen });

  /** Takes the answer, which comes from this life of the database. */
  answer(entry: Exclude<Entry, { status: 'gone' }>, epoch: string): Doing {
    if (entry.status === 'current') return { changes: [] };
    if (entry.status === 'changes')
      return { changes: this.#gate.hear({ ...entry, to: entry.version }) };
    // What waited for another life's changes would be taken for this one's.
    if (epoch !== this.#epoch) this.#gate.close();
    this.#epoch = epoch;
    const early = this.#gate.enter(entry.version);
    return {
      snapshot: entry,
      changes: [...early, ...this.#meanwhile.flatMap((stretch) => this.#gate.hear(stretch))],
    };
  }

  /** The answer of this life of the database comes later: until then no change of it meets what is held of another. */
  postpone(epoch: string) {
    if (epoch !== this.#epoch) this.distrust();
  }

  /** The database has begun another life: all waits for a snapshot, and until then we say what we held of. */
  distrust() {
    this.#gate.close();
  }
}
