/** The rows of one room in plain maps, for clients without a user interface. */
import type { Change, Row } from '../../shared/changes.ts';
import { roomSlices, sliceKeys, splitRoom, type Room, type SliceName } from '../../shared/rooms.ts';
import { bySlice } from './changes.ts';
import { emptySlice, removeRow, replaceAll, upsert, type Slice } from './rows.ts';

export class RoomRows {
  readonly #slices: ReadonlyMap<SliceName, Slice<Row>>;

  constructor(room: Room) {
    const names: readonly SliceName[] = roomSlices[splitRoom(room).kind];
    this.#slices = new Map(names.map((name) => [name, emptySlice<Row>()]));
  }

  get names(): SliceName[] {
    return [...this.#slices.keys()];
  }

  rows<S extends SliceName>(name: S): ReadonlyMap<string, Row<S>> {
    return (this.#slices.get(name)?.rows ?? new Map()) as Map<string, Row<S>>;
  }

  replace(state: object) {
    for (const [name, slice] of this.#slices) replaceAll(slice, byKey(name, state));
  }

  /** Returns the changes that were new. A part of a snapshot can have included some before. */
  apply(changes: readonly Change[]): Change[] {
    return changes.filter((change) => {
      for (const [name, [rowChange]] of bySlice([change])) {
        const slice = this.#slices.get(name);
        if (slice === undefined || rowChange === undefined) continue;
        return 'row' in rowChange
          ? upsert(slice, keyOf(name, rowChange.row), rowChange.row)
          : removeRow(slice, rowChange.gone, rowChange.version);
      }
      return true;
    });
  }
}

export const byKey = (name: SliceName, state: object): Map<string, Row> =>
  new Map(
    ((state as Partial<Record<SliceName, Row[]>>)[name] ?? []).map((row) => [
      keyOf(name, row),
      row,
    ]),
  );

export const keyOf = (name: SliceName, row: Row): string =>
  (row as unknown as Record<string, string>)[sliceKeys[name]] ?? '';
