/** What changes do to rows. The table in shared/rooms.ts says it all: no feature is known here. */
import type { Change, Row } from '../../shared/changes.ts';
import { changeShapes, type Room, type SliceName } from '../../shared/rooms.ts';

export type RowChange<R> = { row: R } | { gone: string; version: number };

/** Where a feature keeps the rows of one slice, room by room. */
export interface SliceStore<R> {
  /** A snapshot replaces everything held. */
  replace(room: Room, rows: readonly R[]): void;
  apply(room: Room, changes: readonly RowChange<R>[]): void;
  /** The room is no longer ours: nothing of it stays in memory. */
  drop(room: Room): void;
}

/**
 * Sorts changes by the slice they touch, in the order in which they happened. Of a type that is not known here
 * a later server may tell: its slice is none of ours.
 */
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
