/** A room of rows as a client holds it, by the client's own rules: a server, or one's own room. */
import { bySlice } from '../../client/sync/changes.ts';
import { RoomReplica } from '../../client/sync/room-replica.ts';
import { emptySlice, remove, replaceAll, upsert, type Slice } from '../../client/sync/rows.ts';
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { roomSlices, sliceKeys, type RoomKind, type SliceName } from '../../shared/rooms.ts';

export class HeldRows {
  readonly room = new RoomReplica();
  readonly #slices: Map<SliceName, Slice<Row>>;

  constructor(kind: RoomKind) {
    this.#slices = new Map(roomSlices[kind].map((name) => [name, emptySlice<Row>()]));
  }

  rows<S extends SliceName>(slice: S): Row<S>[] {
    return [...(this.#slices.get(slice)?.rows.values() ?? [])] as Row<S>[];
  }

  hear(stretch: RoomChanges): void {
    for (const ready of this.room.receive(stretch)) this.#apply(ready);
  }

  /** Answers with all of it, once it is there. */
  answer(entry: Exclude<Entry, { status: 'gone' }>, epoch: string) {
    const { snapshot, changes } = this.room.answer(entry, epoch);
    if (snapshot)
      for (const [name, slice] of this.#slices) {
        const rows = (snapshot.state as Partial<Record<SliceName, Row[]>>)[name] ?? [];
        replaceAll(
          slice,
          rows.map((row) => [keyOf(name, row), row] as const),
        );
      }
    for (const stretch of changes) this.#apply(stretch);
    return entry.status === 'snapshot' ? snapshot : entry;
  }

  #apply({ changes }: RoomChanges): void {
    for (const [name, part] of bySlice(changes)) {
      const slice = this.#slices.get(name);
      if (slice === undefined) continue;
      for (const change of part)
        if ('row' in change) upsert(slice, keyOf(name, change.row), change.row);
        else remove(slice, change.gone, change.version);
    }
  }
}

const keyOf = (slice: SliceName, row: Row): string =>
  (row as unknown as Record<string, string>)[sliceKeys[slice]] ?? '';
