/** Merges rows of changes, acks and lists, in any order and number (rule 2 of the client, docs/architecture.md). */

export interface Versioned {
  version: number;
}

export interface Slice<R extends Versioned> {
  readonly rows: Map<string, R>;
  /** The version at which an id was removed; older rows of it are ignored. */
  readonly gone: Map<string, number>;
}

export const emptySlice = <R extends Versioned>(rows = new Map<string, R>()): Slice<R> => ({
  rows,
  gone: new Map(),
});

/** Stores a row if it is newer than the held one and than its removal. */
export function upsert<R extends Versioned>(slice: Slice<R>, id: string, row: R): boolean {
  if (row.version <= knownVersion(slice, id)) return false;
  slice.gone.delete(id);
  slice.rows.set(id, row);
  return true;
}

export function removeRow<R extends Versioned>(
  slice: Slice<R>,
  id: string,
  version: number,
): boolean {
  if (version <= knownVersion(slice, id)) return false;
  slice.gone.set(id, version);
  return slice.rows.delete(id);
}

export function replaceAll<R extends Versioned>(
  slice: Slice<R>,
  entries: Iterable<readonly [id: string, row: R]>,
): void {
  slice.gone.clear();
  const fresh = new Map(entries);
  for (const id of slice.rows.keys()) if (!fresh.has(id)) slice.rows.delete(id);
  for (const [id, row] of fresh) slice.rows.set(id, row);
}

const knownVersion = <R extends Versioned>({ rows, gone }: Slice<R>, id: string) =>
  rows.get(id)?.version ?? gone.get(id) ?? -1;
