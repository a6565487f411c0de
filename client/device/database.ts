/** Databases on this device. If storage is forbidden or full, nothing is saved and nothing is found. */
import { openDB, type DBSchema, type IDBPDatabase, type StoreNames } from 'idb';

/**
 * Opens a database with one store when it is first used. Returns a function that runs work on it and resolves to
 * undefined on failure.
 */
export function database<S extends DBSchema>(name: string, store: StoreNames<S>) {
  let opened: Promise<IDBPDatabase<S>> | undefined;
  const forget = () => (opened = undefined);
  const open = () =>
    openDB<S>(name, 1, {
      upgrade: (db) => void db.createObjectStore(store),
      // Lets another tab delete the database when the user signs out.
      blocking(_before, _after, { target }) {
        (target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    });
  return async <T>(work: (db: IDBPDatabase<S>) => Promise<T>): Promise<T | undefined> => {
    try {
      return await work(await (opened ??= open()));
    } catch {
      return undefined;
    }
  };
}
