/** The rows that a bot holds of its servers, room by room. Messages it hears, and lets go. */
import type { Change, Row } from '../../shared/changes.ts';
import { roomSlices, sliceKeys, splitRoom, type Room, type SliceName } from '../../shared/rooms.ts';
import { bySlice } from '../sync/changes.ts';
import { RoomHeld, type Question } from '../sync/room-replica.ts';
import { emptySlice, remove, replaceAll, upsert, type Slice } from '../sync/rows.ts';
import { differences } from './differences.ts';

export class Held {
  readonly room: RoomHeld;
  timer: NodeJS.Timeout | undefined;
  readonly #slices: Map<SliceName, Slice<Row>>;
  #entered = false;

  /** `since` is what was held of it before a restart. */
  constructor(room: Room, since?: Question) {
    this.room = new RoomHeld(since);
    const { kind } = splitRoom(room);
    const kept = roomSlices[kind].filter((name: SliceName) => name !== 'messages');
    this.#slices = new Map(kept.map((name) => [name, emptySlice<Row>()]));
  }

  rows<S extends Exclude<SliceName, 'messages'>>(name: S): ReadonlyMap<string, Row<S>> {
    return (this.#slices.get(name)?.rows ?? new Map()) as Map<string, Row<S>>;
  }

  /** Answers with the changes that were news: a part of a snapshot may have told of some before. */
  apply(changes: readonly Change[]): Change[] {
    return changes.filter((change) => {
      for (const [name, [rowChange]] of bySlice([change])) {
        const slice = this.#slices.get(name);
        if (slice === undefined || rowChange === undefined) continue;
        return 'row' in rowChange
          ? upsert(slice, keyOf(name, rowChange.row), rowChange.row)
          : remove(slice, rowChange.gone, rowChange.version);
      }
      return true;
    });
  }

  /** Takes a snapshot, and answers with what must have happened since the one before. */
  replace(state: Partial<Record<string, Row[]>>, version: number): Change[] {
    const missed: Change[] = [];
    for (const [name, slice] of this.#slices) {
      const fresh = new Map((state[name] ?? []).map((row) => [keyOf(name, row), row] as const));
      if (this.#entered) missed.push(...differences(name, slice.rows, fresh, version));
      replaceAll(slice, fresh);
    }
    this.#entered = true;
    return missed;
  }
}

const keyOf = (name: SliceName, row: Row) =>
  (row as unknown as Record<string, string>)[sliceKeys[name]] ?? '';
