import type { ReadPosition } from '../../shared/reads.ts';
import type { Draft, MessagePart } from '../messages/part.ts';
import { advancePositions } from './store.ts';

/** Authors have read up to their own message. */
export const readPart: MessagePart = {
  async stored(db, { added }) {
    await advancePositions(db, lastOfEach(added));
  },
};

/** The position of each author's last message, since `added` is in order of position. */
function lastOfEach(added: readonly Draft[]): (ReadPosition & { userId: string })[] {
  const furthest = new Map<string, ReadPosition & { userId: string }>();
  for (const { authorId: userId, timelineId, position } of added)
    furthest.set(`${userId} ${timelineId}`, { userId, timelineId, position });
  return [...furthest.values()];
}
