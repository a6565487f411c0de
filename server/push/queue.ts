import type { StoredHook } from '../messages/part.ts';
import { insertQueued } from './queue-store.ts';

/** Queues new messages, unless no device is subscribed. */
export const queuePushes: StoredHook = async (db, { added }) => {
  await insertQueued(
    db,
    added.map(({ id }) => id),
  );
};
