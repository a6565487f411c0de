/**
 * The version gate (rule 1 of the client, docs/architecture.md): a room's changes are applied in order, without a gap
 * and each once, whatever order they arrive in. Pure: it says what may be applied now and buffers what came too early.
 */

/** Some changes of one room: `from` is the version before the first, `to` that of the last. */
export interface VersionRange {
  from: number;
  to: number;
  changes: { version: number }[];
}

export class Gate<R extends VersionRange> {
  #version: number | undefined;
  #early: R[] = [];

  /** The version held; `undefined` until the room has been entered. */
  get version() {
    return this.#version;
  }

  /** Whether something waits for a predecessor that has not come. */
  get hasBuffered() {
    return this.#early.length > 0;
  }

  /** Takes what was heard and answers with what may be applied now, in order. */
  push(range: R): R[] {
    this.#early.push(range);
    return this.#release();
  }

  /** The room's state was replaced by that of `version`. Answers with what had come early and fits now. */
  reset(version: number): R[] {
    this.#version = version;
    return this.#release();
  }

  /** What is held can no longer be trusted: changes are buffered until the next `reset`. */
  close() {
    this.#version = undefined;
    this.#early = [];
  }

  #release(): R[] {
    const ready: R[] = [];
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

/** The part that is newer than `version`: ranges overlap where one mends a loss that another was late for. */
const after = <R extends VersionRange>(version: number, range: R): R =>
  range.from === version
    ? range
    : {
        ...range,
        from: version,
        changes: range.changes.filter((change) => change.version > version),
      };
