/** Databases on this device. If storage is forbidden or full, nothing is saved and nothing is found. */
import { openDB, type DBSchema, type IDBPDatabase, type StoreNames } from 'idb';

/**
 * Opens a database when it is first used. Returns a function that runs work on it and resolves to undefined on failure.
 * New stores come at the end, because the number of stores is the version of the database.
 */
export function database<S extends DBSchema>(name: string, ...stores: StoreNames<S>[]) {
  let opened: Promise<IDBPDatabase<S>> | undefined;
  const forget = () => (opened = undefined);
  const open = () =>
    new Promise<IDBPDatabase<S>>((resolve, reject) => {
      openDB<S>(name, stores.length, {
        upgrade(db, version) {
          for (const store of stores.slice(version)) db.createObjectStore(store);
        },
        // A page of an older build holds it and can be suspended, so this does not wait.
        blocked() {
          reject(new Error('Another page holds the database.'));
        },
        // Lets another tab delete the database when the user signs out.
        blocking(_before, _after, { target }) {
          (target as IDBDatabase).close();
          forget();
        },
        terminated: forget,
      }).then(resolve, reject);
    });
  return async <T>(work: (db: IDBPDatabase<S>) => Promise<T>): Promise<T | undefined> => {
    try {
      opened ??= open();
      opened.catch(forget);
      return await work(await opened);
    } catch {
      return undefined;
    }
  };
}
