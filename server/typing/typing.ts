import type { Parsed } from '../../shared/protocol.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { readTransaction } from '../database/database.ts';
import { timelineFor } from '../messages/access.ts';
import { readAccessVersion } from '../realtime/access-version.ts';
import type { Caller } from '../caller.ts';

export async function broadcastTyping(
  caller: Caller,
  { timelineId }: Parsed<'typing:set'>,
): Promise<void> {
  const { node, db, user } = caller;
  const accessVersion = await readTransaction(db, async (db) => {
    const { scope } = await timelineFor(db, caller, timelineId, 'send');
    return readAccessVersion(db, scope);
  });
  const payload = { timelineId, userId: user.id };
  const room = timelineRoom(timelineId);
  node.fanout.broadcastVolatile({ room, event: 'typing', payload, userId: user.id }, accessVersion);
}
