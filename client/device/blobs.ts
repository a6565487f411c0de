/** Files saved on this device until the next visit, by id. If storage is forbidden or full, they are not saved. */
const store = 'blobs';
/** Age after which saved files are deleted, in milliseconds; they belong to nothing then. */
const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('parley', 1);
  request.onupgradeneeded = () => request.result.createObjectStore(store);
  return answerOf(request).then((db) => {
    // Lets another tab delete the database when the user signs out.
    db.onversionchange = () => {
      db.close();
      opened = undefined;
    };
    return db;
  });
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('not kept'));
    };
  });

async function ask<T>(what: (blobs: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const db = await (opened ??= open());
    return await answerOf(what(db.transaction(store, 'readwrite').objectStore(store)));
  } catch {
    return undefined;
  }
}

/** Saves a file and keeps up to `maxBytes` bytes in total; the oldest are deleted first. */
export async function saveBlob(id: string, blob: Blob, maxBytes: number): Promise<void> {
  await ask((blobs) => blobs.delete(IDBKeyRange.upperBound(idAt(Date.now() - lifetimeMs))));
  await ask((blobs) => {
    dropBeyond(blobs, maxBytes - blob.size);
    return blobs.put(blob, id);
  });
}

function dropBeyond(blobs: IDBObjectStore, room: number) {
  const newest = blobs.openCursor(null, 'prev');
  let left = room;
  newest.onsuccess = () => {
    const { result: cursor } = newest;
    if (cursor === null) return;
    left -= (cursor.value as Blob).size;
    if (left < 0) cursor.delete();
    cursor.continue();
  };
}

export const loadBlob = (id: string): Promise<Blob | undefined> =>
  ask<Blob | undefined>((blobs) => blobs.get(id) as IDBRequest<Blob | undefined>);

export const removeBlob = (id: string) => ask((blobs) => blobs.delete(id));

/** Ids are version 7 UUIDs, which begin with the time. */
function idAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
