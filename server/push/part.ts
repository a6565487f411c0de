import type { MessagePart } from '../messages/part.ts';
import { insertQueued } from './queue-store.ts';

/** Queues new messages for push messages. Where no device wants any, nothing is queued. */
export const pushPart: MessagePart = {
  async stored(db, { added }) {
    await insertQueued(
      db,
      added.map(({ id }) => id),
    );
  },
};
