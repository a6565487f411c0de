import type { StoredHook } from '../messages/part.ts';
import { insertQueued } from './queue-store.ts';

/** Queues new messages for push messages. Where no device wants any, nothing is queued. */
export const queuePushes: StoredHook = async (db, { added }) => {
  await insertQueued(
    db,
    added.map(({ id }) => id),
  );
};
