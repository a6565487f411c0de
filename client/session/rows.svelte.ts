import { SvelteMap } from 'svelte/reactivity';
import type { Room } from '../../shared/rooms.ts';
import type { SliceStore, RowChange } from '../sync/changes.ts';
import {
  emptySlice,
  removeRow,
  replaceAll,
  upsert,
  type Slice,
  type Versioned,
} from '../sync/rows.ts';

export class RowsByRoom<R extends Versioned> implements SliceStore<R> {
  readonly #slices = new SvelteMap<Room, Slice<R>>();
  readonly #idOf: (row: R) => string;

  constructor(idOf: (row: R) => string) {
    this.#idOf = idOf;
  }

  /** The held rows of a room, by id; `undefined` before it was entered. */
  in(room: Room): ReadonlyMap<string, R> | undefined {
    return this.#slices.get(room)?.rows;
  }

  replace(room: Room, rows: readonly R[]) {
    replaceAll(
      this.#slice(room),
      rows.map((row) => [this.#idOf(row), row] as const),
    );
  }

  apply(room: Room, changes: readonly RowChange<R>[]) {
    const slice = this.#slice(room);
    for (const change of changes) {
      if ('row' in change) upsert(slice, this.#idOf(change.row), change.row);
      else removeRow(slice, change.gone, change.version);
    }
  }

  drop(room: Room) {
    this.#slices.delete(room);
  }

  #slice(room: Room): Slice<R> {
    const held = this.#slices.get(room);
    if (held) return held;
    const slice = emptySlice(new SvelteMap<string, R>());
    this.#slices.set(room, slice);
    return slice;
  }
}
