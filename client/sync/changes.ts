/** Turns changes into row changes by the table in shared/rooms.ts, independent of any feature. */
import type { Change, Row } from '../../shared/changes.ts';
import { changeShapes, type Room, type SliceName } from '../../shared/rooms.ts';

export type RowChange<R> = { row: R } | { gone: string; version: number };

export interface SliceStore<R> {
  replace(room: Room, rows: readonly R[]): void;
  apply(room: Room, changes: readonly RowChange<R>[]): void;
  drop(room: Room): void;
  /** The rows of a room, complete as of its version; `undefined` if they are not. */
  in(room: Room): Iterable<[id: string, row: R]> | undefined;
}

/** Groups changes by their slice, in order. Ignores types from a later server that this client does not know. */
export function bySlice(changes: readonly Change[]): Map<SliceName, RowChange<Row>[]> {
  const sorted = new Map<SliceName, RowChange<Row>[]>();
  for (const change of changes) {
    if (!(change.type in changeShapes)) continue;
    const { slice } = changeShapes[change.type];
    sorted.set(slice, [...(sorted.get(slice) ?? []), toRowChange(change)]);
  }
  return sorted;
}

function toRowChange(change: Change): RowChange<Row> {
  const shape = changeShapes[change.type];
  const fields = change as unknown as Record<string, unknown>;
  return 'row' in shape
    ? { row: fields[shape.row] as Row }
    : { gone: fields[shape.gone] as string, version: change.version };
}
