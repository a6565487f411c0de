/** Files saved on this device until the next visit, by id. */
import type { DBSchema } from 'idb';
import { database } from './database.ts';

interface Schema extends DBSchema {
  blobs: { key: string; value: Blob };
}

/** Age after which saved files are deleted, in milliseconds; they belong to nothing then. */
const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

const blobs = database<Schema>('parley', 'blobs');

/** Saves a file and keeps up to `maxBytes` bytes in total; the oldest are deleted first. */
export async function saveBlob(id: string, blob: Blob, maxBytes: number): Promise<void> {
  await blobs(async (db) => {
    const { store, done } = db.transaction('blobs', 'readwrite');
    await store.delete(IDBKeyRange.upperBound(idAt(Date.now() - lifetimeMs)));
    let left = maxBytes - blob.size;
    for await (const cursor of store.iterate(null, 'prev')) {
      left -= cursor.value.size;
      if (left < 0) await cursor.delete();
    }
    await store.put(blob, id);
    await done;
  });
}

export const loadBlob = (id: string): Promise<Blob | undefined> =>
  blobs((db) => db.get('blobs', id));

export const removeBlob = (id: string) => blobs((db) => db.delete('blobs', id));

/** Ids are version 7 UUIDs, which begin with the time. */
function idAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
