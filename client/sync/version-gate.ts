/**
 * The version gate (rule 1 of the client, docs/architecture.md): a room's changes are applied in order, without a gap
 * and each once, in any order of arrival. Pure: it returns the changes that can be applied now and buffers early ones.
 */

/** Consecutive changes of one room: `from` is the version before the first, `to` the version of the last. */
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

  get hasBuffered() {
    return this.#early.length > 0;
  }

  /** Takes changes and returns those that can be applied now, in order. */
  push(range: R): R[] {
    this.#early.push(range);
    return this.#release();
  }

  /** Sets the version after a snapshot. Returns the early changes that fit now. */
  reset(version: number): R[] {
    this.#version = version;
    return this.#release();
  }

  /** Buffers all changes until the next `reset`, because the state can no longer be trusted. */
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

/** The part that is newer than `version`. Ranges overlap if an answer repaired a gap before a late event arrived. */
const after = <R extends VersionRange>(version: number, range: R): R =>
  range.from === version
    ? range
    : {
        ...range,
        from: version,
        changes: range.changes.filter((change) => change.version > version),
      };
