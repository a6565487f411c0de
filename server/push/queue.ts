/** Messages whose people may have to be told of them, queued with their commit. */
import type { Db } from '../database/database.ts';
import { insertQueued } from './queue-store.ts';

/** Where no device wants push messages nothing is queued. */
export const queuePushes = (db: Db, added: readonly { id: string }[]): Promise<void> =>
  insertQueued(
    db,
    added.map(({ id }) => id),
  );
