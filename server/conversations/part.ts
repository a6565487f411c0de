import type { MessagePart } from '../messages/part.ts';
import { answer } from './requests.ts';

/** Who writes in a request accepts it. */
export const requestPart: MessagePart = {
  async stored(_db, { unanswered }) {
    if (unanswered.length === 0) return undefined;
    return {
      afterCommit: (context) =>
        Promise.all(unanswered.map(({ user, timelineId }) => answer(context, user.id, timelineId))),
    };
  },
};
