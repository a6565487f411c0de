/** Files saved on this device until the next visit, by id. */
import { expired, unsent } from './unsent.ts';

/** Saves a file and keeps up to `maxBytes` bytes in total; the oldest are deleted first. */
export async function saveBlob(id: string, blob: Blob, maxBytes: number): Promise<void> {
  await unsent(async (db) => {
    const { store, done } = db.transaction('blobs', 'readwrite');
    await store.delete(expired());
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
  unsent((db) => db.get('blobs', id));

export const removeBlob = (id: string) => unsent((db) => db.delete('blobs', id));
