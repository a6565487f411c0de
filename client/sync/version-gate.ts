/**
 * The version gate (protocol, the client's rule 1): a room's changes are applied in order and without a gap,
 * whatever order they arrive in, and each once. Pure: it says what may be applied now and keeps what came too early.
 */

/** Some changes of one room: `from` is the version before the first, `to` that of the last. */
export interface Stretch {
  from: number;
  to: number;
  changes: { version: number }[];
}

export class Gate<S extends Stretch> {
  #version: number | undefined;
  #early: S[] = [];

  /** The version held; `undefined` until the room has been entered. */
  get version() {
    return this.#version;
  }

  /** Whether something waits for a predecessor that has not come. */
  get waits() {
    return this.#early.length > 0;
  }

  /** Takes what was heard and answers with what may be applied now, in order. */
  hear(stretch: S): S[] {
    this.#early.push(stretch);
    return this.#release();
  }

  /** The room's state was replaced by that of `version`. Answers with what had come early and fits now. */
  enter(version: number): S[] {
    this.#version = version;
    return this.#release();
  }

  /** What is held can no longer be trusted: whatever comes from now on waits until the room is entered anew. */
  close() {
    this.#version = undefined;
    this.#early = [];
  }

  #release(): S[] {
    const ready: S[] = [];
    while (this.#version !== undefined) {
      const version = this.#version;
      const next = this.#early.find(({ from, to }) => from <= version && version < to);
      if (!next) break;
      ready.push(after(version, next));
      this.#version = next.to;
    }
    this.#early = this.#early.filter(({ to }) => this.#version === undefined || to > this.#version);
    return ready;
  }
}

/** What of it is new to who holds that version: stretches overlap where one mends a loss that another was late for. */
const after = <S extends Stretch>(version: number, stretch: S): S =>
  stretch.from === version
    ? stretch
    : {
        ...stretch,
        from: version,
        changes: stretch.changes.filter((change) => change.version > version),
      };
